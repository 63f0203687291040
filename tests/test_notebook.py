"""The walk-through runs from its first cell to its last, and is kept without what it shows."""

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from tests.flows.conftest import environment

ROOT = Path(__file__).parents[1]
NOTEBOOK = ROOT / "notebooks" / "walkthrough.ipynb"


def test_the_notebook_is_kept_without_outputs() -> None:
    for cell in nbformat.read(NOTEBOOK, as_version=4).cells:
        if cell.cell_type == "code":
            assert (cell.outputs, cell.execution_count) == ([], None)


@pytest.mark.slow
def test_the_notebook_goes_from_a_wiki_to_a_plot(tmp_path: Path) -> None:
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    [training] = [cell for cell in notebook.cells if cell.source.startswith("STEPS = ")]
    training.source = training.source.replace("STEPS = 100", "STEPS = 20")
    offline = environment(HF_HUB_OFFLINE="1", IPYTHONDIR=str(tmp_path), TMPDIR=str(tmp_path))
    client = NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(tmp_path)}})
    client.execute(env=offline)
    shown = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    assert len([one for one in shown if "image/svg+xml" in one.get("data", {})]) == 2
    said = "".join(one.get("text", "") for one in shown)
    assert "task/newwiki_samplewiki_2026_09.yaml" in said and "runs/data/scores.parquet" in said
