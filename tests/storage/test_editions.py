"""Editions in the database: what became of articles, and the numbers of runs beside both, in SQL."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest

from evaluators.statistics import differences_estimate
from newwiki.errors import TerminalError, UsageError
from newwiki.records import Score
from newwiki.snapshot import Judged, Site, Snapshot, Window
from storage import editions, runs
from storage.database import Database
from storage.editions import CameTrueText, CameTrueThing
from storage.snapshots import earlier, find, publish, resolve, verify
from tests.storage.conftest import Filled, undone
from tests.storage.machines import BLEU, METRICS, texts, write

FIRST, LATER = "testwiki-2026-09", "testwiki-2026-09@2026-12-01"
CUTOFF = datetime(2026, 12, 1, tzinfo=UTC)
PAGES = 16


@pytest.fixture
def revisited(
    database: Database, published: Callable[..., Snapshot], selected: Callable[..., Judged], filled: Filled
) -> Database:
    """Sixteen articles, of which fourteen are in the later edition, ten of them changed."""
    return filled("revisited", database, lambda: revisit(database, published, selected))


def revisit(database: Database, published: Callable[..., Snapshot], selected: Callable[..., Judged]) -> None:
    first = published(*(selected(page) for page in range(1, PAGES + 1)))
    later = [
        *(selected(page) for page in range(1, 5)),
        *(selected(page, rev_id=2000 + page, completion="It is a sea.") for page in range(5, 15)),
        selected(15, verdict="redirect", first_sentence=None, completion=None),
        selected(16, verdict="missing", rev_id=None, revised_at=None, words=None, revisions=None),
    ]
    site = Site("testwiki", "en", "https://wiki.example/wiki/Main_Page")
    window = Window(first.window_start, first.window_end)
    publish(database, LATER, site, window, CUTOFF, editions.parameters_json(first), later)


def test_an_editions_name_says_its_cutoff(
    database: Database, published: Callable[..., Snapshot], selected: Any
) -> None:
    first = published(selected(1))
    assert editions.edition_id(first, CUTOFF) == LATER
    assert editions.edition_id(first, CUTOFF.replace(hour=5)) == f"{LATER}T050000Z"


def test_an_edition_counts_what_became_of_the_articles(revisited: Database) -> None:
    [one] = revisited.records(dict[str, Any], "edition_one", LATER)
    counts = ("articles", "unchanged", "changed", "lost")
    assert (one["snapshot_id"], *(one[name] for name in counts)) == (FIRST, 16, 4, 10, 2)
    outcomes = [(outcome, articles) for outcome, articles, *_ in revisited.rows("edition_outcomes", LATER)]
    assert outcomes == [("unchanged", 4), ("changed", 10), ("missing", 1), ("redirect", 1)]
    assert editions.changed_pages(revisited, LATER) == list(range(5, 15))
    assert editions.editions_of(revisited, FIRST) == [LATER]
    assert verify(revisited, LATER) == verify(revisited, FIRST) == []


def test_an_edition_is_no_new_snapshot(revisited: Database) -> None:
    """`latest` is the month itself, and what is new in a later month is not asked of an edition."""
    assert resolve(revisited, "latest").snapshot_id == FIRST
    assert earlier(revisited, "testwiki", CUTOFF) == [FIRST]
    assert revisited.rows("newest_of_each_wiki") == [(FIRST,)]
    assert revisited.rows("report_counterparts", FIRST) == revisited.rows("report_counterparts", LATER) == []
    edition = find(revisited, LATER)
    assert edition
    with pytest.raises(UsageError, match=f"{LATER} is a later edition itself; revisit {FIRST}"):
        editions.require_first(edition)


def test_an_edition_that_is_there_is_never_published_again(revisited: Database, selected: Any) -> None:
    first = resolve(revisited, FIRST)
    site = Site("testwiki", "en", "https://wiki.example/wiki/Main_Page")
    window = Window(first.window_start, first.window_end)
    with pytest.raises(TerminalError, match="a published snapshot never changes"):
        publish(revisited, LATER, site, window, CUTOFF, editions.parameters_json(first), [selected(1)])


def test_a_runs_difference_has_the_interval_of_its_prompts(revisited: Database, run_of: Callable[..., Any]) -> None:
    """As `evaluators.statistics` has it: skewed differences of fourteen prompts, of which one text lacks a number."""
    before, draw, by = written(revisited, run_of), np.random.default_rng(3), BLEU.evaluator_id
    editions.copy_unchanged(revisited, LATER, "run-a", [by])
    later = {key: before[key] + draw.exponential(0.2) for key in sorted(before) if key[0] in range(5, 15)}
    rows = [Score(*key, "bleu", value, "ok", by) for key, value in later.items()]
    rows[3] = Score(rows[3].page_id, rows[3].sample, "bleu", None, "no words", by)
    lacking = (rows[3].page_id, rows[3].sample)
    editions.add(revisited, LATER, "run-a", rows, [], [])
    editions.add(revisited, LATER, "run-a", rows, [], [])
    assert revisited.rows("edition_differences", LATER) == []
    editions.finish(revisited, LATER, "run-a", [by])
    [found] = revisited.records(dict[str, Any], "edition_differences", LATER)
    assert [found[name] for name in ("prompts", "changed", "texts", "unscored")] == [
        14,
        10,
        23,
        1,
    ]
    means = [
        np.mean([later.get((page, s), before[page, s]) - before[page, s] for s in (0, 1) if (page, s) != lacking])
        for page in range(1, 15)
    ]
    wanted = differences_estimate(np.array(means)[:, None])
    assert found["difference"] == pytest.approx(wanted.mean[0])
    assert (found["low"], found["high"]) == pytest.approx((wanted.low[0], wanted.high[0]), rel=1e-6)


def test_a_metric_that_no_text_has_is_told_too(revisited: Database, run_of: Callable[..., Any]) -> None:
    written(revisited, run_of)
    rows = [Score(5, sample, "bleu", None, "no words", BLEU.evaluator_id) for sample in (0, 1)]
    editions.add(revisited, LATER, "run-a", rows, [], [])
    editions.finish(revisited, LATER, "run-a", [BLEU.evaluator_id])
    [found] = revisited.records(dict[str, Any], "edition_differences", LATER)
    assert [found[name] for name in ("prompts", "texts", "unscored", "difference")] == [0, 0, 2, None]


def test_what_came_true_has_an_interval_by_prompt(revisited: Database, run_of: Callable[..., Any]) -> None:
    keys = sorted(written(revisited, run_of))
    by, draw = BLEU.evaluator_id, np.random.default_rng(5)
    judged = [key for key in keys if key[0] in range(1, 15)]
    counts = {key: (int(draw.poisson(0.7)), float(draw.random())) for key in judged}
    told = [CameTrueText(*key, by, "entity", 3, *counts[key], "ok") for key in judged]
    unread = [CameTrueText(*key, by, "infobox", None, None, None, "no structure") for key in judged]
    editions.add(revisited, LATER, "run-a", [], told + unread, [])
    editions.finish(revisited, LATER, "run-a", [by])
    entity, infobox = revisited.records(dict[str, Any], "came_true_by_run", LATER)
    assert (entity["texts"], entity["prompts"], entity["came_true"]) == (
        28,
        14,
        sum(true for true, _ in counts.values()),
    )
    assert entity["chance"] == pytest.approx(sum(chance for _, chance in counts.values()))
    excess = [np.mean([np.subtract(*counts[page, sample]) for sample in (0, 1)]) for page in range(1, 15)]
    wanted = differences_estimate(np.array(excess)[:, None])
    assert (entity["excess"], entity["low"], entity["high"]) == pytest.approx(
        (wanted.mean[0], wanted.low[0], wanted.high[0]), rel=1e-6
    )
    assert (infobox["texts"], infobox["came_true"], infobox["unknown"]) == (0, None, 28)
    assert infobox["unknown_because"] == "no structure"


def written(database: Database, run_of: Callable[..., Any]) -> dict[tuple[int, int], float]:
    """A run with two scored texts of each article; gives the numbers."""
    write(database, run_of("run-a", prompts=PAGES), texts(PAGES))
    numbers = {(page, sample): page + sample / 2 for page in range(1, PAGES + 1) for sample in (0, 1)}
    runs.register(database, [BLEU], METRICS)
    runs.add_scores(
        database, "run-a", [Score(*key, "bleu", one, "ok", BLEU.evaluator_id) for key, one in numbers.items()]
    )
    runs.finish_scoring(database, "run-a", {BLEU.evaluator_id})
    return numbers


@pytest.mark.parametrize(
    ("planted", "found"),
    [
        ("update edition_scores set edition = 'x'", "edition scores without an edition, a run or …"),
        ("update edition_scorings set run_id = 'x'", "finished edition scorings without an edition, a run or …"),
        ("update came_true_texts set evaluator_id = 'x'", "texts that were judged without an edition, a run or …"),
        ("update came_true set sample = 9", "things that came true without their text"),
    ],
)
def test_the_doctor_names_what_belongs_to_nothing(
    revisited: Database, run_of: Callable[..., Any], filled: Filled, planted: str, found: str
) -> None:
    by = BLEU.evaluator_id
    text, thing = CameTrueText(5, 0, by, "entity", 1, 1, 0.0, "ok"), CameTrueThing(5, 0, by, "entity", "oslo")

    def fill() -> None:
        written(revisited, run_of)
        editions.add(revisited, LATER, "run-a", [Score(5, 0, "bleu", 1.0, "ok", by)], [text], [thing])
        editions.finish(revisited, LATER, "run-a", [by])

    filled("revisited and scored", revisited, fill)
    before = [row for row in revisited.rows("integrity") if row[1]]
    with undone(revisited, planted):
        told = [row for row in revisited.rows("integrity") if row not in before and row[1]]
    assert (found.replace("…", "an evaluator"), 1) in told
