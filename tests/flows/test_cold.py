"""Commands in an interpreter that has imported nothing. Elsewhere in the tests they are forked from a process in which
the libraries are there already, so that an import which a command lacks would not be missed."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.flows.conftest import environment

pytestmark = pytest.mark.slow


def newwiki(
    folder: Path, *arguments: str | Path, options: tuple[str, ...] = (), **extra: str
) -> subprocess.CompletedProcess[str]:
    """Runs it cold; `options` are Python's own, `extra` are of its environment."""
    return subprocess.run(
        [sys.executable, *options, "-m", "newwiki", *map(str, arguments)],
        cwd=folder, env=environment(**extra), capture_output=True, text=True, timeout=240,
    )  # fmt: skip


def test_evaluate_and_compare(database: Path, toy_checkpoint: Path, tmp_path: Path) -> None:
    small = ("--prompts", "3", "--max-new-tokens", "8", "--entities", "rules-v1", "--metrics", "core")
    decoders = ("--decoder", "greedy", "--decoder", "contrastive-search")
    evaluated = newwiki(tmp_path, "evaluate", toy_checkpoint, *decoders, *small, "--db", database, "--format", "json")
    assert evaluated.returncode == 0, evaluated.stderr
    shown = {row["decoder"]: row["sbert"] for row in json.loads(evaluated.stdout)}
    assert len(shown) == 3 and None not in shown.values()

    compared = newwiki(tmp_path, "compare", "greedy", "contrastive-search", "--db", database, "--format", "json")
    assert compared.returncode == 0, compared.stderr
    assert {"sbert", "rep_4"} <= {row["metric"] for row in json.loads(compared.stdout)}


_HEAVY = {"altair", "prefect", "scipy.stats", "sentence_transformers", "sklearn", "spacy", "torch", "transformers"}


def imported(folder: Path, *arguments: str | Path) -> tuple[str, set[str]]:
    """What a command writes, and the modules that it loads."""
    ended = newwiki(folder, *arguments, options=("-X", "importtime"))
    assert ended.returncode == 0, ended.stderr
    return ended.stdout, set(re.findall(r"^import time:.*\| +(\S+)$", ended.stderr, re.MULTILINE))


def test_a_question_in_sql_waits_for_no_model_and_no_server(database: Path, tmp_path: Path) -> None:
    written, modules = imported(tmp_path, "sql", "select count(*) from articles", "--db", database, "--format", "csv")
    assert written.split()[-1] == "13"
    assert "duckdb" in modules
    assert modules & _HEAVY == set()


def test_what_there_is_to_measure_is_told_without_loading_what_measures(tmp_path: Path) -> None:
    """Every evaluator is imported for it, as before each scoring."""
    written, modules = imported(tmp_path, "metrics", "--format", "csv")
    assert "claims_article_supported" in written
    assert modules & _HEAVY == set()
