"""The same command each month: names of runs stand for the runs on the newest snapshot, also in the recipe for CI."""

import re
import shlex

import pytest
import yaml

from newwiki.decoding.grammar import parse
from newwiki.snapshot import Judged, Window
from storage import run_changes
from storage.database import Database
from tests.docs.blocks import blocks
from tests.flows.conftest import Run
from tests.flows.scored import add_scored_runs
from tests.storage.conftest import publish_pages

MONTHS = ("2026-10", "2026-11", "2026-12")
[DECODER] = [decoder.canonical for decoder in parse("sample:top_p=0.9")]
BASE = [[0.40], [0.50], [0.60], [0.70]] * 4
WORSE = [[0.35], [0.46], [0.53], [0.65]] * 4


def publish(database: Database, month: str, **sbert_new: list[list[float]]) -> None:
    """A month of articles, on which these models have runs; `mine` is the checkpoint of the recipe."""
    window = Window.month(month)
    page = Judged(
        page_id=1, title="Lumen", created_at=window.start, verdict="selected", rev_id=1001, revised_at=window.start,
        revisions=10, words=500,
        first_sentence="The Lumen is long.", completion="It is a river.",
    )  # fmt: skip
    publish_pages(database, page, name=f"enwiki-{month}", wiki="enwiki", window=window)
    models = {"gpt2": "gpt2", "mine": "path/to/checkpoint"}
    add_scored_runs(
        database,
        {f"{model}-{month}": {"sbert_new": numbers, "bits_per_byte": BASE} for model, numbers in sbert_new.items()},
        about={
            f"{model}-{month}": {"model": models[model], "decoder": DECODER, "snapshot_id": f"enwiki-{month}"}
            for model in sbert_new
        },
    )


def recipe() -> list[str]:
    """The words of the gate in the workflow of docs/ci.md, after `newwiki`."""
    [workflow] = [block.text for block in blocks("docs/ci.md") if block.language == "yaml"]
    steps = [step.get("run", "") for step in yaml.safe_load(workflow)["jobs"]["evaluate"]["steps"]]
    [gate] = [step for step in steps if "--fail-if" in step]
    return shlex.split(gate)[1:]


@pytest.fixture
def months(stored: Database) -> Database:
    """Three months, in the last of which the checkpoint has become worse."""
    for month in MONTHS[:2]:
        publish(stored, month, gpt2=BASE, mine=BASE)
    publish(stored, MONTHS[2], gpt2=BASE, mine=WORSE)
    return stored


def test_the_recipe_of_the_docs_works_three_months_in_a_row(in_process: Run, stored: Database) -> None:
    found = []
    for month, numbers in zip(MONTHS, (BASE, BASE, WORSE), strict=True):
        publish(stored, month, gpt2=BASE, mine=numbers)
        ended = in_process(*recipe(), "--db", stored.path)
        found.append((ended.returncode, *re.findall(r"\((\S+-2026-\d\d)\)", ended.stdout)))
    assert found == [
        (0, "mine-2026-10", "gpt2-2026-10"),
        (0, "mine-2026-11", "gpt2-2026-11"),
        (1, "mine-2026-12", "gpt2-2026-12"),
    ]


def test_the_recipe_fails_where_the_newest_snapshot_lacks_a_run(in_process: Run, stored: Database) -> None:
    """And never compares last month's checkpoint instead."""
    publish(stored, MONTHS[0], gpt2=BASE, mine=BASE)
    publish(stored, MONTHS[1], mine=WORSE)
    ended = in_process(*recipe(), "--db", stored.path)
    assert ended.returncode == 2
    assert ended.stderr == (
        "newwiki: 'gpt2/sample:top_p=0.9' is no run on enwiki-2026-11, but on enwiki-2026-10: name one of these with "
        "--snapshot\n"
    )


def test_the_gate_is_the_comparison_with_bounds(in_process: Run, months: Database) -> None:
    new = in_process(*recipe(), "--db", months.path)
    [_, baseline, candidate, *rest] = recipe()
    old = in_process("gate", "--baseline", baseline, "--candidate", candidate, *rest, "--db", months.path)
    assert (old.returncode, old.stdout, old.stderr) == (new.returncode, new.stdout, new.stderr)
    assert old.returncode == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            ("gpt2", "mine", "mine", "--fail-if", "sbert < 0"),
            "--fail-if compares two runs, baseline and candidate, and 3",
        ),
        (("gpt2", "mine", "--fail-if", "worse", "--by", "length"), "--fail-if and --by exclude each other"),
        (("gpt2", "mine", "--summary", "out.md"), "--summary needs --fail-if"),
    ],
)
def test_options_that_exclude_each_other(
    in_process: Run, stored: Database, arguments: tuple[str, ...], words: str
) -> None:
    ended = in_process("compare", *arguments, "--db", stored.path)
    assert (ended.returncode, words in ended.stderr) == (2, True), ended.stderr


def test_a_note_says_on_which_snapshot_the_runs_are(in_process: Run, months: Database) -> None:
    ended = in_process("compare", "gpt2/sample:top_p=0.9", "checkpoint/sample:top_p=0.9", "--db", months.path)
    assert "gpt2-2026-12" in ended.stdout
    assert (
        "runs on enwiki-2026-12, the newest snapshot that has all of the named runs; --snapshot names" in ended.stderr
    )


def test_list_runs_filters(in_process: Run, months: Database) -> None:
    run_changes.hide(months, ["gpt2-2026-10"])

    def listed(*filters: str) -> list[str]:
        ended = in_process("list", "runs", *filters, "--format", "csv", "--db", months.path)
        return [line.partition(",")[0] for line in ended.stdout.splitlines()[1:]]

    assert listed("--model", "checkpoint") == [f"mine-{month}" for month in MONTHS]
    assert listed("--snapshot", "latest") == ["gpt2-2026-12", "mine-2026-12"]
    assert listed("gpt2/sample:top_p=0.9") == ["gpt2-2026-11", "gpt2-2026-12"]
    assert listed("--decoder", "greedy") == [] and len(listed("--decoder", "sample")) == 5
    assert listed("--prompts", "2") == [] and len(listed("--prompts", "3")) == 5
    assert listed("--hidden") == ["gpt2-2026-10"]
    assert listed("--since", "2030-01-01") == []


def test_runs_are_hidden_renamed_and_deleted_by_name(
    in_process: Run, months: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("click.confirm", lambda question, err: False)

    def runs(*arguments: str) -> tuple[int, str]:
        ended = in_process("runs", *arguments, "--db", months.path)
        return ended.returncode, ended.stderr

    status, told = runs("delete", "gpt2/sample:top_p=0.9", "--yes")
    assert status == 2 and "or its snapshot with --snapshot" in told, "a name of three months deletes none of them"
    september = ("gpt2/sample:top_p=0.9", "--snapshot", "enwiki-2026-11")
    assert runs("rename", september[0], "base", *september[1:]) == (
        0,
        "the model is now base: gpt2-2026-11 (gpt2/sample:top_p=0.9 on enwiki-2026-11)\n",
    )
    assert runs("hide", "base/sample:top_p=0.9")[0] == 0
    status, told = runs("delete", "gpt2-2026-11")
    assert status == 2 and "nothing is deleted: answer y, or add --yes" in told
    assert runs("delete", "gpt2-2026-11", "--yes") == (
        0,
        "deleted: gpt2-2026-11 (base/sample:top_p=0.9 on enwiki-2026-11)\n",
    )
    assert "there is no run" in runs("show", "gpt2-2026-11")[1]


def test_a_hidden_run_is_on_no_page(months: Database) -> None:
    """Whatever a site, a report, `newwiki browse` and the leaderboard ask for."""
    run_changes.hide(months, ["gpt2-2026-12"])
    snapshot = "enwiki-2026-12"
    asked: dict[str, list[object]] = {
        "site_runs": [], "report_runs": [snapshot], "browse_runs": [snapshot], "board_rows": [snapshot],
        "linkable_runs": [[snapshot]],
    }  # fmt: skip
    shown = {name: str(months.rows(name, *parameters)) for name, parameters in asked.items()}
    assert {name: "gpt2-2026-12" in rows for name, rows in shown.items()} == dict.fromkeys(asked, False)
    assert all("mine-2026-12" in rows for rows in shown.values())
    [(_, *_, runs)] = [row for row in months.rows("browse_snapshots") if row[0] == snapshot]
    assert runs == 1
    with months.read() as connection:
        for view in ("leaderboard", "leaderboard_by_stratum", "leaderboard_after_cutoff"):
            rows = connection.execute(f"select run_id from {view}").fetchall()  # noqa: S608 (our own names)
            assert ("gpt2-2026-12",) not in rows, view
