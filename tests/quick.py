"""What `make quick` leaves out: every test that needs a server, a browser, a model or a process of its own.

A test is slow by what it uses, not by who remembers to say so: by a fixture, by a library that its module loads, or by
its own mark. In a quick run no slow module is even imported, and a test fails that starts a process or loads one of the
libraries, whether itself or in what it calls.
"""

import ast
import multiprocessing.process
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

import pytest

ROOT = Path(__file__).parents[1]
QUICK = "not slow"  # what -m is given

# Fixtures that start a server, a browser or a process, or train or load a model; those that use one are slow too.
FIXTURES = frozenset({
    "base_checkpoint", "browser", "elsewhere", "embedder", "newwiki", "server", "spacy_pipeline", "toy_checkpoint",
    "well_read", "wiki",
})  # fmt: skip
# Libraries of models, servers and browsers.
LIBRARIES = frozenset({
    "accelerate", "datasets", "lm_eval", "nbclient", "openvino", "peft", "prefect", "ray", "sentence_transformers",
    "spacy", "sphinx", "torch", "transformers",
})  # fmt: skip
_ROOMS = frozenset({"newwiki", "evaluators", "storage", "flows", "tests"})


@cache
def loaded(path: Path) -> frozenset[str]:
    """Those of LIBRARIES that the module imports when it is imported, by itself or by modules of this repository."""
    found, seen, left = set[str](), set[Path](), [path]
    while left:
        file = left.pop()
        if file in seen:
            continue
        seen.add(file)
        for name in _imported(file):
            room = name.partition(".")[0]
            found |= {room} & LIBRARIES
            if room in _ROOMS:
                left += _files(name)
    return frozenset(found)


@cache
def _imported(file: Path) -> frozenset[str]:
    """What stands at the margin of the file, as dotted names; of `from a import b` both a and a.b."""
    names = set[str]()
    for one in ast.parse(file.read_text("utf-8")).body:
        if isinstance(one, ast.Import):
            names |= {alias.name for alias in one.names}
        elif isinstance(one, ast.ImportFrom):
            above = file.relative_to(ROOT).parts[: -one.level] if one.level else ()
            origin = ".".join([*above, *filter(None, [one.module])])
            names |= {origin, *(f"{origin}.{alias.name}" for alias in one.names)}
    return frozenset(names)


@cache
def _files(name: str) -> tuple[Path, ...]:
    """The module's file and those of the packages above it, as far as they exist."""
    above = _files(name.rpartition(".")[0]) if "." in name else ()
    place = ROOT.joinpath(*name.split("."))
    return (*above, *(file for file in (place.with_suffix(".py"), place / "__init__.py") if file.is_file()))


def is_quick(config: pytest.Config) -> bool:
    return bool(config.getoption("markexpr") == QUICK)


def mark_slow(items: list[pytest.Item]) -> None:
    for item in items:
        if FIXTURES & set(getattr(item, "fixturenames", ())) or loaded(item.path):
            item.add_marker("slow")


class Refusal:
    """Finds no module, and lets none of LIBRARIES be found."""

    def find_spec(self, name: str, *_: Any) -> None:
        if name in LIBRARIES:
            raise AssertionError(f"this test loads {name}: {_REMEDY}")


def forbid_processes_and_models() -> None:
    """From now on whoever starts the one or loads the other fails."""

    def refuse(*_: Any, **__: Any) -> NoReturn:
        raise AssertionError(f"this test starts a process: {_REMEDY}")

    subprocess.Popen.__init__ = refuse  # type: ignore[method-assign]
    multiprocessing.process.BaseProcess.start = refuse  # type: ignore[method-assign]
    sys.meta_path.insert(0, Refusal())


_REMEDY = "give it the mark `slow`, which `make quick` leaves out"
