"""A bundle that is what it says passes; one that was changed is refused in one line that says what and where."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

import newwiki
from flows.cli import main
from newwiki.errors import TerminalError, UsageError
from tests.flows.bundles.conftest import NUCLEUS
from tests.flows.bundles.forging import Forged, Row

pytestmark = pytest.mark.slow

Said = Callable[..., tuple[int, str, str]]


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Said:
    """Exit status, stdout and stderr of a command."""

    def run(*arguments: object) -> tuple[int, str, str]:
        asked = [*map(str, arguments), "--db", str(tmp_path / "none.duckdb")]
        monkeypatch.setattr("sys.argv", ["newwiki", *asked])
        status = main()
        return (status, *capsys.readouterr())

    return run


def test_a_real_bundle_passes_with_twenty_completions_made_anew(
    said: Said, bundle: Path, key: Path, toy_checkpoint: Path
) -> None:
    asked = ("check", bundle, "--spot", 20, "--model", toy_checkpoint, "--key", f"{key}.pub", "--format", "json")
    status, table, told = said(*asked, "--number", 5)
    assert status == 0, told
    lines = {line["what"]: line for line in json.loads(table)}
    assert lines["signature"]["result"].endswith("the key of alice")
    assert (lines["texts"]["checked"], lines["run ids"]["checked"]) == (3 * 4 + 3, 2)
    assert lines["scores"]["checked"] == lines["scores"]["of"] > 50
    assert sum(line["checked"] for what, line in lines.items() if what.startswith("made anew")) == 15
    assert "drawn by the number 5" in told
    assert re.search(r"passes with probability \(1 − p\)\^15, or less: 1% with 0\.86, 5% with 0\.46", told)


def test_the_function_gives_the_table_of_the_command(
    bundle: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = newwiki.check(bundle, metrics="rep_4", db=tmp_path / "none.duckdb")
    [scores] = [line for line in table.to_pylist() if line["what"] == "scores"]
    assert 0 < scores["checked"] < scores["of"], "what is not computed again is not counted as checked"
    not_again = [line for line in table.to_pylist() if line["checked"] == 0]
    assert {line["what"].split()[1] for line in not_again} >= {"bleu"}
    assert sum(line["of"] for line in not_again) == scores["of"] - scores["checked"]
    assert "no completion was made anew" in capsys.readouterr().err


def reversed_text(row: Row) -> None:
    row["text"] = " ".join(row["text"].split()[::-1]) + " "


CHANGES: dict[str, tuple[str, Callable[[Row], Row | None], str]] = {
    "a score": ("scores.jsonl", lambda row: row | {"value": 0.123, "status": "ok"}, "value is .*, computed again, and not 0.123"),
    "a score that is away": ("scores.jsonl", lambda row: row | {"value": None}, "has the number None and the status 'ok'"),
    "a number of the run": ("run_scores.jsonl", lambda row: row | {"value": 2.5}, "zipf_coefficient: value is"),
    "a text": ("completions.jsonl", lambda row: row | {"text": "Other words."}, r"page \d+, sample 0 has 2 words, and it says"),
    "a number of tokens": ("completions.jsonl", lambda row: row | {"tokens": 11}, "has 11 tokens, and at most 10"),
    "which are kept": ("completions.jsonl", lambda row: row | {"kept": not row["kept"]}, "are not its . longest"),
    "the sample's number": ("completions.jsonl", lambda row: row | {"sample": 99}, "has not the samples 0 to"),
    "the model's hash": ("runs.jsonl", lambda row: row | {"model_sha256": "0" * 64}, "bundle.json says model_sha256"),
    "the seed": ("runs.jsonl", lambda row: row | {"seed": 1}, "its id is not the hash of what it says it is"),
    "the template": ("runs.jsonl", lambda row: row | {"prompt_template": "{title:>999999999}{first_sentence}"}, "its template"),
    "the protocol": ("runs.jsonl", lambda row: row | {"max_new_tokens": 20}, "its protocol is not what"),
    "an article": ("stored_articles.jsonl", lambda row: row | {"completion": "x"}, "the text of '.*' is not what its hash says"),
    "an article's title": ("stored_articles.jsonl", lambda row: row | {"title": "x"}, "not what its content hash says"),
    "a verdict": ("candidates.jsonl", lambda row: row | {"revisions": 99}, "candidates.revisions is not what"),
    "an evaluator": ("evaluators.jsonl", lambda row: row | {"version": "99"}, "its id is not the hash"),
    "a metric's name": ("metrics.jsonl", lambda row: row | {"direction": "up"}, "its direction"),
    "a hash of the articles": ("novelty.jsonl", lambda row: row | {"page_id": 1}, "is none of its articles"),
}  # fmt: skip


@pytest.mark.parametrize("what", CHANGES)
def test_what_was_changed_is_refused_in_a_line_whoever_signs_it_then(
    what: str, said: Said, forged: Forged, bundle: Path, key: Path, tmp_path: Path
) -> None:
    table, change, expected = CHANGES[what]
    name = forged.path(table) if table != "scores.jsonl" else forged.path("run_id=", "/scores.jsonl")
    original = forged.members[name]
    changed = forged.change(name, change).members[name]
    assert changed != original

    status, _, told = said("check", forged.write(tmp_path / "raw.newwiki"))
    assert (status, told.count("\n")) == (1, 1) and f"'{name}' is not what was signed" in told

    status, _, told = said("check", forged.rehash().write(tmp_path / "rehashed.newwiki"))
    assert (status, told.count("\n")) == (1, 1) and "it was changed after it was signed" in told

    status, _, told = said("check", forged.sign(key).write(tmp_path / "signed.newwiki"))
    assert (status, told.count("\n")) == (1, 1), told
    assert re.search(expected, told), told
    assert str(tmp_path / "signed.newwiki") in told


def test_a_bundle_that_somebody_else_has_signed_is_refused_where_keys_are_named(
    said: Said, forged: Forged, key: Path, other_key: Path, tmp_path: Path
) -> None:
    theirs = forged.sign(other_key).write(tmp_path / "theirs.newwiki")
    status, _, told = said("check", theirs, "--key", f"{key}.pub")
    assert (status, told.count("\n")) == (1, 1)
    assert "is signed by SHA256:" in told and "none of the keys that are trusted" in told
    table = newwiki.check(theirs, key=[f"{key}.pub", f"{other_key}.pub"], db=tmp_path / "n.duckdb", quiet=True)
    assert table["result"][0].as_py().endswith("the key of mallory")


def test_a_text_that_nothing_was_counted_of_is_found_by_making_it_anew(
    said: Said, forged: Forged, key: Path, toy_checkpoint: Path, tmp_path: Path
) -> None:
    """A dishonest submitter changes what was not kept: all hashes and scores are right."""
    name = forged.path("completions.jsonl", "run_id=")
    rows = forged.members[name].decode().splitlines()[1:]
    which = next((place for place, row in enumerate(rows) if json.loads(row)[8] is False), None)
    if which is None:
        name = [one for one in forged.members if "completions.jsonl" in one][1]
        rows = forged.members[name].decode().splitlines()[1:]
        which = next(place for place, row in enumerate(rows) if json.loads(row)[8] is False)
    lying = (
        forged.change(name, lambda row: reversed_text(row), which).rehash().sign(key).write(tmp_path / "lie.newwiki")
    )
    assert said("check", lying)[0] == 0
    status, _, told = said("check", lying, "--spot", 15, "--model", toy_checkpoint)
    assert (status, told.count("made anew, it is another text from character")) == (1, 1), told
    assert said("check", lying, "--spot", 0)[0] == 0


def test_a_model_that_wrote_none_of_it_makes_nothing_anew(bundle: Path, toy_checkpoint: Path, tmp_path: Path) -> None:
    import shutil

    other = Path(shutil.copytree(toy_checkpoint, tmp_path / "other"))
    (other / "generation_config.json").write_text(json.dumps({"eos_token_id": 0, "max_length": 7}))
    with pytest.raises(UsageError, match="no --model has its weights"):
        newwiki.check(bundle, spot=2, model=str(other), db=tmp_path / "none.duckdb", quiet=True)


def test_in_half_precision_the_share_that_is_the_same_is_told_and_nothing_demanded(
    published: Path, toy_checkpoint: Path, key: Path, tmp_path: Path
) -> None:
    import shutil

    db = Path(shutil.copy(published, tmp_path / "half.duckdb"))
    short = {"prompts": 1, "max_new_tokens": 4, "batch_size": 2, "metrics": "rep_4", "dtype": "bfloat16"}
    newwiki.evaluate(str(toy_checkpoint), decoder="greedy", db=db, quiet=True, **short)
    bundle = newwiki.submit("greedy", key=key, out=tmp_path / "half.newwiki", db=db)
    [*_, line] = newwiki.check(bundle, spot=1, model=str(toy_checkpoint), db=db, quiet=True).to_pylist()
    assert line["of"] == 1 and "not demanded: it computes in bfloat16" in line["result"]


def test_another_snapshot_of_the_name_in_ones_own_database_is_a_contradiction(
    evaluated: Path, bundle: Path, tmp_path: Path
) -> None:
    import shutil

    from storage.database import Database

    own = Database(shutil.copy(evaluated, tmp_path / "own.duckdb"))
    with own.write() as connection:
        connection.execute("update snapshots set content_sha256 = repeat('0', 64)")
    with pytest.raises(TerminalError, match="has another snapshot samplewiki-2026-09, whose content hash is 000"):
        newwiki.check(bundle, metrics="rep_4", db=own.path, quiet=True)


@pytest.mark.parametrize(
    "arguments", [{"spot": 5}, {"number": 3}, {"model": "toy"}, {"spot": -1}, {"spot": 1, "model": "toy", "number": -1}]
)
def test_what_does_not_go_together_is_misuse(arguments: dict[str, object], bundle: Path) -> None:
    with pytest.raises(UsageError):
        newwiki.check(bundle, **arguments)


def test_the_runs_are_those_that_were_asked_for(bundle: Path) -> None:
    assert {run["decoder"].partition(":")[0] for run in json.loads(Forged(bundle).members["bundle.json"])["runs"]} == {
        "greedy",
        NUCLEUS.partition(":")[0],
    }
