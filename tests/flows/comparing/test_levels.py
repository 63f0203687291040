"""No number from elsewhere is shown above the level that a check confirmed, and claims displace no number of ours."""

import contextlib
import io
import json
import shutil
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from flows.comparing import show_board
from flows.comparing.board import Board, board
from flows.comparing.notes import THRESHOLD
from newwiki.comparison_requests import LeaderboardRequest
from newwiki.levels import CLAIMED, HERE, LEVELS, RECOMPUTED, REPLAYED, VERIFIED
from newwiki.records import Fingerprint
from storage import summaries, verifications
from storage.database import Database, insert_new
from storage.verifications import Verification
from tests.flows.scored import RULES, SNAPSHOT, add_run, score

OURS = RULES
NEWER = Fingerprint("evaluator-9", "density", "9")  # that nobody here knows
READER = Fingerprint("evaluator-reader", "reader", "1")
REFERENCE = f"reference:{SNAPSHOT}"
RUNS = ("first", "second", "reading", "file", REFERENCE)
SCORINGS = [
    *((run_id, by.evaluator_id) for run_id in ("first", "second", "file", REFERENCE) for by in (OURS, NEWER)),
    ("reading", READER.evaluator_id),
]
READ = [(run_id, READER.evaluator_id) for run_id in ("first", "second")]
"""The runs of the model that has read: its numbers are theirs, at the same level."""
KEY, CHECKER = "SHA256:signer", "SHA256:checker"
NOW = datetime(2026, 11, 1, tzinfo=UTC)

Origins = Mapping[tuple[str, str], str]


@pytest.fixture(scope="module")
def made(published: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs, one that reads, one of a file of texts, and the articles; all but one by two evaluators."""
    stored = Database(Path(shutil.copy(published, tmp_path_factory.mktemp("levels") / "newwiki.duckdb")))
    add_run(stored, "first")
    add_run(stored, "second", decoder="sample:top_k=20", seed=7)
    add_run(stored, "reading", decoder="likelihood", samples=0, keep=0)
    add_run(stored, "file", decoder="unknown", backend="file")
    for run_id, evaluator_id in SCORINGS:
        [by] = [one for one in (OURS, NEWER, READER) if one.evaluator_id == evaluator_id]
        metric = "bits_per_byte" if by == READER else "distinct_2"
        score(stored, run_id, {metric: [0.99] * 3 if by == NEWER else [0.1, 0.2, 0.3]}, by)
    return stored.path


@pytest.fixture
def scored(made: Path, tmp_path: Path) -> Database:
    return Database(Path(shutil.copy(made, tmp_path / "newwiki.duckdb")))


def put(database: Database, origins: Origins, checks: Sequence[Verification] = ()) -> None:
    with database.write() as connection:
        enter(connection, origins, checks)
        summaries.choose_columns(connection)


def enter(connection: duckdb.DuckDBPyConnection, origins: Origins, checks: Sequence[Verification]) -> None:
    for table in ("origins", "verifications"):
        connection.execute(f"delete from {table}")  # noqa: S608
    for (run_id, evaluator_id), source in origins.items():
        signer = KEY if source == "bundle" else ""
        connection.execute("insert into origins values (?, ?, ?, ?, ?)", [run_id, evaluator_id, source, signer, NOW])
    insert_new(connection, "verifications", checks)


def check(run_id: str, evaluator_id: str = "", **changes: Any) -> Verification:
    """Of all that there is, by this installation, unless something else is said."""
    texts = [{"page_id": page, "sample": 0} for page in (1, 2, 3)]
    whole: dict[str, Any] = {
        "run_id": run_id, "evaluator_id": evaluator_id, "level": RECOMPUTED if evaluator_id else REPLAYED,
        "confirmed": 3, "checked": 3, "total": 3, "draw": None if evaluator_id else "123", "checker": HERE,
        "receipt_sha256": "", "checked_at": NOW, "texts": None if evaluator_id else texts,
    }  # fmt: skip
    return Verification(**whole | changes)


def confirmed(run_id: str, evaluator_id: str, checks: list[Verification]) -> bool:
    """Whether a check confirmed all scores, or, of a run that reads, those that it looked at."""
    return any(
        one.confirmed == one.checked > 0
        and (one.checked == one.total or (run_id == "reading" and one.level == REPLAYED))
        for one in checks
        if (one.run_id, one.evaluator_id) == (run_id, evaluator_id)
    )


def replayed(run_id: str, checks: list[Verification]) -> bool:
    of_texts = [one for one in checks if one.run_id == run_id and not one.evaluator_id]
    return any(one.confirmed and one.texts and one.level != RECOMPUTED for one in of_texts)


def highest(run_id: str, evaluator_id: str, origins: Origins, checks: list[Verification]) -> str:
    """The highest level that a number may have, said anew: the lower one of its scores' and its texts'."""
    if (run_id, evaluator_id) in origins and not confirmed(run_id, evaluator_id, checks):
        return CLAIMED
    came = (run_id, "") in origins or (run_id == REFERENCE and any(one == REFERENCE for one, _ in origins))
    if run_id == "reading" or not (came or run_id == "file"):
        return VERIFIED
    return VERIFIED if run_id != "file" and replayed(run_id, checks) else RECOMPUTED


rows = st.builds(
    lambda which, level, counts, checker, texts, number: check(
        *which, level=level, confirmed=counts[0], checked=counts[1], total=3, checker=checker,
        receipt_sha256="" if checker == HERE else str(number),
        texts=None if which[1] else [{"page_id": page, "sample": 0} for page in texts] or None,
    ),
    st.sampled_from([*SCORINGS, *((run_id, "") for run_id in RUNS)]),
    st.sampled_from([RECOMPUTED, REPLAYED, VERIFIED]),
    st.tuples(st.integers(0, 3), st.integers(0, 3)).map(sorted),
    st.sampled_from([HERE, CHECKER]),
    st.sets(st.integers(1, 3)),
    st.integers(0, 2),
)  # fmt: skip
came_from = st.dictionaries(
    st.sampled_from([*SCORINGS, *((run_id, "") for run_id in RUNS)]), st.sampled_from(["pull", "bundle", "database"])
)


def test_no_number_from_elsewhere_is_shown_above_what_was_confirmed(scored: Database) -> None:
    """In the board by one evaluator and by each, in the text table, in JSON, and in the view, which all take the levels
    of the test below."""
    runs = (("first", ""), ("reading", ""), (REFERENCE, ""))
    origins = dict.fromkeys([*runs, *SCORINGS], "bundle") | {("first", ""): "pull", ("first", "evaluator-9"): "pull"}
    del origins["second", OURS.evaluator_id]
    checks = [
        check("first", OURS.evaluator_id), check("first", checker=CHECKER), check("second", NEWER.evaluator_id),
        check("file", OURS.evaluator_id, checked=2, confirmed=2), check("file", NEWER.evaluator_id),
        check("reading", READER.evaluator_id, level=REPLAYED, checked=2, confirmed=2),
    ]  # fmt: skip
    put(scored, origins, checks)
    of_each = json.loads(_printed(scored, "json", by_evaluator=True))
    one_of_each = board(scored, prefer=()).records
    stated = set()
    for record in [*of_each, *one_of_each]:
        for name in (name.removesuffix("_scored_by") for name in record if name.endswith("_scored_by")):
            if record[name] is None:
                assert record[f"{name}_level"] is None
                continue
            stated.add(record[f"{name}_level"])
            _require_at_most(record[f"{name}_level"], record["run_id"], record[f"{name}_scored_by"], origins, checks)
    assert stated == {CLAIMED, RECOMPUTED, REPLAYED, VERIFIED}
    assert CLAIMED in _printed(scored, "table", by_evaluator=True)
    with scored.read() as connection:
        view = connection.execute("select distinct_2_level, run_id, distinct_2_scored_by, distinct_2 from leaderboard")
        for level, run_id, evaluator_id, mean in view.fetchall():
            if mean is not None:
                _require_at_most(level, run_id, evaluator_id, origins, checks)


@pytest.fixture(scope="module")
def connection(made: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect(shutil.copy(made, tmp_path_factory.mktemp("levels") / "newwiki.duckdb")) as opened:
        yield opened


@given(came_from, st.lists(rows, max_size=8))
def test_the_level_of_each_scoring_is_at_most_what_was_confirmed(
    connection: duckdb.DuckDBPyConnection, origins: Origins, checks: list[Verification]
) -> None:
    """In the view `levels`, from which the leaderboard, the comparisons, the strata and the exports take theirs."""
    connection.execute("begin")
    enter(connection, origins, checks)
    levels = connection.execute("select level, run_id, evaluator_id from levels").fetchall()
    connection.execute("rollback")
    assert {(run_id, evaluator_id) for _, run_id, evaluator_id in levels} == {*SCORINGS, *READ}
    for level, run_id, evaluator_id in levels:
        _require_at_most(level, run_id, evaluator_id, origins, checks)


def _require_at_most(level: str, run_id: str, evaluator_id: str, origins: Origins, checks: list[Verification]) -> None:
    made_by = "reading" if (run_id, evaluator_id) in READ else run_id
    order, may_be = [*LEVELS], highest(made_by, evaluator_id, origins, checks)
    assert order.index(level) <= order.index(may_be), (run_id, evaluator_id)
    assert (level == CLAIMED) == (may_be == CLAIMED), (run_id, evaluator_id)


def _printed(database: Database, form: str, **asked: Any) -> str:
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        show_board.show(database, LeaderboardRequest(**asked), form)
    return printed.getvalue()


def _means(shown: Board) -> set[float]:
    return {round(record["distinct_2"], 6) for record in shown.records if record["distinct_2"] is not None}


def test_a_claimed_evaluator_never_stands_in_the_place_of_ours(scored: Database) -> None:
    """Neither in the board, though it is newer and has scored every run, nor in the views."""
    put(scored, {})
    assert _means(board(scored)) == {0.99}
    put(scored, {(run_id, NEWER.evaluator_id): "bundle" for run_id, _ in SCORINGS})
    shown = board(scored)
    assert _means(shown) == {0.2}
    with scored.read() as connection:
        view = connection.execute("select distinct distinct_2 from leaderboard where distinct_2 is not null").fetchall()
    assert view == [(pytest.approx(0.2),)]


def test_a_claim_of_another_evaluator_is_not_shown_and_refuses_nothing(scored: Database) -> None:
    """A run from elsewhere that has the metric by an unknown evaluator alone leaves the board as it is."""
    score(scored, add_run(scored, "forged"), {"distinct_2": [0.99] * 3}, NEWER)
    put(scored, dict.fromkeys([("forged", ""), ("forged", NEWER.evaluator_id)], "bundle"))
    with scored.write() as connection:
        connection.execute("delete from scorings where evaluator_id = ? and run_id <> 'forged'", [NEWER.evaluator_id])
        summaries.choose_columns(connection)
    [forged] = [record for record in board(scored).records if record["run_id"] == "forged"]
    assert (forged["distinct_2"], forged["distinct_2_status"]) == (None, "another evaluator")


def test_a_score_of_which_a_part_was_confirmed_is_claimed(scored: Database) -> None:
    came = {("first", ""): "bundle", ("first", OURS.evaluator_id): "bundle"}
    for changes in ({"checked": 2, "confirmed": 2}, {"confirmed": 2}, {"checked": 0, "confirmed": 0, "total": 0}):
        put(scored, came, [check("first"), check("first", OURS.evaluator_id, **changes)])
        with scored.read() as connection:
            found = connection.execute(
                "select level from levels where run_id = 'first' and evaluator_id = ?", [OURS.evaluator_id]
            ).fetchall()
        assert found == [(CLAIMED,)]


def test_replayed_texts_of_several_receipts_are_counted_once(scored: Database) -> None:
    came = {("first", ""): "bundle", ("first", OURS.evaluator_id): "bundle"}
    texts = [{"page_id": page, "sample": 0} for page in (1, 2, 3)]
    drawn = [
        check("first", total=3, checker=checker, receipt_sha256=checker, draw=draw, texts=texts[part])
        for checker, draw, part in (("SHA256:a", "1", slice(0, 2)), ("SHA256:b", "2", slice(1, 2)))
    ]
    put(scored, came, [check("first", OURS.evaluator_id), *drawn])
    found = verifications.levels(scored, ["first"])["first", OURS.evaluator_id]
    assert found.words == "replayed (2 of 3 texts, 2 checkers, number 1 of SHA256:a, number 2 of SHA256:b)"
    assert "number 1 of alice" in found.named({"SHA256:a": "alice"}).words


def test_all_texts_replayed_here_are_verified_and_by_another_checker_replayed(scored: Database) -> None:
    came = {("first", ""): "bundle", ("first", OURS.evaluator_id): "bundle"}
    for checker, level in ((HERE, VERIFIED), (CHECKER, REPLAYED)):
        put(scored, came, [check("first", OURS.evaluator_id), check("first", checker=checker)])
        assert verifications.levels(scored, ["first"])["first", OURS.evaluator_id].level == level


def test_the_table_has_a_level_once_where_all_numbers_share_it(scored: Database) -> None:
    put(scored, dict.fromkeys([*SCORINGS, *((run_id, "") for run_id in RUNS)], "pull"))
    printed = _printed(scored, "table", by_evaluator=True)
    assert "all numbers: claimed" in printed
    assert "[1]" not in printed
    put(scored, {("second", evaluator_id): "pull" for evaluator_id in ("", OURS.evaluator_id, NEWER.evaluator_id)})
    assert "[1] claimed" in _printed(scored, "table", by_evaluator=True)


def test_seeds_other_than_the_default_and_several_seeds_are_named(scored: Database) -> None:
    for seed in (0, 1, 7):
        score(scored, add_run(scored, f"seed-{seed}", decoder="sample:top_p=0.9", seed=seed), {"distinct_2": [0.1] * 3})
    notes = board(scored, prefer=()).notes
    [several] = [one for one in notes if "seeds" in one]
    assert f"models/toy/sample:top_p=0.9 on {SNAPSHOT} has 3 seeds: 0, 1, 7" in several
    [other] = [one for one in notes if "default seed" in one]
    assert other == f"not under the default seed 0: models/toy/sample:top_k=20 on {SNAPSHOT} (seed 7)"


def test_texts_that_copy_their_references_are_told_by_what_was_measured_here(scored: Database) -> None:
    """A claim that they do not is no measurement."""
    by = Fingerprint("evaluator-copying", "copying", "1")
    score(scored, "first", {"copied_5grams": [0.93] * 3}, by)
    score(scored, "second", {"copied_5grams": [THRESHOLD / 2] * 3}, by)
    [note] = [one for one in board(scored, prefer=()).notes if "copies" in one]
    assert "run first of models/toy" in note
    assert "93 % of its 5-grams" in note
    put(scored, {("first", ""): "bundle", ("first", by.evaluator_id): "bundle"})
    [note] = [one for one in board(scored, prefer=()).notes if "copy" in one]
    assert note.startswith("not measured whether these runs from elsewhere copy their references: first")
