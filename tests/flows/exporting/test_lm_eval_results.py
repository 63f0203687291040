"""Results in lm-evaluation-harness's shape: honest about what has no number, and about whose file it is."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from flows.exporting.lm_eval_results import export_results, results
from newwiki.errors import TerminalError, UsageError
from storage.comparison import contenders
from storage.database import Database
from tests.flows.scored import RULES, SNAPSHOT, add_run, score

TASK = "newwiki_samplewiki_2026_09"


@pytest.fixture(scope="module")
def first(published: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = Database(shutil.copy(published, tmp_path_factory.mktemp("first") / "newwiki.duckdb"))
    run = add_run(found, "first", prompts=3, samples=2, decoder_parameters='{"top_p": 0.9}')
    nan = float("nan")
    score(
        found,
        run,
        {
            "rep_4": [[0.1, 0.3], [0.5, 0.7], [0.9, nan]],
            "sbert": [[nan, nan]] * 3,
            "bleu": [[1.0, 2.0], [nan, nan], [nan, nan]],
        },
    )
    score(found, f"reference:{SNAPSHOT}", {"rep_4": [0.0, 0.0, 0.0]})
    return found.path


@pytest.fixture
def stored(first: Path, tmp_path: Path) -> Database:
    return Database(shutil.copy(first, tmp_path / "newwiki.duckdb"))


def test_means_leave_out_what_could_not_be_computed(stored: Database) -> None:
    [run] = contenders(stored, ["first"])
    found = results(stored, run)
    numbers = found["results"][TASK]
    assert numbers["rep_4,none"] == pytest.approx(0.5)
    assert numbers["bleu,none"] == pytest.approx(1.5)
    assert numbers["bleu_stderr,none"] == "N/A", "of one prompt"
    assert found["configs"][TASK]["metadata"]["no_interval"] == dict.fromkeys(["bleu", "rep_4"], "too few prompts")
    assert "sbert,none" not in numbers, "of no text"
    assert found["configs"][TASK]["metadata"]["texts"] == {"rep_4": 5, "bleu": 2}
    assert found["configs"][TASK]["metadata"]["evaluators"]["rep_4"]["evaluator_id"] == RULES.evaluator_id
    assert found["configs"][TASK]["generation_kwargs"] == {"top_p": 0.9, "until": [], "max_gen_toks": 8}


def test_standard_errors_are_clustered_by_prompt(stored: Database) -> None:
    """CR2 by hand: residuals summed by prompt, over the number of texts and the root of the others' share."""
    score(stored, add_run(stored, "many"), {"rep_4": [[0.1, 0.3], [0.5, 0.7], [0.9, np.nan]] * 6})
    [run] = contenders(stored, ["many"])
    values = [[0.1, 0.3], [0.5, 0.7], [0.9]] * 6
    sums = [sum(value - 0.5 for value in of_one) / np.sqrt(1 - len(of_one) / 30) for of_one in values]
    by_hand = np.sqrt(np.square(sums).sum()) / 30
    assert results(stored, run)["results"][TASK]["rep_4_stderr,none"] == pytest.approx(by_hand, abs=1e-9)


def test_one_file_is_of_one_run(stored: Database, tmp_path: Path) -> None:
    score(stored, add_run(stored, "second"), {"rep_4": [1, 1, 1]})
    first, second = contenders(stored, ["first", "second"])
    with pytest.raises(UsageError, match="is one file, and these are 2 runs; name a folder"):
        export_results(stored, [first, second], tmp_path / "out.json")
    (tmp_path / "out.json").write_text("{}")
    with pytest.raises(TerminalError, match="holds something else than run first"):
        export_results(stored, [first], tmp_path / "out.json")
    assert (tmp_path / "out.json").read_text() == "{}"
    (tmp_path / "out.json").unlink()
    [path] = export_results(stored, [first], tmp_path / "out.json")
    again = path.read_bytes()
    export_results(stored, [first], tmp_path / "out.json")
    assert path.read_bytes() == again
    with pytest.raises(TerminalError, match="holds something else than run second"):
        export_results(stored, [second], tmp_path / "out.json")
    assert json.loads(path.read_text())["configs"][TASK]["metadata"]["run_id"] == "first"


def test_what_has_no_results_says_so(stored: Database, tmp_path: Path) -> None:
    add_run(stored, "bare")
    for name, words in (
        ("bare", "run bare has no scores; score it with `newwiki score --run bare`"),
        (f"reference:{SNAPSHOT}", "is no run of a model"),
    ):
        with pytest.raises(TerminalError, match=words):
            export_results(stored, contenders(stored, ["first", name]), tmp_path / "out")
    assert not (tmp_path / "out").exists(), "not even the one that has"
