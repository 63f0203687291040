"""The Dockerfile, as far as it can be read without Docker: what it copies and calls is there."""

import json
import re
import shlex
import tomllib
from typing import Any

import click
import pytest

from flows.cli import cli
from tests.docs.blocks import ROOT, blocks
from tests.docs.test_commands import unknown

PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def instructions() -> list[tuple[str, str]]:
    """(COPY, its arguments) and so on, in their order."""
    text = re.sub(r"^#.*\n", "", (ROOT / "Dockerfile").read_text("utf-8"), flags=re.MULTILINE)
    lines = re.sub(r"\\\n\s*", "", text).splitlines()
    return [(line.split(" ", 1)[0], line.split(" ", 1)[1]) for line in lines if line]


def arguments(of: str) -> list[str]:
    return [given for name, given in instructions() if name == of]


def copied() -> set[str]:
    return {source for given in arguments("COPY") for source in given.split()[:-1]}


def test_what_it_copies_is_there_and_not_ignored() -> None:
    assert {name for name in copied() if not (ROOT / name).exists()} == set()
    ignored = (ROOT / ".dockerignore").read_text("utf-8").splitlines()
    assert ignored[1] == "*"
    assert {line[1:] for line in ignored if line.startswith("!")} == copied()


def test_it_copies_all_that_the_package_is_made_of() -> None:
    packages = {name.rstrip("*") for name in PROJECT["tool"]["setuptools"]["packages"]["find"]["include"]}
    described_by = {"pyproject.toml", PROJECT["project"]["readme"], *PROJECT["project"]["license-files"]}
    assert copied() == packages | described_by | {"constraints.txt"}


def test_torch_comes_first_by_its_pinned_version_and_for_the_processor() -> None:
    installed = [line for line in arguments("RUN") if "pip install" in line]
    assert "torch" in installed[0].split()
    assert [line for line in installed if "pip install -c constraints.txt " not in line] == []
    assert any("PIP_EXTRA_INDEX_URL=https://download.pytorch.org/whl/cpu" in given for given in arguments("ENV"))


def test_what_it_installs_are_extras_that_there_are() -> None:
    extras = {
        extra for line in arguments("RUN") for found in re.findall(r"'\.\[(.+?)\]'", line) for extra in found.split(",")
    }
    assert extras
    assert extras <= set(PROJECT["project"]["optional-dependencies"])


def test_it_runs_newwiki_in_the_folder_that_is_kept_and_not_as_root() -> None:
    [entry], [default] = json.loads(arguments("ENTRYPOINT")[0]), arguments("CMD")
    assert entry in PROJECT["project"]["scripts"]
    with pytest.raises(click.exceptions.Exit) as ended:
        cli.make_context(entry, json.loads(default))
    assert ended.value.exit_code == 0
    names = [name for name, _ in instructions()]
    assert names.index("USER") < names.index("ENTRYPOINT")
    assert arguments("USER")[0] not in ("root", "0")
    assert arguments("WORKDIR")[-1] == arguments("VOLUME")[0]
    assert any(shlex.split(line)[-1] == arguments("VOLUME")[0] for line in arguments("RUN")), "its owner is made"


def test_what_the_documentation_lets_a_container_do_is_a_command() -> None:
    lines = [line for block in blocks("docs/refresh.md") for line in block.text.splitlines()]
    asked = [line.split(" newwiki-eval ")[1].split() for line in lines if line.startswith("docker run ")]
    assert [words[0] for words in asked] == ["init", "refresh", "evaluate", "schedule"]
    assert [unknown(words) for words in asked] == [[]] * 4
