"""Which snapshots are read, and how their articles are laid out by age."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from flows.experiments.cutoff.compute import ArticleDate, DatedSnapshot, rows_by_age
from flows.experiments.cutoff.findings import month_number
from newwiki.records import Run
from newwiki.snapshot import Judged, Selection, Site, Window
from storage.database import Database
from storage.snapshots import parameters_json, publish
from tests.flows.scored import RULES, add_run, score

SITE = Site("testwiki", "en", "https://test.example/wiki/")
SPANS = {
    "testwiki-old": ("old", datetime(2001, 1, 1, tzinfo=UTC), datetime(2021, 7, 1, tzinfo=UTC)),
    "testwiki-2025-01": ("new", datetime(2025, 1, 1, tzinfo=UTC), datetime(2025, 2, 1, tzinfo=UTC)),
    "testwiki-2025-01@later": ("revisit", datetime(2025, 1, 1, tzinfo=UTC), datetime(2025, 2, 1, tzinfo=UTC)),
}
CREATED = {
    "testwiki-old": ["2019-03-05", "2019-11-30", "2020-01-01", "2021-06-02"],
    "testwiki-2025-01": ["2025-01-03", "2025-01-30"],
    "testwiki-2025-01@later": ["2025-01-03"],
}


@pytest.fixture
def database(tmp_path: Path) -> Database:
    database = Database(tmp_path / "newwiki.duckdb")
    for name, (kind, start, end) in SPANS.items():
        window = Window(start, end)
        pages = [_judged(number, day) for number, day in enumerate(CREATED[name], start=1)]
        publish(
            database,
            name,
            SITE,
            window,
            datetime(2026, 1, 1, tzinfo=UTC),
            parameters_json(window, Selection(), kind),
            pages,
        )
    return database


def _judged(number: int, day: str) -> Judged:
    created = datetime.fromisoformat(day).replace(tzinfo=UTC)
    return Judged(
        page_id=number,
        title=f"Page {number}",
        created_at=created,
        verdict="selected",
        rev_id=number,
        revised_at=created + timedelta(hours=1),
        revisions=10,
        words=100 * number,
        first_sentence="It is.",
        completion="So it was.",
    )


def _scored(database: Database, run_id: str, snapshot_id: str, values: Any) -> Run:
    add_run(database, run_id, snapshot_id=snapshot_id)
    score(database, run_id, {"bits_per_byte": values}, direction="lower")
    return Run(
        run_id=run_id, snapshot_id=snapshot_id, model="toy", model_sha256="", backend="hf", decoder="likelihood",
        decoder_parameters="{}", prompt_template="", prompts=1, seed=None, samples=0, keep=0, max_new_tokens=None,
        dtype="float32", versions="{}",
    )  # fmt: skip


def test_old_articles_are_taken_by_year_new_ones_by_month_and_editions_not_at_all(database: Database) -> None:
    dated = database.records(DatedSnapshot, "snapshots_by_age", "testwiki")
    assert [(one.snapshot_id, one.kind) for one in dated] == [("testwiki-old", "old"), ("testwiki-2025-01", "new")]
    articles = [database.records(ArticleDate, "article_dates", one.snapshot_id) for one in dated]
    runs = [
        _scored(database, "a", "testwiki-old", [1, 2, 3, 4.0]),
        _scored(database, "b", "testwiki-2025-01", [5, 6.0]),
    ]
    control = [
        _scored(database, "c", "testwiki-old", [0, 0, 0, np.nan]),
        _scored(database, "d", "testwiki-2025-01", [1, 1.0]),
    ]
    rows = rows_by_age(database, dated, articles, runs, control, {"bits_per_byte": RULES.evaluator_id})
    year = 12 * 2019
    assert rows.first.tolist() == [year, year, year + 12, year + 24, *[month_number(datetime(2025, 1, 1))] * 2]
    assert rows.last.tolist() == [year + 11, year + 11, year + 23, year + 29, *[month_number(datetime(2025, 1, 1))] * 2]
    assert rows.words.tolist() == [100, 200, 300, 400, 100, 200]
    np.testing.assert_array_equal(rows.values, [[1, 2, 3, 4, 5, 6]])
    assert rows.control is not None
    np.testing.assert_array_equal(rows.control, [[0, 0, 0, np.nan, 1, 1]])
