"""The walk-through runs from its first cell to its last, and is kept without what it shows."""

import ast
import json
import tempfile
from pathlib import Path
from typing import Any

import altair
import pytest

from tests.docs.world import write_embedder

ROOT = Path(__file__).parents[1]
NOTEBOOK = ROOT / "notebooks" / "walkthrough.ipynb"
IN_PART = {
    "STEPS = 100": "STEPS = 2", "prompts=6": "prompts=2", "samples=4": "samples=2", "max_new_tokens=100":
    "max_new_tokens=12",
}  # fmt: skip


def test_the_notebook_is_kept_without_outputs() -> None:
    for cell in code_cells():
        assert (cell["outputs"], cell["execution_count"]) == ([], None)


@pytest.mark.slow
def test_the_notebook_goes_from_a_wiki_to_a_plot(
    toy_checkpoint: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """On less than it asks for, and with a small embedding model. A kernel of its own would first import for seconds
    what is imported here."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("NEWWIKI_EMBEDDER", str(write_embedder(toy_checkpoint, tmp_path / "embedder")))
    before, names, charts = altair.renderers.active, dict[str, Any](), []
    left = dict(IN_PART)
    for cell in code_cells():
        source = "".join(cell["source"])
        for whole in [one for one in left if one in source]:
            source = source.replace(whole, left.pop(whole))
        value = value_of(source, names)
        if isinstance(value, altair.TopLevelMixin):
            charts.append(value._repr_mimebundle_())
    altair.renderers.enable(before)
    assert not left
    assert ["image/svg+xml" in bundle for bundle in charts] == [True, True]
    said = capsys.readouterr().out
    assert "task/newwiki_samplewiki_2026_09.yaml" in said and "runs/data/scores.parquet" in said


def code_cells() -> list[dict[str, Any]]:
    """Return the cells with code, at least one."""
    cells = [cell for cell in json.loads(NOTEBOOK.read_text("utf-8"))["cells"] if cell["cell_type"] == "code"]
    assert cells
    return cells


def value_of(cell: str, names: dict[str, Any]) -> Any:
    """Runs the cell, and gives the value of its last statement if that is an expression, which Jupyter shows."""
    *statements, last = ast.parse(cell).body
    is_shown = isinstance(last, ast.Expr)
    exec(compile(ast.Module(statements if is_shown else [*statements, last], []), "cell", "exec"), names)
    return eval(compile(ast.Expression(last.value), "cell", "eval"), names) if isinstance(last, ast.Expr) else None
