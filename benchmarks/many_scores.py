"""Make a database as months of evaluations leave it, with made-up texts and scores, written as by an evaluation.

In each month half of the runs are on a snapshot of new articles and half on one of old articles. Each half has the
same models, under as many decoders as it takes. The runs of the first month are made one by one; those of the other
months are copies on separate snapshots. Texts are words drawn with the frequencies of the sample wiki's articles, so
they compress somewhat less than prose. Scores are normal, with an effect of the run and one of the page, within the
metric's bounds. One score in a hundred is NULL with a reason.
"""

import json
import time
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from itertools import product

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from sample_texts import articles

from flows.catalogue import metrics
from newwiki.decoding.grammar import parse
from newwiki.records import Fingerprint, Metric, Run
from newwiki.snapshot import Judged, Nearest, Selection, Site, Topic, Window
from storage import runs, topics
from storage.database import Database, insert_arrow
from storage.snapshots import parameters_json, publish

BATCH = 256  # texts that are scored together
REJECTED = 4  # candidates per article
CUTOFF = datetime(2026, 11, 15, tzinfo=UTC)
SITE = Site("enwiki", "en", "https://en.wikipedia.org/wiki/Main_Page")
KNOWN = {0: date(2026, 10, 15), 1: date(2026, 4, 30)}  # knowledge cutoffs of models
TOPICS = ("Human", "Taxon", "Sports season", "Film", "Human settlement", "Album", None)


@dataclass(frozen=True)
class Size:
    """The size of the database: `runs` is per month, and `letters` is the approximate length of a text."""

    months: int = 1
    runs: int = 50
    models: int = 5
    prompts: int = 2000
    kept: int = 10
    metrics: int = 20
    letters: int = 300


class Maker:
    """Write the database; the numbers are deterministic."""

    def __init__(self, database: Database, size: Size) -> None:
        self.database = database
        self.size = size
        self.finishing: list[float] = []  # seconds
        self.random = np.random.default_rng(0)
        frequencies = Counter(word for text in articles() for word in text.split())
        self.vocabulary = np.array(list(frequencies), dtype=object)
        self.weights = np.array([*frequencies.values()]) / frequencies.total()
        chosen = sorted((one for one in metrics() if one[0].scope == "text"), key=lambda one: not one[1].core)
        self.metrics = [metric for metric, _ in chosen[: size.metrics]]
        self.evaluators = {metric.name: Fingerprint(f"{made.name}-{made.version}", made.name, made.version,
                                                    parameters={"made_up": True})
                           for metric, made in chosen[: size.metrics]}  # fmt: skip

    def make(self) -> None:
        runs.register(self.database, set_of(self.evaluators), self.metrics)
        months = [[self._snapshot(kind, month) for kind in ("old", "new")] for month in range(self.size.months)]
        each = -(-self.size.runs // 2)
        decoders = parse(
            f"sample:top_p=[{','.join(f'{(n + 1) / 100:g}' for n in range(-(-each // self.size.models)))}]"
        )
        asked = list(product(range(self.size.models), decoders))[:each]
        for snapshot_id, (model, decoder) in list(product(months[0], asked))[: self.size.runs]:
            run = Run(
                run_id=f"{self.random.integers(2**63):016x}",
                snapshot_id=snapshot_id,
                model=f"models/model-{model}",
                model_sha256=f"{model:x}".rjust(64, "0"),
                backend="hf",
                decoder=decoder.canonical,
                decoder_parameters=json.dumps(decoder.parameters),
                prompt_template="{title}\n\n{first_sentence}",
                prompts=self.size.prompts,
                seed=0,
                samples=self.size.kept,
                keep=self.size.kept,
                max_new_tokens=512,
                dtype="float32",
                versions="{}",
                knowledge_cutoff=KNOWN.get(model),
                knowledge_cutoff_from="asked" if model in KNOWN else None,
            )
            self._run(run)
        for month, others in enumerate(months[1:], start=1):
            self._copy(dict(zip(months[0], others, strict=True)), month)

    def _copy(self, snapshot_of: dict[str, str], months: int) -> None:
        """Copy the first month's runs to each earlier month, table by table in storage order."""
        with self.database.write() as connection:
            connection.execute(
                "create or replace temp table copied as select run_id, left(md5(run_id || $2[place]), 16) as copy, "
                "$2[place] as snapshot_id from (select run_id, list_position($1, snapshot_id) as place from runs) "
                "where place > 0",
                [[*snapshot_of], [*snapshot_of.values()]],
            )
            connection.execute(
                "insert into runs by name select runs.* replace (copy as run_id, copied.snapshot_id as snapshot_id, "
                "started_at - to_months($1) as started_at, finished_at - to_months($1) as finished_at) "
                "from runs join copied using (run_id)",
                [months],
            )
            for table in ("completions", "scores", "scorings", "page_means", "page_gaps", "stored_summaries"):
                connection.execute(
                    f"insert into {table} by name select {table}.* replace (copy as run_id) "  # noqa: S608 (our own names)
                    f"from {table} join copied using (run_id)"
                )

    def _snapshot(self, kind: str, month: int) -> str:
        day = datetime(2020 - month, 1, 1, tzinfo=UTC).date()
        window = Window.month(f"{2026 - (month + 2) // 12}-{12 - (month + 2) % 12:02}")
        window = window if kind == "new" else Window.before(day)
        name = f"enwiki-{window.label}"
        texts = self._texts(self.size.prompts * REJECTED, 3000)
        judged = [
            Judged(
                page_id=page,
                title=f"Page {page} {kind}",
                created_at=window.start + timedelta(days=page % 28),
                verdict="selected" if page <= self.size.prompts else "few_words",
                detail=None,
                rev_id=page,
                revised_at=window.start + timedelta(days=page % 28),
                revisions=12,
                words=500 if page <= self.size.prompts else 400,
                first_sentence=text[:100],
                completion=text,
            )
            for page, text in enumerate(texts, start=1)
        ]
        pages = np.arange(1, self.size.prompts + 1)
        near = self.random.uniform(0.1, 0.5, len(pages))
        novelty = [
            Nearest(int(page), f"Page {page - 1}", name, likeness) for page, likeness in zip(pages, near, strict=True)
        ]
        parameters = parameters_json(window, Selection(), kind)
        publish(self.database, name, SITE, window, CUTOFF, parameters, judged, novelty=novelty)
        about = [Topic(int(page), f"Q{page}", ("Q5",), TOPICS[page % len(TOPICS)]) for page in pages]
        topics.store(self.database, name, about)
        self._score(f"reference:{name}", pages, np.zeros_like(pages))
        return name

    def _run(self, run: Run) -> None:
        pages = np.repeat(np.arange(1, run.prompts + 1), run.keep)
        samples = np.tile(np.arange(run.keep), run.prompts)
        texts = self._texts(len(pages), self.size.letters)
        words = [len(text.split()) for text in texts]
        ended = self.random.random(len(pages)) < 0.3
        completions = pa.table({
            "run_id": [run.run_id] * len(pages), "page_id": pages, "sample": samples, "text": texts,
            "tokens": self.random.integers(40, 513, len(pages)), "words": words,
            "finish_reason": np.where(ended, "stop", "length"), "truncated": ~ended,
        })  # fmt: skip
        runs.start(self.database, run)
        with self.database.write() as connection:
            insert_arrow(connection, "completions", completions)
        runs.complete(self.database, run.run_id, run.keep)
        self._score(run.run_id, pages, samples)

    def _score(self, run_id: str, pages: NDArray[np.int64], samples: NDArray[np.int64]) -> None:
        """Store all metrics of a batch of texts, and then of the next batch, as `newwiki score` does."""
        values = {metric.name: self._values(metric, pages) for metric in self.metrics}
        rows = []
        for start in range(0, len(pages), BATCH):
            part = slice(start, start + BATCH)
            for name, numbers in values.items():
                rows.append(_scores(run_id, name, self.evaluators[name], pages[part], samples[part], numbers[part]))
        with self.database.write() as connection:
            insert_arrow(connection, "scores", pa.concat_tables(rows))
        start = time.perf_counter()
        runs.finish_scoring(self.database, run_id, {one.evaluator_id for one in self.evaluators.values()})
        self.finishing.append(time.perf_counter() - start)

    def _values(self, metric: Metric, pages: NDArray[np.int64]) -> NDArray[np.float64]:
        low, high = metric.minimum or 0.0, metric.maximum if metric.maximum is not None else 100.0
        middle = self.random.uniform(0.4, 0.6)
        of_page = np.random.default_rng(len(metric.name)).normal(0, 0.05, pages.max() + 1)[pages]
        values = low + (high - low) * (middle + of_page + self.random.normal(0, 0.1, len(pages)))
        values[self.random.random(len(pages)) < 0.01] = np.nan
        return np.clip(values, low, high)

    def _texts(self, count: int, letters: int) -> list[str]:
        words = letters // 6
        drawn = self.random.choice(self.vocabulary, (count, words), p=self.weights)
        return [" ".join(row) for row in drawn]


def _scores(
    run_id: str, metric: str, by: Fingerprint, pages: NDArray[np.int64], samples: NDArray[np.int64],
    values: NDArray[np.float64],
) -> pa.Table:  # fmt: skip
    missing = np.isnan(values)
    return pa.table({
        "run_id": [run_id] * len(pages), "page_id": pages, "sample": samples, "metric": [metric] * len(pages),
        "value": pa.array(values, from_pandas=True), "status": np.where(missing, "no words", "ok"),
        "evaluator_id": [by.evaluator_id] * len(pages),
    })  # fmt: skip


def set_of(evaluators: dict[str, Fingerprint]) -> list[Fingerprint]:
    """Return each evaluator once, because some give several metrics."""
    return list({one.evaluator_id: one for one in evaluators.values()}.values())
