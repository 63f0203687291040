"""Measure how fast texts are scored by all core metrics: by this project, by a naive script, and by the models alone.

    python benchmarks/score_speed.py [--articles FILE.json] [--texts 960] [--rounds 3] [--entities NAME] [--no-memory]
        [--backend openvino]

The articles are those of the file (a JSON list of texts), or those of the sample wiki. If there are too few, more are
composed of their sentences. Each article is a reference, and ten other articles serve as its completions. Three
contenders take turns in one process:

naive   a user's script: each library once per text, text and reference embedded in float32 each time
ours    `newwiki score`: from a database and back into it, with provenance
floor   the models of `ours` alone: every text and every reference embedded, and searched for entities, once

They run with S-BERT on the first 256 tokens and, on a quarter of the texts, with S-BERT pooled over the whole text.
With `--backend openvino`, OpenVINO embeds in `ours` and in `floor`, and `torch` is `ours` without it. Loading models is
not counted. A run of the paper has 20,000 texts; `--texts 140` shows the cost that is the same for any number.

In a round `naive` has one turn. `ours` and `floor` have two turns each, because they are much shorter and close to each
other. A ratio compares turns with the same number in the same round; the table shows medians. At the end, `ours` scores
2,000 and 20,000 texts of 100 words, each in a process of its own, to compare the peak memory.
"""

import argparse
import json
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

from random_models import peak_megabytes
from rich.console import Console
from rich.table import Table
from sample_texts import articles as sample_articles

from evaluators.embedding import BACKENDS, Embedder, load_embedder
from evaluators.entities import load_tagger
from evaluators.networks.embedder_files import folder_of
from evaluators.scoring import select
from evaluators.tagger import Tagger
from flows.progress import Silent
from flows.scoring.score_run import LoadedEvaluators, score_run
from newwiki.quiet import silence_transformers
from newwiki.records import Completion, Run
from newwiki.settings import Settings
from newwiki.snapshot import Article
from storage import runs
from storage.database import Database

SAMPLES = 10
TURNS = 2  # turns per round of the contenders that are close to each other
OTHERS = "flesch_reading_ease,gunning_fog,gunning_fog_newwiki,distinct_2,rep_4,information_density,entity_overlap,bleu"
FEW, MANY, SHORT = 2_000, 20_000, 100
MOMENT = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Texts:
    """References by page, and the completions of each reference."""

    references: Sequence[str]
    completions: Sequence[Sequence[str]]

    @property
    def texts(self) -> int:
        return sum(map(len, self.completions))


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--articles", type=Path)
    parser.add_argument("--texts", type=int, default=960)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--entities", default="rules-v1")
    parser.add_argument("--backend", choices=BACKENDS, default="torch")
    parser.add_argument("--no-memory", action="store_true")
    parser.add_argument("--peak-of", type=int, help="score so many texts and print the peak memory in MB")
    options = parser.parse_args()
    silence_transformers()
    if options.peak_of:
        print(_peak(options.peak_of, _articles(options.articles), _settings(options)))
        return
    articles = _articles(options.articles)
    console = Console()
    for metric, count in (("sbert_truncated", options.texts), ("sbert", options.texts // 4)):
        console.print(_compared(_work(articles, count), metric, options))
    if not options.no_memory:
        _show_memory(console, options)


def _settings(options: argparse.Namespace) -> Settings:
    return Settings(entities=options.entities, embedder_backend=options.backend)


def _articles(file: Path | None) -> list[str]:
    texts: list[str] = json.loads(file.read_text("utf-8")) if file else sample_articles()
    return [text for text in texts if len(text.split()) >= 500]


def _work(articles: Sequence[str], count: int) -> Texts:
    pages = count // SAMPLES
    texts = [*articles, *put_together(articles, pages - len(articles))]
    completions = [[texts[(page + 1 + sample) % len(texts)] for sample in range(SAMPLES)] for page in range(pages)]
    return Texts(texts[:pages], completions)


def put_together(articles: Sequence[str], count: int) -> list[str]:
    """Compose `count` texts of sentences from all articles, each about as long as one of the articles."""
    chance = random.Random(0)
    sentences = [sentence for article in articles for sentence in re.split(r"(?<=[.!?])\s+", article)]
    texts = []
    for _ in range(count):
        text, length = "", len(chance.choice(articles))
        while len(text) < length:
            text += chance.choice(sentences) + " "
        texts.append(text.rstrip())
    return texts


def _compared(work: Texts, metric: str, options: argparse.Namespace) -> Table:
    settings = _settings(options)
    embedder, tagger = load_embedder(backend=options.backend), load_tagger(options.entities)
    loaded_evaluators = LoadedEvaluators(select(f"{OTHERS},{metric}"), settings)
    naive = _naive(work, tagger, metric)
    ways: dict[str, Callable[[], float]] = {
        "naive": lambda: seconds_of(naive),
        "ours": lambda: _ours(work, loaded_evaluators),
        "floor": lambda: seconds_of(lambda: _floor(work, embedder, tagger, metric)),
    }
    if options.backend != "torch":
        plain = LoadedEvaluators(select(f"{OTHERS},{metric}"), replace(settings, embedder_backend="torch"))
        ways["torch"] = lambda: _ours(work, plain)
    close = [way for way in ways if way != "naive"]
    seconds: dict[str, list[float]] = {way: [] for way in ways}
    for number in range(options.rounds):
        print(f"{metric}: round {number + 1} of {options.rounds}", file=sys.stderr)
        seconds["naive"] += [ways["naive"]()] * TURNS
        for turn in range(TURNS):
            # the order alternates, so that no contender always comes first
            for way in close if (number + turn) % 2 else reversed(close):
                seconds[way].append(ways[way]())
    words = sum(len(text.split()) for texts in work.completions for text in texts) / work.texts
    table = Table(
        title=f"{metric}, {options.entities}, embedder in {embedder.dtype} by {embedder.backend}: {work.texts} texts "
        f"of {words:.0f} words and {len(work.references)} references",
        title_justify="left",
    )
    for heading in ("", "texts/s", "(range)", "naive's time / its", "its time / floor's"):
        table.add_column(heading, justify="right" if heading else "left")
    for way, taken in seconds.items():
        rates = sorted(work.texts / one for one in taken)
        faster = median(other / one for other, one in zip(seconds["naive"], taken, strict=True))
        slower = median(one / other for one, other in zip(taken, seconds["floor"], strict=True))
        span = f"({rates[0]:.1f} to {rates[-1]:.1f})"
        table.add_row(way, f"{median(rates):.1f}", span, f"{faster:.2f}", f"{slower:.2f}")
    return table


def _naive(work: Texts, tagger: Tagger, metric: str) -> Callable[[], None]:
    import sacrebleu
    import textstat
    import textstat.backend.counts._count_syllables as textstat_syllables
    from nltk.util import ngrams
    from sentence_transformers import SentenceTransformer

    textstat_syllables.get_cmudict = lambda lang: None  # by hyphenation, as in this project, and without a download
    model = SentenceTransformer(str(folder_of()))

    def embed(text: str) -> object:
        if metric == "sbert_truncated":
            return model.encode(text)
        tokens = model.tokenizer(text, add_special_tokens=False)["input_ids"]
        chunks = [model.tokenizer.decode(tokens[start : start + 250]) for start in range(0, len(tokens), 250)]
        return model.encode(chunks).mean(axis=0)

    def run() -> None:
        for reference, completions in zip(work.references, work.completions, strict=True):
            for text in completions:
                textstat.flesch_reading_ease(text)
                textstat.gunning_fog(text)
                words = text.split()
                len(set(ngrams(words, 2))) / len(words)
                len(set(ngrams(words, 4))) / len(list(ngrams(words, 4)))
                [here], [there] = tagger.tag([text]), tagger.tag([reference])
                len(here) / len(words)
                len(set(here) & set(there)) / len(set(here) | set(there))
                model.similarity(embed(text), embed(reference))
                sacrebleu.sentence_bleu(text, [reference])

    return run


def _floor(work: Texts, embedder: Embedder, tagger: Tagger, metric: str) -> None:
    texts = [*work.references, *(text for texts in work.completions for text in texts)]
    embedder.make([""] * len(texts), texts, {"embedding" if metric == "sbert" else "embedding_truncated"})
    tagger.tag(texts)


def _ours(work: Texts, loaded_evaluators: LoadedEvaluators) -> float:
    """Return the seconds from texts in a database to their stored scores."""
    with tempfile.TemporaryDirectory() as folder:
        database = Database(Path(folder) / "scores.duckdb")
        run, articles = stored(database, work)
        return seconds_of(lambda: score_run(database, run, articles, loaded_evaluators, Silent()))


def seconds_of(work: Callable[[], None]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def stored(database: Database, work: Texts) -> tuple[Run, list[Article]]:
    """Store the texts as a run's completions."""
    articles = [
        Article(
            page_id=page,
            rev_id=page,
            title=f"Page {page}",
            created_at=MOMENT,
            revised_at=MOMENT,
            revisions=10,
            words=len(text.split()),
            first_sentence="It is.",
            completion=text,
            text_sha256="",
        )
        for page, text in enumerate(work.references)
    ]
    template = "{title}\n\n{first_sentence}"
    run = Run(
        run_id="run",
        snapshot_id="benchmark",
        model="none",
        model_sha256="",
        backend="none",
        decoder="none",
        decoder_parameters="{}",
        prompt_template=template,
        prompts=len(articles),
        seed=0,
        samples=SAMPLES,
        keep=SAMPLES,
        max_new_tokens=512,
        dtype="",
        versions="{}",
    )
    runs.start(database, run)
    completions = [
        Completion(page, sample, text, 0, len(text.split()), "length", truncated=True)
        for page, texts in enumerate(work.completions)
        for sample, text in enumerate(texts)
    ]
    runs.add_completions(database, run.run_id, completions)
    runs.complete(database, run.run_id, SAMPLES)
    return run, articles


def _peak(count: int, articles: Sequence[str], settings: Settings) -> float:
    chance = random.Random(0)
    loaded_evaluators = LoadedEvaluators(select(f"{OTHERS},sbert_truncated"), settings)
    words = [article.split() for article in articles]

    def text() -> str:
        whole = chance.choice(words)
        start = chance.randrange(len(whole) - SHORT)
        return " ".join(whole[start : start + SHORT])

    pages = count // SAMPLES
    _ours(
        Texts([text() for _ in range(pages)], [[text() for _ in range(SAMPLES)] for _ in range(pages)]),
        loaded_evaluators,
    )
    return peak_megabytes()


def _show_memory(console: Console, options: argparse.Namespace) -> None:
    peaks = []
    for count in (FEW, MANY):
        print(f"memory: {count:,} texts", file=sys.stderr)
        asked = [
            sys.executable,
            __file__,
            f"--peak-of={count}",
            f"--entities={options.entities}",
            f"--backend={options.backend}",
        ]
        asked += [f"--articles={options.articles}"] if options.articles else []
        peaks.append(float(subprocess.run(asked, capture_output=True, text=True, check=True).stdout))
    few, many = peaks
    console.print(
        f"Peak memory: {few:,.0f} MB with {FEW:,} texts, {many:,.0f} MB with {MANY:,}: {many / few:.2f} times as much."
    )


if __name__ == "__main__":
    main()
