"""What a commit is checked for is what `make check` checks, and what is cited is what is released."""

import re
import tomllib
from typing import Any

import yaml

from tests.docs.blocks import ROOT

VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]


def read(name: str) -> Any:
    return yaml.safe_load((ROOT / name).read_text("utf-8"))


def test_the_hooks_before_a_commit_are_the_checks_of_make_check() -> None:
    [repository] = read(".pre-commit-config.yaml")["repos"]
    hooks = [hook["entry"] for hook in repository["hooks"]]
    found = re.search(r"^check:.*\n((?:\t.+\n)+)", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    assert found
    assert hooks == [line.strip().replace("$(BIN)", ".venv/bin") for line in found[1].splitlines()]


def test_the_citation_is_of_this_version_and_its_day_is_the_changelogs() -> None:
    cited = read("CITATION.cff")
    assert cited["version"] == VERSION
    assert f"## [{VERSION}] - {cited['date-released']}\n" in (ROOT / "CHANGELOG.md").read_text("utf-8")
