"""The walk-through runs from its first cell to its last, and is kept without what it shows."""

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from tests.docs.world import write_embedder
from tests.flows.conftest import environment

ROOT = Path(__file__).parents[1]
NOTEBOOK = ROOT / "notebooks" / "walkthrough.ipynb"
IN_PART = {
    "STEPS = 100": "STEPS = 2",
    "prompts=6": "prompts=2",
    "samples=4": "samples=2",
    "max_new_tokens=100": "max_new_tokens=12",
}


def test_the_notebook_is_kept_without_outputs() -> None:
    for cell in nbformat.read(NOTEBOOK, as_version=4).cells:
        if cell.cell_type == "code":
            assert (cell.outputs, cell.execution_count) == ([], None)


@pytest.mark.slow
def test_the_notebook_goes_from_a_wiki_to_a_plot(toy_checkpoint: Path, tmp_path: Path) -> None:
    """On less than it asks for, and with a small embedding model."""
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    for whole, part in IN_PART.items():
        [cell] = [cell for cell in notebook.cells if whole in cell.source]
        cell.source = cell.source.replace(whole, part)
    embedder = str(write_embedder(toy_checkpoint, tmp_path / "embedder"))
    offline = environment(HF_HUB_OFFLINE="1", IPYTHONDIR=str(tmp_path), TMPDIR=str(tmp_path), NEWWIKI_EMBEDDER=embedder)
    client = NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(tmp_path)}})
    client.execute(env=offline)
    shown = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    assert len([one for one in shown if "image/svg+xml" in one.get("data", {})]) == 2
    said = "".join(one.get("text", "") for one in shown)
    assert "task/newwiki_samplewiki_2026_09.yaml" in said and "runs/data/scores.parquet" in said
