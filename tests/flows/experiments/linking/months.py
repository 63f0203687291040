"""Months of articles that never were, and runs on them with numbers that are known."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np

from evaluators.statistics import Array
from flows.experiments.answering import answer
from flows.experiments.evaluations import Evaluations
from flows.experiments.linking.request import EXPERIMENT, LinkingRequest
from flows.progress import Silent
from newwiki.records import Fingerprint, Metric, Score
from newwiki.settings import Settings
from newwiki.snapshot import Judged, Selection, Site, Window
from storage import runs
from storage.database import Database
from storage.snapshots import parameters_json, publish
from tests.flows.scored import RULES, add_run

WIKI = "testwiki"
AUGUST, SEPTEMBER, OCTOBER = (f"{WIKI}-2026-{month}" for month in ("08", "09", "10"))
ARTICLES = 40


def add_month(database: Database, name: str, *, first: int = 0, texts: Sequence[str] = ()) -> str:
    """A snapshot of this month, with articles that have no other's number unless `first` is theirs."""
    month = name.removeprefix(f"{WIKI}-")[: len("2026-08")]
    window = Window.month(month)
    start = first or int(month[-2:]) * 1000
    written = texts or [f"It is the {number}th." for number in range(ARTICLES)]
    pages = [
        Judged(
            page_id=start + number, title=f"Page {start + number}", created_at=window.start, verdict="selected",
            rev_id=start + number, revised_at=window.start, revisions=10, words=500,
            first_sentence=f"Page {start + number} is a page.", completion=text,
        )
        for number, text in enumerate(written)
    ]  # fmt: skip
    site = Site(WIKI, "en", "https://wiki.example/wiki/Main_Page", "CC BY-SA", "https://cc.example")
    publish(database, name, site, window, datetime(2026, 12, 1, tzinfo=UTC),
            parameters_json(window, Selection(), "new"), pages)  # fmt: skip
    return name


def add_scores(
    database: Database, run_id: str, snapshot: str, numbers: Mapping[str, Array], by: Fingerprint = RULES
) -> None:
    """A number an article, by metric."""
    start = int(snapshot[-2:]) * 1000
    runs.register(database, [by], [Metric(name, "", 0.0, 1.0, "higher", "", "") for name in numbers])
    scores = [
        Score(start + place, 0, name, float(value), "ok", by.evaluator_id)
        for name, values in numbers.items()
        for place, value in enumerate(values)
    ]
    with database.write():
        runs.add_scores(database, run_id, scores)
        runs.finish_scoring(database, run_id, {by.evaluator_id})


def add_scored_run(
    database: Database, model: str, snapshot: str, numbers: Mapping[str, Array], by: Fingerprint = RULES, **changes: Any
) -> str:
    """A run whose id is MODEL-MONTH unless it is named; its model's hash is the model's name."""
    run_id = changes.pop("run_id", f"{model}-{snapshot[-2:]}")
    asked = {"snapshot_id": snapshot, "model": model, "model_sha256": model, "prompts": ARTICLES, **changes}
    with database.write():  # a transaction takes longer than the rows
        add_run(database, run_id, **asked)
        add_scores(database, run_id, snapshot, numbers, by)
    return str(run_id)


def drawn(snapshot: str, ability: float, *, gained: float = 0.0, seed: int = 0, own: float = 0.02) -> Array:
    """Numbers on a month's articles, of which each is as hard for all runs; the mean is exactly the ability and what
    the month adds."""
    shared = np.random.default_rng(int(snapshot[-2:])).normal(0, 0.1, ARTICLES)
    mine = np.random.default_rng([seed, int(snapshot[-2:]), round(1e6 * ability)]).normal(0, own, ARTICLES)
    return np.asarray(ability + gained + shared - shared.mean() + mine - mine.mean())


def link(database: Database, **asked: Any) -> str:
    """The id of the answer."""
    values = {"snapshot": SEPTEMBER} | asked
    return answer(
        EXPERIMENT, Evaluations(database, Settings(db=str(database.path)), Silent()), LinkingRequest(**values)
    )
