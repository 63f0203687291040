"""Pairs for an annotation service and back: blinded, and nothing of a bad file is stored."""

import csv
import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import newwiki
from flows.commands.judge import judge
from flows.judging.annotation_files import export_pairs, import_answers
from flows.judging.findings import find
from flows.judging.pairing import Pairing, pair_up
from newwiki.errors import UsageError
from newwiki.judge_request import PairsRequest
from newwiki.judging.blinding import exported_by_earlier_version
from storage import judgements
from storage.database import Database
from tests.flows.judging.conftest import BETTER, GREEDY, MODEL, NUCLEUS, PAGES

Rows = list[dict[str, Any]]
Change = Callable[[Rows], object]


def read(path: Path) -> Rows:
    if path.suffix == ".jsonl":
        return [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def write(path: Path, rows: Rows) -> Path:
    if path.suffix == ".jsonl":
        path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    else:
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)
    return path


def annotated(rows: Rows, annotator: str) -> Rows:
    """By somebody who reads the texts."""
    said = [{"coherence": 1 if row["text_1"].startswith(BETTER) else 2, "fluency": 0} for row in rows]
    return [row | one | {"annotator": annotator} for row, one in zip(rows, said, strict=True)]


@pytest.mark.parametrize("name", ["pairs.csv", "pairs.jsonl"])
def test_what_goes_out_comes_back_with_the_run_that_is_better(
    database: Database, pairing: Pairing, tmp_path: Path, name: str
) -> None:
    assert export_pairs(database, pairing, "batch 1", tmp_path / name) == PAGES
    rows = read(tmp_path / name)
    answers = write(tmp_path / f"answers-{name}", [*annotated(rows, "w1"), *annotated(rows[:20], "w2")])
    taken = import_answers(database, pairing, "batch 1", answers)
    assert (taken.answers, taken.people, taken.empty) == (2 * PAGES + 40, 2, 2 * PAGES + 40)
    stored = judgements.every(database, *pairing.ids)
    assert {one.judge for one in stored} == {"batch 1/w1", "batch 1/w2"}
    found = {row.criterion: row for row in find(database, pairing).preferences if row.kind == "people"}
    assert (found["coherence"].a_better, found["coherence"].b_better) == (96, 32)
    assert found["fluency"].same == PAGES
    assert set(found) == {"coherence", "fluency"}


@pytest.mark.parametrize("name", ["pairs.csv", "pairs.jsonl"])
def test_no_exported_file_says_whose_a_text_is(database: Database, pairing: Pairing, tmp_path: Path, name: str) -> None:
    export_pairs(database, pairing, "batch 1", tmp_path / name)
    text = (tmp_path / name).read_text("utf-8")
    for told in (GREEDY, NUCLEUS, MODEL, "secret", "greedy", "top_p", "sample"):
        assert told not in text
    left = sum(row["text_1"].startswith(BETTER) for row in read(tmp_path / name))
    assert 40 < left < 88


def test_two_batches_have_other_names_and_other_orders(database: Database, pairing: Pairing, tmp_path: Path) -> None:
    for batch in ("one", "two"):
        export_pairs(database, pairing, batch, tmp_path / f"{batch}.csv")
    one, two = read(tmp_path / "one.csv"), read(tmp_path / "two.csv")
    assert not {row["pair"] for row in one} & {row["pair"] for row in two}
    assert [row["title"] for row in one] == [row["title"] for row in two]
    assert [row["text_1"] for row in one] != [row["text_1"] for row in two]


@pytest.fixture(scope="module")
def begun(two_runs: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Database, Pairing, Rows]:
    """A database that has exported a batch, with its pairs. It refuses every file, so that tests share it."""
    folder = tmp_path_factory.mktemp("begun")
    database = Database(shutil.copy(two_runs, folder / "newwiki.duckdb"))
    pairing = pair_up(database, PairsRequest(run_a=GREEDY, run_b=NUCLEUS))
    export_pairs(database, pairing, "batch 1", folder / "pairs.csv")
    return database, pairing, read(folder / "pairs.csv")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda rows: rows[2].update(coherence="left"), "line 4: coherence is 'left'; write 1 where the first"),
        (lambda rows: rows[2].update(pair="0123"), "line 4: '0123' is no pair of these runs in the batch"),
        (lambda rows: [row.pop("pair") for row in rows], "line 2 has no 'pair'"),
        (lambda rows: [row.pop("coherence") for row in rows], "line 2 answers none of coherence, fluency"),
        (
            lambda rows: rows.append(rows[0] | {"coherence": 0}),
            f"line {PAGES + 2}: batch 1 has answered coherence of [0-9a-f]+ otherwise on a line before",
        ),
        (lambda rows: [row.update(coherence="") for row in rows], "holds no answer; fill in coherence"),
        (lambda rows: rows[2].update(annotator="w\x1b[2J"), "is not a valid judge name"),
    ],
)
@pytest.mark.parametrize("name", ["bad.csv", "bad.jsonl"])
def test_a_file_with_a_bad_line_is_refused_with_the_line_and_nothing_of_it_is_stored(
    begun: tuple[Database, Pairing, Rows], tmp_path: Path, name: str, change: Change, said: str
) -> None:
    database, pairing, exported = begun
    rows = [{key: row[key] for key in ("pair", "annotator")} | {"coherence": "1"} for row in exported]
    change(rows)
    if name.endswith("jsonl") and said.startswith("line"):
        number = int(said.split()[1].rstrip(":"))
        said = said.replace(f"line {number}", f"line {number - 1}", 1)  # it has no heads
    with pytest.raises(UsageError, match=said):
        import_answers(database, pairing, "batch 1", write(tmp_path / name, rows))
    assert judgements.every(database, *pairing.ids) == []


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("bad.jsonl", b"{", "line 1 is no JSON"),
        ("bad.jsonl", b"[1]", "line 1 is no JSON object"),
        ("bad.jsonl", b'{"pair": "1", "pair": "2"}', "the key 'pair' is there twice"),
        ("bad.csv", b"pair,coherence\n1", "line 2: the row has 1 fields, and the first line has 2"),
        ("bad.csv", b'pair,coherence\n"1', "line 2: unexpected end of data"),
        ("bad.csv", b"\xff\xfe", "is not UTF-8 .byte 0xff., but perhaps UTF-16"),
        ("bad.csv", b"pair;coherence\n1;1\n", "the columns are separated by semicolons"),
        ("bad.csv", b"pair,coherence,coherence\n1,1,2\n", "there are two columns 'coherence'"),
    ],
)
def test_a_file_that_is_none_is_refused(
    begun: tuple[Database, Pairing, Rows], tmp_path: Path, name: str, text: bytes, said: str
) -> None:
    database, pairing, _ = begun
    (tmp_path / name).write_bytes(text)
    with pytest.raises(UsageError, match=said):
        import_answers(database, pairing, "batch 1", tmp_path / name)


def test_file_is_read_only_by_the_database_that_exported_it(
    database: Database, pairing: Pairing, tmp_path: Path
) -> None:
    other = Database(shutil.copy(database.path, tmp_path / "other.duckdb"))
    export_pairs(database, pairing, "batch 1", tmp_path / "pairs.csv")
    answers = write(tmp_path / "answers.csv", annotated(read(tmp_path / "pairs.csv"), ""))
    with pytest.raises(UsageError, match=r"which has exported no pairs .* import the file there"):
        import_answers(other, pairing, "batch 1", answers)
    export_pairs(other, pairing, "batch 1", tmp_path / "others.csv")
    with pytest.raises(UsageError, match="import the file into the database that exported it"):
        import_answers(other, pairing, "batch 1", answers)
    assert import_answers(Database(database.path), pairing, "batch 1", answers).answers == 2 * PAGES


def test_file_of_an_earlier_version_is_refused_as_not_blind(
    database: Database, pairing: Pairing, tmp_path: Path
) -> None:
    export_pairs(database, pairing, "batch 1", tmp_path / "pairs.csv")
    rows = [{"pair": exported_by_earlier_version(pairing.pairs[0], "batch 1"), "coherence": "1"}]
    with pytest.raises(UsageError, match=r"line 2: .* was exported by an earlier version.*; export the pairs again"):
        import_answers(database, pairing, "batch 1", write(tmp_path / "old.csv", rows))


def test_texts_that_look_like_formulas_are_neutralized_in_csv_alone(
    database: Database, pairing: Pairing, tmp_path: Path
) -> None:
    title = "=HYPERLINK(1)"
    some = replace(pairing, pairs=[replace(pairing.pairs[0], title=title, text_a="-a", text_b="'@b")])
    for name in ("pairs.csv", "pairs.jsonl"):
        export_pairs(database, some, "batch 1", tmp_path / name)
    [of_people], [of_programs] = read(tmp_path / "pairs.csv"), read(tmp_path / "pairs.jsonl")
    assert (of_people["title"], {of_people["text_1"], of_people["text_2"]}) == (f"'{title}", {"'-a", "''@b"})
    assert (of_programs["title"], {of_programs["text_1"], of_programs["text_2"]}) == (title, {"-a", "'@b"})


def test_a_batch_of_another_name_has_no_key_to_the_file(database: Database, pairing: Pairing, tmp_path: Path) -> None:
    export_pairs(database, pairing, "batch 1", tmp_path / "pairs.csv")
    answers = write(tmp_path / "answers.csv", annotated(read(tmp_path / "pairs.csv"), ""))
    with pytest.raises(UsageError, match="in the batch 'batch 2' of this database; name the runs"):
        import_answers(database, pairing, "batch 2", answers)


def test_the_api_exports_and_imports_too(database: Database, tmp_path: Path) -> None:
    asked: dict[str, Any] = {"batch": "batch 1", "db": database.path, "quiet": True}
    out = tmp_path / "pairs.csv"
    assert newwiki.export_pairs(GREEDY, NUCLEUS, pairs=5, out=out, **asked) == 5
    answers = write(tmp_path / "answers.csv", annotated(read(out), ""))
    assert newwiki.import_answers(GREEDY, NUCLEUS, answers=answers, **asked) == 10
    assert set(newwiki.judge(GREEDY, NUCLEUS, db=database.path, quiet=True)["pairs"].to_pylist()) == {5}


def test_the_command_exports_and_imports(database: Database, tmp_path: Path) -> None:
    asked = [GREEDY, NUCLEUS, "--judge", "batch 1", "--pairs", "5", "--db", str(database.path)]
    out = tmp_path / "pairs.jsonl"
    exported = CliRunner().invoke(judge, [*asked, "--export", str(out)])
    assert (exported.exit_code, exported.stdout) == (0, f"{out}\n"), exported.output
    answers = write(tmp_path / "answers.jsonl", annotated(read(out), "w1"))
    imported = CliRunner().invoke(judge, [*asked, "--import", str(answers)])
    assert (imported.exit_code, imported.stdout) == (0, "10 answers by 1 judge stored; 10 places are empty\n")


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (["--export", "pairs.csv"], "--export and --import need --judge NAME"),
        (["--judge", "Ada", "--model", "gpt2"], "--judge and --model exclude each other"),
        (["--judge", "Ada", "--out", "answer.html"], "leave out --judge"),
        (["--judge", "Ada", "--export", "a.csv", "--import", "b.csv"], "give one of them"),
    ],
)
def test_one_thing_at_a_time_is_asked_of_the_command(database: Database, asked: list[str], said: str) -> None:
    ended = CliRunner().invoke(judge, [GREEDY, NUCLEUS, *asked, "--db", str(database.path)])
    assert isinstance(ended.exception, UsageError)
    assert said in str(ended.exception)
