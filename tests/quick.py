"""What `make quick` leaves out: every test that needs a server, a browser, a model or a process of its own.

A test is slow by what it uses, not by who remembers to say so: by a fixture, by a library that its module loads, or by
its own mark. In a quick run no slow module is even imported, and a test fails that starts a process or loads one of the
libraries, whether itself or in what it calls.
"""

import multiprocessing.process
import re
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
    "accelerate", "datasets", "lm_eval", "openvino", "peft", "prefect", "ray", "sentence_transformers",
    "spacy", "sphinx", "torch", "transformers",
})  # fmt: skip
_ROOMS = frozenset({"newwiki", "evaluators", "storage", "flows", "tests"})


_TEXT = re.compile(r'""".*?"""', re.DOTALL)
_IMPORT = re.compile(r"^(?:import (.+)|from (\.*)([\w.]*) import (\([^)]*\)|.+))", re.MULTILINE)


def loaded(path: Path) -> frozenset[str]:
    """Return those of LIBRARIES that importing the module imports, by itself or through modules of this repository."""
    return _loaded().get(str(path), frozenset())


@cache
def _loaded() -> dict[str, frozenset[str]]:
    """The same for every file that loads any. All files together take less time than following the imports of a few."""
    importers: dict[str, set[str]] = {}
    for file in (file for room in sorted(_ROOMS) for file in (ROOT / room).rglob("*.py")):
        for name in _imported(file):
            room = name.partition(".")[0]
            for target in _files(name) if room in _ROOMS else {room} & LIBRARIES:
                importers.setdefault(target, set()).add(str(file))
    found: dict[str, frozenset[str]] = {}
    for library in LIBRARIES:
        left = [library]
        while left:
            for importer in importers.get(left.pop(), ()):
                if library not in found.get(importer, ()):
                    found[importer] = found.get(importer, frozenset()) | {library}
                    left.append(importer)
    return found


def _imported(file: Path) -> frozenset[str]:
    """Return what the file imports at its margin, as dotted names; for `from a import b` both a and a.b."""
    names = set[str]()
    for plain, dots, module, listed in _IMPORT.findall(_TEXT.sub("", file.read_text("utf-8"))):
        imported = [part.split()[0] for part in re.sub(r"#.*|[()]", "", plain or listed).split(",") if part.strip()]
        above = file.relative_to(ROOT).parts[: -len(dots)] if dots else ()
        origin = ".".join([*above, *filter(None, [module])])
        names |= set(imported) if plain else {origin, *(f"{origin}.{name}" for name in imported)}
    return frozenset(names)


@cache
def _files(name: str) -> tuple[str, ...]:
    """Return the module's file and those of the packages above it, as far as they exist."""
    above = _files(name.rpartition(".")[0]) if "." in name else ()
    place = ROOT.joinpath(*name.split("."))
    return (*above, *(str(file) for file in (place.with_suffix(".py"), place / "__init__.py") if file.is_file()))


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
