"""The workflows of this repository: they parse, and each `newwiki` command in them is one that there is."""

import re
import shlex
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


def test_the_refresh_runs_the_schedule_and_exports_what_it_published() -> None:
    asked = [words[:2] for words in commands(ROOT / ".github/workflows/refresh.yml")]
    assert asked == [
        ["schedule", "--once"],
        ["export", "snapshot"],
        ["export", "snapshot"],
        ["export", "runs"],
        ["leaderboard", "--by-evaluator"],
    ]
