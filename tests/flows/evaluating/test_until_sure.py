"""A checkpoint is evaluated until the verdict is sure: it stops early, can be killed, and can be completed."""

import json
import math
import shutil
from datetime import date
from itertools import combinations
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest

from flows.demonstration import wiki
from flows.evaluating.until_sure import Scale, is_settled, look, prompt_order
from flows.progress import Silent
from flows.refreshing.gather_and_publish import SnapshotDefinition, refresh
from flows.scoring import score_run
from flows.scoring.batches import TextBatch
from newwiki.errors import UsageError
from newwiki.snapshot import Selection, Window
from newwiki.sources.dump import DumpSource
from newwiki.verdict_request import VerdictRequest
from storage.database import Database
from tests.flows import in_process as here
from tests.flows.conftest import Run, environment
from tests.flows.experiments import recomputed
from tests.once import once

METRICS = "rep_4,distinct_2"
EVALUATED = ("--samples", "4", "--keep", "2", "--max-new-tokens", "32", "--metrics", METRICS)
LIVELY, DULL, ALIKE = (f"sample:temperature={value},top_k=20" for value in ("0.7", "0.2", "0.6"))


@pytest.fixture(scope="session")
def judged_against(shared_folder: Path, toy_checkpoint: Path) -> Path:
    """All 32 articles of the sample wiki, and a run of the toy on them. Tests copy it."""

    def make(folder: Path) -> None:
        window = Window.days(date(2026, 8, 1), date(2026, 9, 30))
        definition = SnapshotDefinition(window, Selection(min_revisions=1, min_words=20))
        path = folder / "newwiki.duckdb"
        refresh(Database(path), DumpSource(str(wiki())), definition, Silent())
        asked = ("evaluate", toy_checkpoint, "--decoder", LIVELY, *EVALUATED, "--db", path, "--quiet")
        here.run(asked, folder, environment()).check_returncode()

    return once(shared_folder / "judged-against", make) / "newwiki.duckdb"


@pytest.fixture
def path(judged_against: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(judged_against, tmp_path / "newwiki.duckdb"))


def asked(checkpoint: Path, path: Path, decoder: str = DULL) -> tuple[str | Path, ...]:
    return ("verdict", checkpoint, LIVELY, "--decoder", decoder, "--until-sure", "--db", path)


def stored(path: Path, *queries: str) -> list[list[tuple[Any, ...]]]:
    with duckdb.connect(str(path), read_only=True) as connection:
        return [connection.execute(query).fetchall() for query in queries]


ROWS = (
    "from completions order by all",
    "from scores order by all",
    "from page_means order by all",
    "from stored_summaries order by all",
    "select run_id, status, prompts, kept_texts from runs order by all",
)
STOPS = "select * exclude (stopped_at) from early_stops"


def test_clear_difference_stops_early_and_the_run_is_shown_as_incomplete(
    in_process: Run, path: Path, toy_checkpoint: Path
) -> None:
    ended = in_process(*asked(toy_checkpoint, path))
    assert ended.returncode == 0, ended.stderr
    assert " is worse than " in ended.stdout and "20 of 32 articles were enough, at 2 looks" in ended.stdout
    [[(run_id, state, words)], [(prompts, verdict, looks)], [(written, kept)]] = stored(
        path,
        "select run_id, state, stopped from run_states where state <> 'complete'",
        "select prompts, verdict, looks from early_stops",
        "select count(distinct page_id), count(*) filter (kept) from completions join runs using (run_id) "
        "where status = 'stopped'",
    )
    assert (state, words) == ("stopped", "20 of 32 prompts, stopped when sure")
    assert (prompts, verdict, looks, written, kept) == (20, "worse", 2, 20, 40)
    board = in_process("leaderboard", "--db", path, "--format", "json")
    assert run_id not in board.stdout and f"run {run_id}" in board.stderr and words in board.stderr
    report = path.with_suffix(".html")
    in_process("report", "--db", path, "--out", report).check_returncode()
    assert words in report.read_text("utf-8")
    refused = in_process("compare", run_id, LIVELY, "--db", path)
    assert (refused.returncode, refused.stdout) == (1, "") and words in refused.stderr


def test_stopped_run_is_completed_to_the_bytes_of_one_that_never_stopped(
    in_process: Run, path: Path, toy_checkpoint: Path, tmp_path: Path
) -> None:
    whole = Path(shutil.copy(path, tmp_path / "whole.duckdb"))
    in_process(*asked(toy_checkpoint, path)).check_returncode()
    for one in (path, whole):
        evaluated = in_process("evaluate", toy_checkpoint, "--decoder", DULL, *EVALUATED, "--db", one)
        assert evaluated.returncode == 0, evaluated.stderr
    assert stored(path, *ROWS) == stored(whole, *ROWS)


def test_killed_between_rounds_it_ends_with_the_same_verdict_and_bytes(
    newwiki: Run, in_process: Run, path: Path, toy_checkpoint: Path, tmp_path: Path
) -> None:
    whole = Path(shutil.copy(path, tmp_path / "whole.duckdb"))
    plugin = tmp_path / "kills.py"
    plugin.write_text(
        "import os, signal\n"
        "from flows.evaluating import until_sure\n"
        "until_sure.is_settled = lambda outcomes: outcomes and os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    killed = newwiki(*asked(toy_checkpoint, path), "--plugin", plugin)
    assert killed.returncode != 0
    assert stored(path, "select count(distinct page_id) from scores where run_id in (select run_id from run_states "
                        "where state <> 'complete')") == [[(10,)]]  # fmt: skip
    ended = [in_process(*asked(toy_checkpoint, one), "--format", "json") for one in (path, whole)]
    assert ended[0].returncode == 0, ended[0].stderr
    assert json.loads(ended[0].stdout) == json.loads(ended[1].stdout)
    assert stored(path, *ROWS, STOPS) == stored(whole, *ROWS, STOPS)
    again = in_process(*asked(toy_checkpoint, path), "--format", "json")
    assert json.loads(again.stdout) == json.loads(ended[0].stdout)


def test_each_text_is_scored_in_one_round_and_a_doubtful_pair_uses_all_prompts(
    in_process: Run, path: Path, toy_checkpoint: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scored: list[tuple[int, int]] = []

    def counting(keys: Any, *rest: Any) -> Any:
        scored.extend(keys)
        return TextBatch(keys, *rest)

    monkeypatch.setattr(score_run, "TextBatch", counting)
    ended = in_process(*asked(toy_checkpoint, path, ALIKE))
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.startswith("cannot tell ") and "with 32 of 32 articles a difference of " in ended.stdout
    assert len(scored) == len(set(scored)) == 64
    [states] = stored(path, "select distinct state from run_states")
    assert states == [("complete",)]
    assert in_process(*asked(toy_checkpoint, path, ALIKE)).stdout == ended.stdout, "of a complete run as well"
    assert len(scored) == 64


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--metrics", "bleu"), "has no texts scored by 'bleu'"),
        (("--decoder", "sample:temperature=[0.2,0.3]"), "names several decoders: give one"),
        (("--decoder", LIVELY), " itself; name another checkpoint"),
    ],
)
def test_what_cannot_be_judged_is_refused_before_anything_is_written(
    in_process: Run, path: Path, toy_checkpoint: Path, arguments: tuple[str, ...], words: str
) -> None:
    before = stored(path, "from runs")
    ended = in_process("verdict", toy_checkpoint, LIVELY, "--until-sure", "--db", path, *arguments)
    assert ended.returncode != 0 and words in ended.stderr
    assert stored(path, "from runs") == before


def test_options_of_an_evaluation_need_until_sure() -> None:
    with pytest.raises(UsageError, match="--margin applies to a checkpoint that is evaluated: add --until-sure"):
        VerdictRequest(candidate="a", baseline="b", margin=0.02)


def test_order_of_prompts_depends_on_the_seed_and_on_each_page_alone() -> None:
    pages = list(range(100))
    order = prompt_order(pages, 0)
    assert sorted(order) == pages and order != pages != prompt_order(pages, 1)
    assert [page for page in order if page % 2] == prompt_order([page for page in pages if page % 2], 0)


def test_evidence_of_several_metrics_adds_up_and_a_margin_needs_all_of_them() -> None:
    scales = [Scale("one", "higher", 1.0), Scale("other", "lower", 1.0)]
    base = np.zeros((2, 60))
    better = look(scales, base, base + np.array([[0.2], [-0.2]]))
    assert [one.outcome for one in better] == ["better", "better"]
    assert not is_settled(look(scales, base, base, margin=0.05))
    within = look(scales, np.zeros((2, 400)), np.zeros((2, 400)), margin=0.05)
    assert [one.outcome for one in within] == ["within the margin"] * 2 and is_settled(within)
    missing = np.full((2, 400), np.nan)
    missing[0] = 0.0
    assert not is_settled(look(scales, np.zeros((2, 400)), missing, margin=0.05))


@recomputed.recomputes("verdict_until_sure")
def test_outcomes_of_a_look_are_those_of_a_recomputation() -> None:
    """By plain Python: the capital won against a mean of 0, and closed testing by the mean of each set of metrics."""
    random = np.random.default_rng(5)
    differences = np.clip(random.normal([[0.3], [0.0], [-0.2]], 0.2, size=(3, 60)), -1, 1)
    scales = [Scale(name, "higher", 1.0) for name in ("much", "none", "less")]
    found = [one.outcome for one in look(scales, np.zeros((3, 60)), differences)]
    won = [capital([(number + 1) / 2 for number in row]) for row in differences.tolist()]
    sets = [chosen for size in (1, 2, 3) for chosen in combinations(range(3), size)]
    corrected = [
        min(sum(won[n] for n in chosen) / len(chosen) for chosen in sets if place in chosen) for place in range(3)
    ]
    signs = ["better" if row.mean() > 0 else "worse" for row in differences]
    assert found == [sign if e >= 20 else "cannot tell" for sign, e in zip(signs, corrected, strict=True)]
    assert found == ["better", "cannot tell", "worse"]


def capital(shares: list[float]) -> float:
    """Half of the capital bets that the mean of these shares is above 0.5, half that it is below."""
    bets = [number / 21 for number in range(1, 21)]
    above = sum(math.prod(1 - bet + bet * share / 0.5 for share in shares) for bet in bets) / len(bets)
    below = sum(math.prod(1 - bet + bet * (1 - share) / 0.5 for share in shares) for bet in bets) / len(bets)
    return (above + below) / 2
