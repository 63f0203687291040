"""The workflows of this repository: they parse, and each `newwiki` command in them is one that there is."""

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

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


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
_INSTALLS = r"pip install .*(torch|'\.|-e)|\.ci/(run|lowest|gliner|vllm|real)|make "


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_installs_extras_that_there_are(workflow: Path) -> None:
    """pip only warns of others."""
    named = re.findall(r"'\.\[([\w,]+)\]'", workflow.read_text("utf-8"))
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


def test_the_refresh_runs_the_schedule_and_exports_what_it_published() -> None:
    asked = [words[:2] for words in commands(ROOT / ".github/workflows/refresh.yml")]
    assert asked == [
        ["schedule", "--once"],
        ["export", "snapshot"],
        ["export", "snapshot"],
        ["export", "runs"],
        ["leaderboard", "--by-evaluator"],
    ]


def test_a_site_is_made_of_bundles_or_of_the_database_and_published_by_whoever_may_publish() -> None:
    workflow = ROOT / ".github/workflows/site.yml"
    made = [[word for word in words if "github" not in word and "steps" not in word] for words in commands(workflow)]
    assert made == [
        ["site", "bundles", "--key", "keys", "${checkers[@]}", "--address", "--out", "board"],
        ["site", "--address", "--out", "board"],
    ]
    whole = yaml.safe_load(workflow.read_text("utf-8"))
    assert "pages" not in whole["permissions"] and whole["jobs"]["pages"]["permissions"]["pages"] == "write"
