"""The workflows of this repository and of a new board's: they parse, and each `newwiki` command in them is one that
there is."""

import re
import shlex
import tomllib
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from flows.cli import cli
from tests.docs.blocks import ROOT

BOARD = ROOT / "flows" / "board_template" / "board.yml"
WORKFLOWS = [*sorted((ROOT / ".github" / "workflows").glob("*.yml")), BOARD]


def commands(workflow: Path) -> list[list[str]]:
    """The `newwiki` commands of all steps, as words."""
    jobs = yaml.safe_load(workflow.read_text("utf-8"))["jobs"].values()
    scripts = [step["run"] for job in jobs for step in job["steps"] if "run" in step]
    found = re.findall(r"(?:^|\s)newwiki ((?:(?!\s[|>]|;|\n).)+)", "\n".join(scripts))
    return [shlex.split(words) for words in found]


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_asks_for_commands_that_there_are(workflow: Path) -> None:
    for words in commands(workflow):
        command: Any = cli
        while isinstance(command, click.Group):
            command = command.commands[words.pop(0)]
        command.make_context(command.name, list(words))


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_installs_torch_for_the_processor(workflow: Path) -> None:
    """PyPI's build brings gigabytes of CUDA."""
    whole = yaml.safe_load(workflow.read_text("utf-8"))
    steps = [(job, step) for job in whole["jobs"].values() for step in job["steps"] if "run" in step]
    for job, step in [one for one in steps if re.search(_INSTALLS, one[1]["run"])]:
        set_to = {**whole.get("env", {}), **job.get("env", {}), **step.get("env", {})}
        by_uv = re.search(r"\.ci/(lowest|gliner|vllm)", step["run"])
        assert (_BY_UV if by_uv else _BY_PIP).items() <= set_to.items(), step


_BY_PIP = {"PIP_EXTRA_INDEX_URL": "https://download.pytorch.org/whl/cpu"}
_BY_UV = {"UV_TORCH_BACKEND": "cpu"}
# torch, or the package that depends on it
_INSTALLS = r"pip install .*(torch|'\.|newwiki-eval|-e)|\.ci/(run|lowest|gliner|vllm|real)|make "


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_installs_extras_that_there_are(workflow: Path) -> None:
    """pip only warns of others."""
    named = re.findall(r"'(?:\.|newwiki-eval)\[([\w,]+)\]'", workflow.read_text("utf-8"))
    there_are = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["optional-dependencies"]
    assert {extra for one in named for extra in one.split(",")} - set(there_are) == set()


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_calls_files_that_there_are(workflow: Path) -> None:
    called = re.findall(r"\.ci/[\w.]+", workflow.read_text("utf-8"))
    assert [name for name in called if not (ROOT / name).is_file()] == []


def test_a_release_is_checked_before_it_is_published_by_whoever_may_publish() -> None:
    jobs = yaml.safe_load((ROOT / ".github/workflows/release.yml").read_text("utf-8"))["jobs"]
    checks = [step.get("run", "") for step in jobs["build"]["steps"]]
    assert any(run.startswith("python .ci/check_release.py dist ") for run in checks)
    assert jobs["publish"]["needs"] == "build"
    assert {name: job.get("permissions") for name, job in jobs.items()} == {
        "build": None,
        "publish": {"id-token": "write"},
    }


def test_a_board_does_what_is_due_says_when_it_is_late_stays_awake_and_is_published() -> None:
    whole = yaml.safe_load(BOARD.read_text("utf-8"))
    asked = [words[:2] for words in commands(BOARD)]
    assert asked == [["schedule", "--once"], ["leaderboard", "--format"], ["doctor", "--board"]]
    [job] = whole["jobs"].values()
    scripts = "\n".join(step.get("run", "") for step in job["steps"])
    assert 'gh api --method PUT "repos/$GITHUB_REPOSITORY/actions/workflows/board.yml/enable"' in scripts
    assert "gh issue create" in scripts
    assert any(step.get("uses", "").startswith("actions/deploy-pages") for step in job["steps"])
    needed = {"actions": "write", "issues": "write", "pages": "write", "id-token": "write", "contents": "read"}
    assert whole["permissions"] == needed
