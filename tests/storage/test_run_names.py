"""The names of runs: `gpt2/greedy` is the run on the newest snapshot that all named runs have in common."""

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from newwiki.errors import UsageError
from storage.run_names import Contender, find, told_apart

MONTHS = ("enwiki-2026-08", "enwiki-2026-09", "enwiki-2026-10")


def run(run_id: str, words: str = "gpt2/greedy", month: str = MONTHS[0], **changes: Any) -> Contender:
    model, decoder = words.rsplit("/", 1)
    end = datetime(int(month[-7:-3]), int(month[-2:]), 28, tzinfo=UTC)
    settings = {"prompts": 100, "samples": 20, **changes.pop("settings", {})}
    return Contender(
        run_id=run_id, model=model, decoder=decoder, snapshot_id=month, seed=0, settings_json=json.dumps(settings),
        wiki=month[:-8], window_end=end, published_at=end, started_at=end, **changes,
    )  # fmt: skip


A_NAME_A_MONTH = [
    *(run(f"a{place}", "gpt2/greedy", month) for place, month in enumerate(MONTHS)),
    *(run(f"b{place}", "mine/greedy", month) for place, month in enumerate(MONTHS[:2])),
]


def found(*names: str, known: list[Contender] = A_NAME_A_MONTH, **asked: Any) -> tuple[list[str], list[str]]:
    """The ids of the runs, and the notes."""
    notes: list[str] = []
    return [run.run_id for run in find(names, known, notes.append, **asked)], notes


def test_one_name_is_the_run_on_its_newest_snapshot_and_a_note_says_so() -> None:
    assert found("gpt2/greedy") == (
        ["a2"],
        [
            "runs on enwiki-2026-10, the newest snapshot that has all of the named runs; --snapshot names another one: "
            "enwiki-2026-09, enwiki-2026-08"
        ],
    )


def test_several_names_are_runs_on_the_newest_snapshot_in_common() -> None:
    assert found("gpt2/greedy", "mine/greedy")[0] == ["a1", "b1"]


def test_an_id_decides_the_snapshot_of_the_other_names() -> None:
    assert found("a0", "mine/greedy")[0] == ["a0", "b0"]


def test_names_that_match_one_run_each_need_no_snapshot_in_common() -> None:
    assert found("a2", "b0") == (["a2", "b0"], [])


def test_a_snapshot_decides() -> None:
    assert found("gpt2/greedy", "mine/greedy", snapshot=MONTHS[0]) == (["a0", "b0"], [])
    with pytest.raises(UsageError, match="'mine/greedy' is no run on enwiki-2026-10, but on enwiki-2026-08, enwiki-20"):
        found("mine/greedy", snapshot=MONTHS[2])


def test_a_run_that_is_not_complete_steps_back_behind_complete_ones() -> None:
    known = [run("a0"), run("a1", month=MONTHS[1], status="interrupted")]
    assert found("gpt2/greedy", known=known)[0] == ["a0"]
    assert found("a1", known=known)[0] == ["a1"]


def test_months_of_two_wikis_are_no_sequence() -> None:
    with pytest.raises(UsageError) as refused:
        found("gpt2/greedy", known=[run("a0", month=MONTHS[0]), run("c0", month="dewiki-2026-09")])
    assert str(refused.value) == (
        "'gpt2/greedy' may be any of these: a0 (snapshot enwiki-2026-08), c0 (snapshot dewiki-2026-09); give the id of "
        "one, or its snapshot with --snapshot"
    )


def test_what_remains_is_told_apart_by_what_differs() -> None:
    known = [
        run("a0", month=MONTHS[0]),
        run("a1", month=MONTHS[1]),
        run("a2", month=MONTHS[1], settings={"prompts": 2000}),
    ]
    with pytest.raises(UsageError) as refused:
        found("gpt2/greedy", known=known)
    assert str(refused.value) == (
        "'gpt2/greedy' may be any of these: a1 (prompts 100), a2 (prompts 2000); give the id of one"
    )


def test_runs_that_differ_in_nothing_else_are_told_apart_by_their_time() -> None:
    later = run("a1", month="enwiki-2026-10")
    same = Contender(**{**vars(later), "snapshot_id": MONTHS[0]})
    assert told_apart([run("a0"), same]) == "a0 (started 2026-08-28 00:00), a1 (started 2026-10-28 00:00)"


def test_without_newest_a_name_of_several_months_is_refused() -> None:
    """`newwiki runs delete gpt2/greedy` deletes no month that was not named."""
    with pytest.raises(UsageError, match=r"a0 \(snapshot enwiki-2026-08\), a1 \(.*\), a2 \(.*, or its snapshot with"):
        found("gpt2/greedy", newest=False)


def test_a_hidden_run_goes_by_its_id_only() -> None:
    known = [run("a0"), run("a1", month=MONTHS[1], hidden=True), run("b1", "mine/greedy", hidden=True)]
    assert found("gpt2/greedy", known=known) == (["a0"], [])
    assert found("a1", known=known)[0] == ["a1"]
    with pytest.raises(UsageError, match=r"'mine/greedy' is hidden: name it by its id \(b1\), or `newwiki runs show"):
        found("mine/greedy", known=known)
