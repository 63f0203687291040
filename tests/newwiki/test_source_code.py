"""Code that changed is another piece: what a plug-in is made of, as a hash."""

import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from evaluators.analysis import Analyst
from evaluators.readability import flesch_reading_ease
from evaluators.scoring import fingerprint
from newwiki import registry
from newwiki.registry import load_plugin
from newwiki.source_code import source_sha256

PLUGIN = """
from helper import factor
from newwiki import Metric, evaluator

@evaluator(metrics=[Metric("twice", "words", 0, None, "none", "words, twice", "here")], version="1")
def twice(analysis, reference):
    return factor() * len(analysis.words)
"""
HELPER = "def factor():\n    return 2\n"


@pytest.fixture
def of_plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., str]:
    """Loads a plug-in file with its helper as a new process would, and gives the evaluator's id."""
    monkeypatch.syspath_prepend(str(tmp_path))

    def load(plugin: str = PLUGIN, helper: str = HELPER, unrelated: str = "") -> str:
        for name, text in (("mine", plugin), ("helper", helper), ("unrelated", unrelated)):
            (tmp_path / f"{name}.py").write_text(text)
        others = {name: one for name, one in registry.evaluators.all().items() if name != "twice"}
        monkeypatch.setattr(registry, "_plugins", [])
        monkeypatch.setattr(registry.evaluators, "_pieces", others)
        sys.modules.pop("helper", None)
        load_plugin(tmp_path / "mine.py")
        return fingerprint(registry.evaluators.get("twice"), Analyst()).evaluator_id

    return load


def test_an_edited_file_is_another_evaluator(of_plugin: Callable[..., str]) -> None:
    """Whatever its version says."""
    assert of_plugin() != of_plugin(PLUGIN.replace("factor() *", "3 *"))


def test_what_it_imports_from_beside_it_belongs_to_it(of_plugin: Callable[..., str]) -> None:
    assert of_plugin() != of_plugin(helper=HELPER.replace("2", "3"))


def test_the_same_code_is_the_same_evaluator(of_plugin: Callable[..., str]) -> None:
    assert of_plugin() == of_plugin() == of_plugin(unrelated="changed = True\n")


def test_every_file_of_a_package_that_is_imported_belongs_to_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Absolutely, relatively, from a folder below, or inside of a function; what is not imported does not."""
    files = {
        "pieces/__init__.py": "",
        "pieces/one.py": "from . import two\nfrom .deep import three\n\ndef piece():\n    import pieces.four\n",
        "pieces/two.py": "",
        "pieces/deep/__init__.py": "",
        "pieces/deep/three.py": "from ..five import x\n",
        "pieces/four.py": "",
        "pieces/five.py": "x = 1\n",
        "pieces/six.py": "",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / name).write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    from pieces.one import piece  # type: ignore[import-not-found]

    before = source_sha256(piece)
    moved = []
    for name, text in files.items():
        (tmp_path / name).write_text(f"{text}# another\n")
        moved += [name] if source_sha256(piece) != before else []
        (tmp_path / name).write_text(text)
    assert [name for name in files if name not in moved] == ["pieces/six.py"]
    assert source_sha256(piece) == before


def test_a_function_that_stands_in_no_file_has_a_hash_of_what_it_does() -> None:
    """As in a notebook."""

    def made(code: str) -> object:
        names: dict[str, object] = {"__name__": "__main__"}
        exec(compile(code, "<input>", "exec"), names)
        return names["f"]

    first, same, other = (source_sha256(made(f"def f(): return {n}")) for n in (1, 1, 2))
    assert first == same != other


def test_what_is_ours_has_its_version() -> None:
    assert source_sha256(flesch_reading_ease) is None
    assert "source_sha256" not in fingerprint(registry.evaluators.get("rep_4"), Analyst()).parameters


def test_a_class_is_made_of_the_file_that_it_stands_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever functions a decorator, such as that of a dataclass, has put into it."""
    text = (
        "from dataclasses import dataclass\n@dataclass\nclass Piece:\n    x: int\n    def f(self):\n        return 1\n"
    )
    found = set()
    for number in (1, 2):
        (tmp_path / "classy.py").write_text(text.replace("1", str(number)))
        spec = importlib.util.spec_from_file_location("classy", tmp_path / "classy.py")
        assert spec and spec.loader
        module = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, "classy", module)
        spec.loader.exec_module(module)
        found |= {source_sha256(module.Piece), source_sha256(module.Piece(1).f)}
    assert len(found) == 2
