"""A bundle that is what it says passes; one that was changed is refused in one line that says what and where."""

import base64
import json
import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import spacy

import newwiki
from flows.bundles.check import Check
from flows.bundles.keys import make_pair
from flows.bundles.replay import Replayed, SpotCheck
from flows.cli import main
from newwiki.errors import TerminalError, UsageError
from storage.database import Database
from tests.flows.bundles.conftest import NUCLEUS
from tests.flows.bundles.forging import Forged, Row

pytestmark = pytest.mark.slow

_KEPT = 8  # the place of a completion's column `kept`

Said = Callable[..., tuple[int, str, str]]


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Said:
    """Exit status, stdout and stderr of a command."""

    def run(*arguments: object) -> tuple[int, str, str]:
        asked = [*map(str, arguments), "--quiet", "--db", str(tmp_path / "none.duckdb")]
        monkeypatch.setattr("sys.argv", ["newwiki", *asked])
        status = main()
        return (status, *capsys.readouterr())

    return run


def test_honest_bundle_passes_with_completions_of_every_run_replayed(
    said: Said, bundle: Path, key: Path, toy_checkpoint: Path
) -> None:
    asked = ("check", bundle, "--spot", 20, "--model", toy_checkpoint, "--key", f"{key}.pub", "--format", "json")
    status, table, told = said(*asked, "--number", 5)
    assert status == 0, told
    lines = {line["what"]: line for line in json.loads(table)}
    assert lines["signature"]["result"].endswith("the key of alice")
    assert (lines["texts"]["checked"], lines["run ids"]["checked"]) == (3 * 4 + 3, 2)
    assert lines["scores"]["checked"] == lines["scores"]["of"] == 2 * (3 + 6 + 3) + 3
    assert sorted(line["checked"] for what, line in lines.items() if what.endswith("replayed")) == [3, 12]


def test_the_function_gives_the_table_of_the_command(
    bundle: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = newwiki.check(bundle, metrics="rep_4", db=tmp_path / "none.duckdb")
    [scores] = [line for line in table.to_pylist() if line["what"] == "scores"]
    assert 0 < scores["checked"] < scores["of"], "what is not computed again is not counted as checked"
    not_again = [line for line in table.to_pylist() if line["checked"] == 0]
    assert {line["what"].split()[1] for line in not_again} >= {"bleu"}
    assert sum(line["of"] for line in not_again) == scores["of"] - scores["checked"]
    assert "no completion was replayed" in capsys.readouterr().err


def entity_scores(bundle: Path, tagger: str, **settings: str) -> list[Row]:
    """The lines of a check about scores, of a bundle whose entities this tagger found."""
    folder = bundle.parent
    database = Path(shutil.copy(folder / "newwiki.duckdb", folder / "tagged.duckdb"))
    newwiki.score(missing=True, metrics="entity_overlap,rep_4", entities=tagger, db=database, quiet=True)
    key = folder / "key"
    make_pair(key, database)
    tagged = newwiki.submit("greedy", key=key, out=folder / "tagged.newwiki", db=database)
    table = newwiki.check(tagged, metrics="entity_overlap,rep_4", db=folder / "none.duckdb", quiet=True, **settings)
    return [line for line in table.to_pylist() if "scores" in line["what"] or "entity" in line["what"]]


def test_entities_of_the_stand_in_are_found_again_where_the_pipeline_of_the_settings_is_missing(
    evaluated: Path, tmp_path: Path
) -> None:
    shutil.copy(evaluated, tmp_path / "newwiki.duckdb")
    lines = entity_scores(tmp_path / "bundle", "rules-v1", entities="spacy:no_such_pipeline")
    assert [line["what"] for line in lines] == ["scores"]


def test_an_evaluator_whose_model_is_missing_is_named_and_skipped(evaluated: Path, tmp_path: Path) -> None:
    shutil.copy(evaluated, tmp_path / "newwiki.duckdb")
    pipeline = spacy.blank("en")
    pipeline.add_pipe("entity_ruler").add_patterns([{"label": "PLACE", "pattern": "Skarrow"}])
    pipeline.to_disk(tmp_path / "pipeline")
    _, skipped = entity_scores(tmp_path / "bundle", f"spacy:{tmp_path / 'pipeline'}", entities="spacy:no_such_pipeline")
    assert skipped["checked"] == 0 < skipped["of"]
    assert "the spaCy pipeline 'no_such_pipeline' is not installed" in skipped["result"]


def test_what_a_spot_check_is_worth_is_said_in_numbers() -> None:
    """0.95 ^ 20 is 0.358…, 0.8 ^ 20 is 0.0115…"""
    many = Replayed("a", "replay", 990, 990, 30, 4_000, 0.999, passed=True)
    few = replace(many, run_id="b", completions=20)
    claimed = replace(many, run_id="c", kind="plausibility", completions=1)
    told = Check([], SpotCheck(5, 30, [many, few, claimed])).sentences
    assert told[0] == "drawn by the number 5; --number 5 draws the same again"
    assert "with probability (1 − p)^20, or less: 1% with 0.82, 5% with 0.36, 10% with 0.12, 20% with 0.012" in told[1]
    [_, nothing] = Check([], SpotCheck(5, 20, [claimed])).sentences
    assert "no completion was confirmed" in nothing


def put(**changes: object) -> Callable[[Row], Row]:
    return lambda row: row | changes


# By what is changed: in which table, how, and what is said of it once it is signed anew with consistent hashes.
CHANGES: dict[str, tuple[str, Callable[[Row], Row], str]] = {
    "a score": ("scores", put(value=0.123, status="ok"), "value is .*, computed again, and not 0.123"),
    "a score that is away": ("scores", put(value=None, status="ok"), "has the number None and the status 'ok'"),
    "a number of the run": ("run_scores", put(value=0.25, status="ok"), "self_bleu: value is .*, computed again, and"),
    "a text": ("completions", put(text="Other words."), r"page \d+, sample 0 has 2 words, and it says"),
    "a number of tokens": ("completions", put(tokens=11), "has 11 tokens, and at most 10"),
    "which are kept": ("completions", lambda row: row | {"kept": not row["kept"]}, "are not its . longest"),
    "the sample's number": ("completions", put(sample=99), "has not the samples 0 to"),
    "the model's hash": ("runs", put(model_sha256="0" * 64), "bundle.json says model_sha256"),
    "the seed": ("runs", put(seed=1), "its id is not the hash of what it says it is"),
    "the template": ("runs", put(prompt_template="{title:>999999999}{first_sentence}"), "its template does not hold"),
    "the length": ("runs", put(max_new_tokens=20), "its protocol is not what"),
    "an article": ("stored_articles", put(completion="x"), "the text of '.*' does not match its hash"),
    "an article's title": ("stored_articles", put(title="x"), "it is not what its content hash says"),
    "a candidate": ("candidates", put(revisions=99), "candidates.revisions is not what"),
    "an evaluator": ("evaluators", put(version="99"), "its id is not the hash of what it says it is"),
    "a metric": ("metrics", put(direction="up"), "its direction or its scope is none"),
    "whose score it is": ("scores", put(evaluator_id="0" * 16), "rows of another evaluator_id than"),
    "of which article a score is": ("scores", put(page_id=1), "no text of page 1, sample . to be scored"),
    "of which article a text is": ("completions", put(page_id=1), "page 1 has texts and is not asked for"),
    "of which snapshot a run is": ("runs", put(snapshot_id="samplewiki-2026-08"), "rows of another snapshot_id than"),
    "whose row it is": ("novelty", put(page_id=1), "page 1, which is none of its articles"),
}  # fmt: skip


@pytest.mark.parametrize("table", ["completions", "scores", "runs", "stored_articles"])
def test_what_was_changed_is_not_what_was_signed(table: str, said: Said, forged: Forged, tmp_path: Path) -> None:
    name = forged.path(f"/{table}.jsonl")
    forged.members[name] = forged.members[name].replace(b"1", b"2", 1)
    status, _, told = said("check", forged.write(tmp_path / "raw.newwiki"))
    assert (status, told.count("\n")) == (1, 1) and f"'{name}' is not what was signed" in told

    status, _, told = said("check", forged.rehash().write(tmp_path / "rehashed.newwiki"))
    assert (status, told.count("\n")) == (1, 1) and "it was changed after it was signed" in told


@pytest.mark.parametrize("what", CHANGES)
def test_what_was_changed_is_refused_in_a_line_whoever_signs_it_then(
    what: str, said: Said, forged: Forged, bundle: Path, key: Path, tmp_path: Path
) -> None:
    table, change, expected = CHANGES[what]
    name = forged.path(f"/{table}.jsonl")
    original = forged.members[name]
    changed = forged.change(name, change).members[name]
    assert changed != original

    made = forged.rehash().sign(key).write(tmp_path / "signed.newwiki")
    status, _, told = said("check", made)
    assert (status, told.count("\n")) == (1, 1), told
    assert re.search(expected, told) and str(made) in told, told


def test_a_signature_that_was_changed_is_refused(said: Said, forged: Forged, tmp_path: Path) -> None:
    key, signed = forged.members["signature"].split(b"\n")[:2]
    another = bytes([base64.b64decode(signed)[0] ^ 1, *base64.b64decode(signed)[1:]])
    forged.members["signature"] = b"\n".join([key, base64.b64encode(another), b""])
    status, _, told = said("check", forged.write(tmp_path / "signature.newwiki"))
    assert (status, told.count("\n")) == (1, 1) and "it was changed after it was signed" in told


def test_a_bundle_that_somebody_else_has_signed_is_refused_where_keys_are_named(
    said: Said, forged: Forged, key: Path, other_key: Path, tmp_path: Path
) -> None:
    theirs = forged.sign(other_key).write(tmp_path / "theirs.newwiki")
    status, _, told = said("check", theirs, "--key", f"{key}.pub")
    assert (status, told.count("\n")) == (1, 1)
    assert "is signed by SHA256:" in told and "none of the keys that are trusted" in told
    table = newwiki.check(theirs, key=[f"{key}.pub", f"{other_key}.pub"], db=tmp_path / "n.duckdb", quiet=True)
    assert table["result"][0].as_py().endswith("the key of mallory")


def test_changed_text_that_was_dropped_is_found_by_replay(
    said: Said, forged: Forged, key: Path, toy_checkpoint: Path, tmp_path: Path
) -> None:
    """A dishonest submitter changes what was not kept: all hashes and scores are right."""
    name, which = next(
        (name, place)
        for name, content in forged.members.items()
        if "/completions.jsonl" in name
        for place, row in enumerate(content.decode().splitlines()[1:])
        if not json.loads(row)[_KEPT]
    )
    forged.change(name, lambda row: row | {"text": f" {row['text']}"}, which).rehash().sign(key)
    lying = forged.write(tmp_path / "lie.newwiki")
    assert said("check", lying, "--metrics", "rep_4")[0] == 0
    status, _, told = said("check", lying, "--metrics", "rep_4", "--spot", 1, "--model", toy_checkpoint)
    assert (status, told.count("its token ids are not those of its text")) == (1, 1), told


def test_model_without_the_weights_of_any_run_is_misuse(bundle: Path, toy_checkpoint: Path, tmp_path: Path) -> None:
    other = Path(shutil.copytree(toy_checkpoint, tmp_path / "other"))
    (other / "generation_config.json").write_text(json.dumps({"eos_token_id": 0, "max_length": 7}))
    with pytest.raises(UsageError, match="no --model has the weights of a run"):
        newwiki.check(bundle, spot=2, model=str(other), db=tmp_path / "none.duckdb", quiet=True)


def test_another_snapshot_of_the_name_in_ones_own_database_is_a_contradiction(
    evaluated: Path, bundle: Path, tmp_path: Path
) -> None:
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
