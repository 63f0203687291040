"""What `make quick` leaves out, and that no test may hang."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.quick import FIXTURES, ROOT, Refusal, loaded

CONFTESTS = sorted((ROOT / "tests").rglob("conftest.py"))


@pytest.mark.parametrize("file", CONFTESTS, ids=lambda file: str(file.parent.relative_to(ROOT)))
def test_what_every_run_imports_loads_no_model_and_no_server(file: Path) -> None:
    assert loaded(file) == frozenset()


def test_a_module_is_known_by_what_it_imports_through_others() -> None:
    assert "torch" in loaded(ROOT / "tests/newwiki/decoding/test_each_token.py"), "by lively.py"
    assert "torch" not in loaded(ROOT / "tests/newwiki/decoding/test_grammar.py")
    assert "torch" not in loaded(ROOT / "tests/evaluators/test_entities.py"), "within a test alone"


def test_what_makes_a_test_slow_is_there() -> None:
    """A fixture that was renamed would make its tests quick."""
    files = [*CONFTESTS, *(ROOT / "tests").rglob("test_*.py")]
    texts = "\n".join(file.read_text("utf-8") for file in files)
    assert [name for name in FIXTURES if f"def {name}(" not in texts] == []


def test_a_library_is_refused_and_whoever_loads_it_told_what_to_do() -> None:
    with pytest.raises(AssertionError, match="this test loads torch: give it the mark `slow`"):
        Refusal().find_spec("torch", None)
    Refusal().find_spec("json", None)


@pytest.mark.slow
def test_collecting_the_quick_tests_loads_neither_torch_nor_prefect() -> None:
    """Collect one package. A quick run of any package refuses to start if one of its modules has loaded them."""
    alone = ["-n", "0", "--assert", "plain"]  # what is only collected need not say why it fails
    asked = [sys.executable, "-m", "pytest", *alone, "-m", "not slow", "--collect-only", "-qq", "tests/newwiki"]
    ended = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert ended.returncode == 0, ended.stdout[-2000:] + ended.stderr[-2000:]
    assert "tests/newwiki/decoding/test_grammar.py" in ended.stdout
    assert "tests/newwiki/decoding/test_beam.py" not in ended.stdout


@pytest.mark.slow
def test_a_test_that_hangs_is_ended(tmp_path: Path, pytestconfig: pytest.Config) -> None:
    assert 0 < float(pytestconfig.getini("timeout")) <= 1200
    (tmp_path / "test_it.py").write_text("import time\ndef test_hangs(): time.sleep(600)\n")
    asked = [
        sys.executable,
        "-m",
        "pytest",
        "-c",
        str(ROOT / "pyproject.toml"),
        "--rootdir",
        str(tmp_path),
        "-n",
        "0",
        "-o",
    ]
    ended = subprocess.run(
        [*asked, "timeout=1", str(tmp_path / "test_it.py")], cwd=tmp_path, capture_output=True, text=True, timeout=300
    )
    assert ended.returncode == 1, ended.stdout + ended.stderr
    assert "Timeout" in ended.stdout
