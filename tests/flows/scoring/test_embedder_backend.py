"""S-BERT by OpenVINO is another evaluator: asked for by name, and in no column with torch's numbers."""

import json
from pathlib import Path

import pytest

from flows.comparing.board import board
from newwiki.errors import TerminalError
from storage import snapshots
from storage.database import Database
from tests.docs.world import write_embedder
from tests.flows.conftest import Run


@pytest.mark.slow
def test_numbers_by_torch_and_by_openvino_stand_in_no_common_column(
    in_process: Run, database: Path, toy_checkpoint: Path, tmp_path: Path
) -> None:
    here = Database(database)
    article = snapshots.articles(here, snapshots.resolve(here, "latest").snapshot_id)[0]
    embedder = write_embedder(toy_checkpoint, tmp_path / "embedder")
    shown = {}
    for backend in ("torch", "openvino"):
        file = tmp_path / f"{backend}.jsonl"
        file.write_text(json.dumps({"title": article.title, "text": f"It rains in Bergen, says {backend}."}))
        made_by = ("--embedder", embedder, "--embedder-dtype", "float32", "--embedder-backend", backend)
        ended = in_process(
            "score",
            file,
            "--decoder",
            backend,
            "--metrics",
            "sbert_truncated",
            *made_by,
            "--db",
            database,
            "--format",
            "json",
        )
        assert ended.returncode == 0, ended.stderr
        shown[backend] = {row["decoder"]: row["sbert_truncated"] for row in json.loads(ended.stdout)}
    assert shown["torch"]["torch"] and shown["openvino"]["openvino"]
    apart = r'sbert_truncated: openvino-cpu, "openvino": .* scored run \w+, torch-\w+, .* scored run \w+\. Have all'
    with pytest.raises(TerminalError, match=apart):
        board(here)
