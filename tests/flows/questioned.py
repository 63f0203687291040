"""A small database that the cookbook has something to say of: real evaluators on texts cut from the sample wiki."""

import json
from datetime import date
from pathlib import Path

import numpy as np

from evaluators.scoring import select
from flows.progress import Silent
from flows.scoring.score_run import LoadedEvaluators, score_run
from newwiki.decoding.grammar import parse
from newwiki.records import Completion, Fingerprint, Metric, Run, Score
from newwiki.settings import Settings
from newwiki.snapshot import Article, Topic
from storage import runs, snapshots, topics
from storage.database import Database

NEW, OLD = "samplewiki-2026-09", "samplewiki-old"
METRICS = "rep_4,distinct_2,flesch_reading_ease,bleu"
PAGES, SAMPLES = 13, 2
SBERT = Fingerprint("sbert-by-hand", "sbert", "1")
RUNS = {
    "run-a": (NEW, "model-a", "sample:top_p=0.5"),
    "run-b": (NEW, "model-a", "sample:top_p=0.9"),
    "run-c": (NEW, "model-b", "greedy"),
    "run-d": (OLD, "model-a", "sample:top_p=0.9"),
    "run-e": (NEW, "model-a", "sample:top_p=0.9"),
}


def make(path: Path) -> Database:
    """Makes it of a database in which the sample wiki's September is published."""
    database = Database(path)
    with database.write() as connection:
        connection.execute(
            "insert into snapshots select * replace (? as snapshot_id, 'old' as kind) from snapshots", [OLD]
        )
        connection.execute(
            "insert into stored_articles select * replace (? as snapshot_id) from stored_articles", [OLD]
        )
        connection.execute("update novelty set nearest_title = 'Another', similarity = 0.4")
    articles = snapshots.articles(database, NEW)[:PAGES]
    topics.store(database, NEW, [Topic(article.page_id, "Q1", ("Q5",), "Human") for article in articles[:3]])
    loaded_evaluators = LoadedEvaluators(select(METRICS), Settings(entities="rules-v1"))
    for number, (run_id, (snapshot_id, model, decoder)) in enumerate(RUNS.items()):
        run = _run(run_id, snapshot_id, model, decoder)
        runs.start(database, run)
        runs.add_completions(database, run_id, _completions(articles, number))
        runs.complete(database, run_id, SAMPLES)
        score_run(database, run, articles, loaded_evaluators, Silent())
        chance = np.random.default_rng(number)
        scores = [
            Score(article.page_id, sample, "sbert", chance.uniform(), "ok", SBERT.evaluator_id)
            for article in articles
            for sample in range(SAMPLES)
        ]
        runs.register(database, [SBERT], [Metric("sbert", "cosine", -1, 1, "higher", "made up", "")])
        runs.add_scores(database, run_id, scores)
        runs.finish_scoring(database, run_id, {SBERT.evaluator_id})
    return database


def _run(run_id: str, snapshot_id: str, model: str, decoder: str) -> Run:
    [parsed] = parse(decoder)
    return Run(
        run_id=run_id,
        snapshot_id=snapshot_id,
        model=model,
        model_sha256=model,
        backend="hf",
        decoder=parsed.canonical,
        decoder_parameters=json.dumps(dict(parsed.parameters)),
        prompt_template="{title}\n\n{first_sentence}",
        prompts=PAGES,
        seed=0,
        samples=SAMPLES,
        keep=SAMPLES,
        max_new_tokens=64,
        dtype="float32",
        versions="{}",
        knowledge_cutoff=date(2026, 9, 15) if model == "model-a" else None,
        knowledge_cutoff_from="asked" if model == "model-a" else None,
    )


def _completions(articles: list[Article], number: int) -> list[Completion]:
    """Texts of other articles; run-c wrote nothing for its first prompt, and repeats itself."""
    made = []
    for place, article in enumerate(articles):
        for sample in range(SAMPLES):
            words = articles[(place + sample + number) % PAGES].completion.split()[: 40 + 7 * number + 3 * sample]
            if number == 2:
                words = [] if place == 0 else words[:6] * 8
            ended = (place + sample) % 3 == 0
            reason = "stop" if ended else "length"
            made.append(
                Completion(article.page_id, sample, " ".join(words), 64 + number, len(words), reason, not ended)  # type: ignore[arg-type]
            )
    return made
