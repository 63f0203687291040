"""Half a year of a leaderboard that never was: two wikis, old articles, five models, 63 runs with made-up scores.

python -m tests.flows.site.made_up FILE.duckdb
"""

import json
import sys
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from flows.experiments.linking.link_months import link_months
from flows.progress import Silent
from newwiki.decoding.grammar import parse
from newwiki.records import Fingerprint, Metric, Run
from newwiki.settings import Settings
from newwiki.snapshot import Judged, Selection, Site, Topic, Verdict, Window
from storage import hashes, runs, short_forms, summaries, topics
from storage.database import Database, insert, insert_arrow
from storage.queries import query
from storage.snapshots import parameters_json, publish

ARTICLES = 40
HOSTILE = '<script>console.error("run")</script> "><img onerror=console.error(1) src=x> {{ 7 * 7 }} \u202e'
BY = Fingerprint("made-up-evaluator", "made up", "1", "rules-v1", dependencies={"regex": "1"})
WIKIS = {
    "enwiki": Site("enwiki", "en", "https://en.wikipedia.org/wiki/Main_Page", "CC BY-SA 4.0",
                   "https://creativecommons.org/licenses/by-sa/4.0/"),
    "dewiki": Site("dewiki", "de", "https://de.wikipedia.org/wiki/Hauptseite", "CC BY-SA 4.0", None),
}  # fmt: skip
MONTHS = {"enwiki": [f"2026-{month:02}" for month in range(4, 10)], "dewiki": ["2026-08", "2026-09"]}
OLD = "enwiki-old-before-2020-01-01"
# By name: the weights' hash, how good it is, the last day of what it has seen
MODELS: dict[str, tuple[str, float, date | None]] = {
    "openai-community/gpt2": ("a" * 64, 0.0, date(2019, 11, 30)),
    "openai-community/gpt2-xl": ("b" * 64, 0.4, date(2019, 11, 30)),
    "allenai/OLMo-2-0425-1B": ("c" * 64, 0.8, date(2026, 9, 15)),
    f"lab/{HOSTILE}": ("d" * 64, -0.3, None),
}
LATER = {"Qwen/Qwen3-0.6B": ("e" * 64, 0.7, None)}  # in the last two months alone
DECODERS = ("greedy", "sample:temperature=0.9,top_k=20,top_p=0.9")
# Mean, how far runs and articles are apart, and what a month adds
NUMBERS = {
    "bleu": (12.0, 2.0, 4.0, 0.4),
    "distinct_2": (0.9, 0.03, 0.03, 0.005),
    "entity_overlap": (0.12, 0.02, 0.05, 0.004),
    "flesch_reading_ease": (48.0, 4.0, 12.0, 1.0),
    "gunning_fog_newwiki": (22.0, 1.0, 4.0, 0.3),
    "information_density": (0.11, 0.01, 0.02, 0.001),
    "rep_4": (0.10, -0.03, 0.04, 0.003),
    "sbert": (0.55, 0.06, 0.10, 0.012),
}
METRICS = (
    Metric("bleu", "points", 0, 100, "higher", "BLEU of one text against one article", "Papineni et al. 2002"),
    Metric("distinct_2", "ratio", 0, 1, "higher", "different word bigrams / words", "Li et al. 2016"),
    Metric("entity_overlap", "ratio", 0, 1, "higher", "entities in both texts / entities in either", "the paper"),
    Metric("flesch_reading_ease", "points", None, None, "none", "206.835 - 1.015 words/sentences - …", "Flesch 1948"),
    Metric("gunning_fog_newwiki", "points", 0, None, "none", "0.4 words/sentences + …", "the paper"),
    Metric("information_density", "ratio", 0, 1, "higher", "mentions of named entities / words", "the paper"),
    Metric("rep_4", "ratio", 0, 1, "lower", "1 - different word 4-grams / word 4-grams", "Welleck et al. 2020"),
    Metric("sbert", "cosine", -1, 1, "higher", "inner product of the unit embeddings", "Reimers & Gurevych 2019"),
)
# A day after the snapshot was published, and the runs' texts in the morning of it
SCORED = "insert into scorings select ?, ?, published_at + interval 1 day from snapshots where snapshot_id = ?"
WRITTEN = """update runs set started_at = published_at + interval 7 hour, finished_at = published_at + interval 20 hour
from snapshots where snapshots.snapshot_id = runs.snapshot_id and run_id = ?"""
DROPPED: dict[Verdict, int] = {"few_words": 61, "few_revisions": 130, "redirect": 23}
TOPICS = ("Human", "Human settlement", "Taxon", "Film", "Sports season", "Album", None)
_PLACES = ("Halmeck", "Arvendal", "Torsfjell", "Brennau", "Castelmar", "Ostrova", "Lindholt", "Veyrac")
_KINDS = ("a town", "a river", "a parish church", "a railway station", "a footballer", "a moth of the family Noctuidae")
_SENTENCES = (
    "It was first mentioned in 1352 in a charter of the abbey.",
    "A second bridge was built in 1788 and replaced after the flood of 1910.",
    "The population has fallen slowly since the closure of the mine.",
    "Its name is thought to derive from an older word for a clearing.",
    "Critics praised the acting, though the ending divided audiences.",
    "The species was described by Walker in 1865 from specimens found in the north.",
)


def make(path: Path, last: int = len(MONTHS["enwiki"])) -> Database:
    """The last so many months and the old articles, the months of each wiki linked by the experiment."""
    database = Database(path)
    runs.register(database, [BY], METRICS)
    draw = np.random.default_rng(0)
    for wiki, months in MONTHS.items():
        for month in months[-last:]:
            name = _month(database, wiki, month, first=1000 * int(month[-2:]))
            of_month = MODELS if wiki == "enwiki" else dict([*MODELS.items()][:2])
            if wiki == "enwiki" and month in months[-2:]:
                of_month = of_month | LATER
            _score(database, name, of_month, draw, harder=draw.normal())
    _old(database)
    _score(database, OLD, dict([*MODELS.items()][:3]), draw, harder=2.0, decoders=DECODERS[:1])
    with database.write() as connection:
        summaries.store_missing(connection)
    assert link_months(database, Settings(), Silent()) == {}
    return database


def _month(database: Database, wiki: str, month: str, *, first: int) -> str:
    window = Window.month(month)
    return _publish(database, f"{wiki}-{month}", WIKIS[wiki], window, "new", [
        (first + number, window.start + timedelta(days=number * 28 // ARTICLES, hours=7)) for number in range(ARTICLES)
    ])  # fmt: skip


def _old(database: Database) -> str:
    window = Window.before(date(2020, 1, 1))
    return _publish(database, OLD, WIKIS["enwiki"], window, "old", [
        (number + 1, datetime(2004 + number * 16 // ARTICLES, 5, 1, tzinfo=UTC)) for number in range(ARTICLES)
    ])  # fmt: skip


def _publish(
    database: Database, name: str, site: Site, window: Window, kind: str, created: list[tuple[int, datetime]]
) -> str:
    pages = [
        Judged(
            page_id=page, title=_title(page), created_at=at, verdict="selected", rev_id=page * 7, revised_at=at,
            revisions=10 + page % 30, words=500 + 13 * (page % 90),
            first_sentence=f"{_title(page)} is {_KINDS[page % len(_KINDS)]}.", completion=_prose(page, 60),
        )
        for page, at in created
    ]  # fmt: skip
    verdicts: list[Verdict] = []
    for verdict, count in DROPPED.items():
        verdicts += [verdict] * count
    dropped = [
        Judged(
            page_id=500_000 + place, title=f"Stub {place}", created_at=created[0][1], verdict=verdict,
            detail="142 words" if verdict == "few_words" else None, rev_id=place, revised_at=created[0][1],
            revisions=3, words=142, first_sentence=None, completion=None,
        )
        for place, verdict in enumerate(verdicts)
    ]  # fmt: skip
    cutoff = window.end + timedelta(days=14)
    published = cutoff + timedelta(hours=6)
    publish(database, name, site, window, cutoff, parameters_json(window, Selection(), kind), [*pages, *dropped])
    with database.write() as connection:
        connection.execute("update snapshots set published_at = ? where snapshot_id = ?", [published, name])
        hashes.take_anew(connection, name, "published", "snapshots")
    about = [Topic(page, f"Q{page}", ("Q5",), TOPICS[place % len(TOPICS)]) for place, (page, _) in enumerate(created)]
    topics.store(database, name, about)
    return name


def _title(page: int) -> str:
    return HOSTILE if page % 1000 == 1 else f"{_PLACES[page % len(_PLACES)]} {page}"


def _prose(seed: int | list[int], sentences: int) -> str:
    chosen = np.random.default_rng(seed).choice(len(_SENTENCES), sentences)
    return " ".join(_SENTENCES[one] for one in chosen)


def _score(
    database: Database, snapshot_id: str, models: dict[str, tuple[str, float, date | None]],
    draw: np.random.Generator, *, harder: float, decoders: tuple[str, ...] = DECODERS,
) -> None:  # fmt: skip
    """The articles' own scores and those of each model under each decoder, all in one transaction."""
    with database.write() as connection:
        found = connection.execute(
            "select page_id from stored_articles where snapshot_id = ? order by 1", [snapshot_id]
        ).fetchall()
        pages = [page for (page,) in found]
        ease = {name: draw.normal(scale=spread, size=len(pages)) for name, (_, _, spread, _) in NUMBERS.items()}
        connection.execute(SCORED, [f"reference:{snapshot_id}", BY.evaluator_id, snapshot_id])
        insert_arrow(connection, "scores", _scores(f"reference:{snapshot_id}", pages, ease, draw, 1.5, harder))
        for run in _runs(snapshot_id, models, decoders):
            ability = models[run.model][1] + (0.3 if run.samples > 1 else 0.0)
            insert(connection, "runs", [run], status="complete")
            connection.execute(query("fill_protocol"), [run.run_id])
            short_forms.enter(connection, run.run_id)
            before = f"{HOSTILE} " if run.model.startswith("lab/") else ""
            texts = [f"{before}{_prose([int(run.run_id[:8], 16), page], 3)}" for page in pages]
            insert_arrow(connection, "completions", pa.table({
                "run_id": [run.run_id] * len(pages), "page_id": pages, "sample": [0] * len(pages), "text": texts,
                "tokens": [64] * len(pages), "words": [len(text.split()) for text in texts],
                "finish_reason": ["stop"] * len(pages), "truncated": [False] * len(pages), "kept": [True] * len(pages),
            }))  # fmt: skip
            connection.execute(query("count_texts"), [run.run_id])
            connection.execute(SCORED, [run.run_id, BY.evaluator_id, snapshot_id])
            connection.execute(WRITTEN, [run.run_id])
            insert_arrow(connection, "scores", _scores(run.run_id, pages, ease, draw, ability, harder))


def _runs(
    snapshot_id: str, models: dict[str, tuple[str, float, date | None]], decoders: tuple[str, ...]
) -> Iterator[Run]:
    for model, (weights, _, cutoff) in models.items():
        for decoder in decoders:
            [parsed] = parse(decoder)
            samples = 1 if decoder == "greedy" else 20
            yield Run(
                run_id=sha256(f"{snapshot_id} {model} {decoder}".encode()).hexdigest()[:16],
                snapshot_id=snapshot_id, model=model, model_sha256=weights, backend="hf", decoder=parsed.canonical,
                decoder_parameters=json.dumps(dict(parsed.parameters)), prompt_template="{title}\n\n{first_sentence}",
                prompts=ARTICLES, seed=0, samples=samples, keep=min(samples, 10), max_new_tokens=512, dtype="float32",
                versions="{}", knowledge_cutoff=cutoff, knowledge_cutoff_from="asked" if cutoff else None,
            )  # fmt: skip


def _scores(
    run_id: str, pages: list[int], ease: dict[str, Any], draw: np.random.Generator, ability: float, harder: float
) -> pa.Table:
    rows: dict[str, list[Any]] = {"page_id": [], "metric": [], "value": [], "status": []}
    for name, (mean, by_run, spread, by_month) in NUMBERS.items():
        values = mean + by_run * ability + by_month * harder + ease[name]
        values = np.clip(values + draw.normal(scale=spread / 4, size=len(pages)), 0, 100 if mean > 1 else 1)
        missing = draw.random(len(pages)) < 0.01
        rows["page_id"] += pages
        rows["metric"] += [name] * len(pages)
        rows["value"] += [None if gone else float(value) for value, gone in zip(values, missing, strict=True)]
        rows["status"] += ["no words" if gone else "ok" for gone in missing]
    count = len(rows["page_id"])
    return pa.table(
        rows | {"run_id": [run_id] * count, "sample": [0] * count, "evaluator_id": [BY.evaluator_id] * count}
    )


if __name__ == "__main__":
    make(Path(sys.argv[1]))
