"""Runs on two wikis: paired by the item of Wikidata that is new in both, by numbers that mean the same in both."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from flows.comparing.differences import compare, compare_all
from flows.comparing.ranked import leaderboard
from newwiki.comparison_requests import ComparisonRequest, LeaderboardRequest
from newwiki.errors import TerminalError, UsageError
from newwiki.records import Fingerprint
from newwiki.snapshot import Judged, Selection, Site, Topic, Window
from storage import topics
from storage.database import Database
from storage.snapshots import parameters_json, publish
from tests.flows.scored import add_scored_runs, pair

ENGLISH, GERMAN = "enwiki-2026-09", "dewiki-2026-09"
ARTICLES = 20
SHARED = 15  # of the English articles 1 to 20 those from 3 to 17, under the German numbers 18 to 4
A, GAINED = np.linspace(0.2, 0.6, ARTICLES), np.where(np.arange(ARTICLES) % 2, 0.05, 0.15)


def add_wiki(
    database: Database, name: str, language: str, items: Sequence[str | None] | None, *, kind: str = "new"
) -> None:
    """A month of a wiki with articles 1, 2, 3 … on these items; None for items is that nobody looked them up."""
    wiki, _, month = name.partition("-")
    window = Window.month(month)
    pages = [
        Judged(
            page_id=number, title=f"{wiki} {number}", created_at=window.start, verdict="selected", rev_id=number,
            revised_at=window.start, revisions=10, words=500, first_sentence=f"It is {number}.", completion="A text.",
        )
        for number in range(1, ARTICLES + 1)
    ]  # fmt: skip
    site = Site(wiki, language, f"https://{wiki}.example/wiki/Main_Page", "CC BY-SA", "https://cc.example")
    publish(database, name, site, window, datetime(2026, 12, 1, tzinfo=UTC),
            parameters_json(window, Selection(), kind), pages)  # fmt: skip
    if items is not None:
        topics.store(database, name, [Topic(number, item, (), None) for number, item in enumerate(items, start=1)])


@pytest.fixture(scope="module")
def wikis(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The German run `b` is better than the English `a` by 0.05 and 0.15 in turn, on the same items, which are under
    other numbers in each wiki; the German articles on items of their own are all 0."""
    database = Database(tmp_path_factory.mktemp("wikis") / "newwiki.duckdb")
    shared = [f"Q{number}" if 3 <= number <= 17 else None for number in range(1, ARTICLES + 1)]
    add_wiki(database, ENGLISH, "en", shared)
    add_wiki(database, GERMAN, "de", shared[::-1])
    add_wiki(database, "simplewiki-2026-09", "en", shared)
    add_wiki(database, "enwiki-2026-10", "en", shared)
    add_wiki(database, "dewiki-2026-08", "de", None)
    add_wiki(database, "frwiki-2026-09", "fr", shared, kind="old")
    german = np.where([item is None for item in shared], 0.0, A + GAINED)[::-1]
    of_runs = {
        "a": (ENGLISH, A), "b": (GERMAN, german), "simple": ("simplewiki-2026-09", A), "later": ("enwiki-2026-10", A),
        "unknown": ("dewiki-2026-08", A), "old": ("frwiki-2026-09", A), "first": (GERMAN, german[:3]),
    }  # fmt: skip
    add_scored_runs(
        database,
        {run_id: {"sbert": numbers, "rep_4": numbers} for run_id, (_, numbers) in of_runs.items()},
        Fingerprint("evaluator-sbert", "sbert", "1", "a-model-of-both"),
        {run_id: {"snapshot_id": snapshot} for run_id, (snapshot, _) in of_runs.items()},
    )
    return database.path


@pytest.fixture
def database(wikis: Path) -> Database:
    return Database(wikis)


def refusal(database: Database, one: str, other: str, **asked: object) -> str:
    with pytest.raises((TerminalError, UsageError)) as raised:
        compare(database, *pair(database, one, other), across=("wiki",), **asked)  # type: ignore[arg-type]
    assert "\n" not in str(raised.value)
    return str(raised.value)


def test_articles_are_paired_by_their_item_whatever_their_numbers_are(database: Database) -> None:
    request = ComparisonRequest(runs=("a", "b"), across=("wiki",))
    ((_, _, (row,), notes),) = compare_all(database, request)
    assert (row.metric, row.prompts) == ("sbert", SHARED)
    assert row.mean_a == pytest.approx(A[2:17].mean())
    assert row.difference == pytest.approx(GAINED[2:17].mean())
    assert row.low is not None and row.high is not None and 0.05 < row.low < row.difference < row.high < 0.15
    assert row.verdict == "different"
    assert notes == [
        "left out, as they depend on the language (en and de): rep_4",
        "numbers mean the same in en and de as far as the model reads both: sbert by a-model-of-both",
        "paired by item of Wikidata, of which 15 of 15 items that are new in both are in both runs",
        "paired on 15 prompts of A's 3 and B's 3",
        "tests every metric with a better direction: no anchor texts of dewiki-2026-09 and enwiki-2026-09 are scored; "
        "`newwiki score --run a --run b` scores them",
    ]


def test_the_other_way_round_it_is_the_same_with_its_sign_turned(database: Database) -> None:
    ((one,), _), ((other,), _) = (
        compare(database, *pair(database, *names), across=("wiki",)) for names in ("ab", "ba")
    )
    assert (one.mean_a, one.p) == (other.mean_b, other.p)
    assert other.low is not None and other.high is not None
    assert (one.difference, one.low, one.high) == pytest.approx((-other.difference, -other.high, -other.low))


def test_wikis_of_one_language_are_compared_by_every_metric(database: Database) -> None:
    rows, notes = compare(database, *pair(database, "a", "simple"), across=("wiki",))
    assert {row.metric: row.difference for row in rows} == {"rep_4": 0, "sbert": 0}
    assert notes[0].startswith("paired by item of Wikidata, of which 15 of 15")


def test_without_a_word_runs_of_two_wikis_have_nothing_in_common(database: Database) -> None:
    """Though their articles have the same numbers."""
    with pytest.raises(
        TerminalError, match=r"have no prompt in common.* pair the articles that are new in both wikis with --across w"
    ):
        compare(database, *pair(database, "a", "b"))


def test_what_cannot_be_compared_is_refused_in_a_line_with_its_reason(database: Database) -> None:
    assert "depend on the language (en and de): rep_4; score both by" in refusal(database, "a", "b", metrics=["rep_4"])
    assert "`newwiki snapshots topics dewiki-2026-08`" in refusal(database, "a", "unknown")
    assert "no article on the same item of Wikidata that was begun in the days" in refusal(database, "later", "b")
    assert "frwiki-2026-09 is of the kind 'old'" in refusal(database, "a", "old")
    assert "15 items that are new in both enwiki and dewiki, of which 15 and 0" in refusal(database, "a", "first")
    assert "leave out --by and --after-cutoff, or --across wiki" in refusal(database, "a", "b", by="length")
    with pytest.raises(UsageError, match="runs of two wikis are not ranked"):
        leaderboard(database, LeaderboardRequest(rank="sbert", across=("wiki",)))


def test_runs_of_one_wiki_are_paired_by_page_as_ever(database: Database) -> None:
    ((row,), _) = compare(database, *pair(database, "b", "first"), ["sbert"], across=("wiki",))
    assert row.prompts == 3
