"""The rows behind a record of Every Eval Ever: a text and one of its numbers each, with prompt and article."""

import json
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from flows.exporting.run_described import SCHEMA_VERSION, Described
from flows.progress import Progress
from newwiki.text.prompts import fill
from newwiki.visible import in_json
from storage.database import Database
from storage.folders import whole
from storage.queries import query

_BATCH = 5_000  # rows in memory at once
_IS_CORRECT = "means nothing: the schema requires it, and no text is right or wrong by this metric"


def path_beside(record: Path) -> Path:
    """Where the rows of a record stand, which the datastore prescribes."""
    return record.with_name(f"{record.stem}_samples.jsonl")


def write(database: Database, found: Described, folder: Path, progress: Progress) -> dict[str, Any] | None:
    """Writes the rows, and gives what the record says of them; None, and a note, where the run has no such texts."""
    path = path_beside(found.path)
    digest, rows = sha256(), 0
    with whole(folder / path) as part, part.open("wb") as file:
        for number in found.known:
            with database.read() as connection:
                asked = [found.run["run_id"], number["metric"], number["evaluator_id"]]
                for batch in connection.sql(query("scored_instances"), params=asked).to_arrow_reader(_BATCH):
                    for text in batch.to_pylist():
                        row = json.dumps(_row(found, number, text), ensure_ascii=False, allow_nan=False)
                        line = f"{in_json(row)}\n".encode()
                        digest.update(line)
                        file.write(line)
                        rows += 1
    if not rows:
        (folder / path).unlink()
        progress.note(f"run {found.run['run_id']} has written no texts of stored articles, so its record has no rows")
        return None
    return {
        "format": "jsonl",
        "file_path": path.as_posix(),
        "hash_algorithm": "sha256",
        "checksum": digest.hexdigest(),
        "total_rows": rows,
    }


def _row(found: Described, number: Mapping[str, Any], text: Mapping[str, Any]) -> dict[str, Any]:
    """Nothing is taken out of the text to be judged, so `answer_attribution` is empty."""
    asked = {
        "raw": fill(found.run["prompt_template"], text["title"], text["first_sentence"]),
        "reference": [text["reference"]],
    }
    return {
        "schema_version": SCHEMA_VERSION,
        "evaluation_id": found.evaluation_id,
        "model_id": found.model_id,
        "evaluation_name": found.task,
        "evaluation_result_id": found.result_id(number["metric"], number["evaluator_id"]),
        "sample_id": str(text["page_id"]),
        "sample_hash": _hash(asked),
        "interaction_type": "single_turn",
        "input": asked,
        "output": {"raw": [text["text"]]},
        "answer_attribution": [],
        "evaluation": {"score": text["value"], "is_correct": False},
        "metadata": {
            "metric": number["metric"],
            "evaluator_id": number["evaluator_id"],
            "sample": str(text["sample"]),
            "is_correct": _IS_CORRECT,
        },
    }


def _hash(asked: Mapping[str, Any]) -> str:
    """By the project's recipe, so that others' rows of the same prompt have the same."""
    return sha256(json.dumps(asked, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
