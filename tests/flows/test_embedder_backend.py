"""S-BERT by OpenVINO is another evaluator: asked for by name, and in no column with torch's numbers."""

import json
from pathlib import Path

import pytest

from evaluators.scoring import select
from flows.progress import Silent
from flows.steps.leaderboard import board
from flows.steps.outside import take_in
from flows.steps.score import Jury, score_run
from newwiki.errors import UsageError
from newwiki.settings import Settings
from storage import snapshots
from storage.database import Database
from tests.flows.conftest import Run

BY_OPENVINO = ("--embedder-backend", "openvino", "--embedder-dtype", "float32")


def written(database: Database, file: Path, text: str) -> Path:
    article = snapshots.articles(database, snapshots.resolve(database, "latest").snapshot_id)[0]
    file.write_text(json.dumps({"title": article.title, "text": text}))
    return file


def test_numbers_by_torch_and_by_openvino_stand_in_no_common_column(
    newwiki: Run, database: Path, tmp_path: Path
) -> None:
    here = Database(database)
    asked = ("score", written(here, tmp_path / "one.jsonl", "It rains in Bergen."), "--db", database, "--format", "json")
    ended = newwiki(*asked, "--metrics", "sbert_truncated", "--decoder", "one", *BY_OPENVINO)
    assert ended.returncode == 0, ended.stderr
    assert [row["sbert_truncated"] for row in json.loads(ended.stdout) if row["decoder"] == "one"] != [None]

    other = written(here, tmp_path / "two.jsonl", "It rains in Bergen")
    run, articles = take_in(here, other, snapshot="latest", model=None, decoder="two")
    score_run(here, run, articles, Jury(select("sbert_truncated"), Settings(embedder_dtype="float32")), Silent())
    with pytest.raises(UsageError, match=r"sbert_truncated: .*torch-.* scored run .*, .*openvino-cpu .* scored run"):
        board(here)
