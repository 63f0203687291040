"""What a commit is checked for is what `make check` checks, what is cited is what is released, and every dependency has
a lowest version and a pinned one."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from pre_commit.languages import pygrep  # type: ignore[import-untyped]

from tests.docs.blocks import ROOT

PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
VERSION = PROJECT["version"]
# It needs another version of what is pinned: .ci/gliner tries it.
NOT_PINNED = {"gliner"}


def read(name: str) -> Any:
    return yaml.safe_load((ROOT / name).read_text("utf-8"))


def test_the_hooks_before_a_commit_are_the_checks_of_make_check() -> None:
    [repository] = read(".pre-commit-config.yaml")["repos"]
    hooks = [hook["entry"] for hook in repository["hooks"] if hook["stages"] == ["pre-commit"]]
    found = re.search(r"^check:.*\n((?:\t.+\n)+)", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    assert found
    assert hooks == [line.strip().replace("$(BIN)", ".venv/bin") for line in found[1].splitlines()]


@pytest.mark.parametrize(
    ("message", "is_refused"),
    [
        ("Use the singular in the summary of a single run", False),
        ("Use the singular in the summary of a single run\n\nA body may be longer and ends with a full stop.\n", False),
        ("Use " + "x" * 68, False),
        ("Use " + "x" * 69, True),
        ("use the singular", True),
        ("Use the singular.", True),
        ("Use the singular.\n\nBody", True),
    ],
)
def test_a_hook_checks_the_subject_of_a_commit(message: str, is_refused: bool, tmp_path: Path) -> None:
    """As pre-commit carries it out: with a regular expression that no message may match."""
    [repository] = read(".pre-commit-config.yaml")["repos"]
    [hook] = [hook for hook in repository["hooks"] if hook["stages"] == ["commit-msg"]]
    (tmp_path / "message").write_text(message, "utf-8")
    assert bool(pygrep.main([*hook["args"], hook["entry"], str(tmp_path / "message")])) == is_refused


def test_the_citation_is_of_this_version_and_its_day_is_the_changelogs() -> None:
    cited = read("CITATION.cff")
    assert cited["version"] == VERSION
    assert f"## [{VERSION}] - {cited['date-released']}\n" in (ROOT / "CHANGELOG.md").read_text("utf-8")


def requirements() -> list[Requirement]:
    extras = [line for extra in PROJECT["optional-dependencies"].values() for line in extra]
    found = [Requirement(line) for line in [*PROJECT["dependencies"], *extras]]
    return [one for one in found if one.name != PROJECT["name"]]


def pins() -> dict[str, str]:
    lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    parts = [line.partition("==") for line in lines if not line.startswith("#")]
    return {canonicalize_name(name): version for name, _, version in parts}


def test_every_dependency_names_its_lowest_version() -> None:
    """Without one a resolver that looks for the lowest takes the first that there ever was."""
    bounded = {one.name for one in requirements() for part in one.specifier if part.operator in (">=", "==")}
    assert {one.name for one in requirements()} - bounded == set()


def test_every_dependency_is_pinned_to_a_version_that_it_allows() -> None:
    asked = {canonicalize_name(one.name): one for one in requirements() if one.name not in NOT_PINNED}
    pinned = pins()
    assert set(asked) - set(pinned) == set()
    assert [name for name, one in asked.items() if not one.specifier.contains(pinned[name], prereleases=True)] == []
