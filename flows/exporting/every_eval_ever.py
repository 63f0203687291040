"""Export the numbers of a run as a record of Every Eval Ever (schema 0.3.0), one file for each run.

The schema is published at github.com/evaleval/every_eval_ever (`eval_types.py`, `validation_core.py`). The same
database gives the same bytes: the file's UUID comes from the run id, and the record's date is that of the newest
number.
"""

import json
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any

from flows.exporting.described import DescribedRun, describe, hub_names, require_own_file
from flows.progress import Progress
from newwiki.decoding.grammar import short_form
from newwiki.errors import TerminalError
from newwiki.results_request import EveryEvalEverRequest
from newwiki.text.prompts import fill
from newwiki.visible import in_json
from storage.comparison import contenders
from storage.database import Database
from storage.folders import whole, write_text
from storage.outputs import safe
from storage.queries import query

SCHEMA_VERSION = "0.3.0"
_BATCH = 5_000  # maximum rows in memory
_IS_CORRECT = "means nothing: the schema requires it, and no text is right or wrong by this metric"

_SAMPLING = ("temperature", "top_p", "top_k")
_CLUSTERED = "of the mean over texts, clustered by prompt (CR2)"
_INTERVAL = f"{_CLUSTERED}, Satterthwaite's degrees of freedom, Hall's transformation against skewness"


@dataclass(frozen=True, kw_only=True)
class EverRecord(DescribedRun):
    """A run with the names that the datastore gives it."""

    model_id: str

    @property
    def evaluation_id(self) -> str:
        return f"{self.task}/{self.model_id}/{self.as_of.timestamp()}/{self.run_id}"

    def result_id(self, metric: str, evaluator_id: str) -> str:
        """Return the id of a number. The rows of its texts refer to this id."""
        return f"{self.run_id}/{metric}/{evaluator_id}"

    @property
    def path(self) -> Path:
        """The place in the datastore: `data/COLLECTION/ORG/NAME/UUID.json`."""
        named = uuid.UUID(bytes=sha256(self.run_id.encode()).digest()[:16], version=4)
        return Path("data", self.task, *self.model_id.split("/"), f"{named}.json")


def export_records(database: Database, request: EveryEvalEverRequest, folder: Path, progress: Progress) -> list[Path]:
    """Write a record for each run into a folder.

    With `instances`, also write a file with a row for each text and number. A metric with several evaluators has a
    result for each. Metrics without a number are omitted with a note. Raises UsageError if a model's name on the Hub is
    unknown. Raises TerminalError for a run without numbers, for a snapshot's articles, and if another file exists in
    the place of a record.
    """
    safe(folder, database.path)
    runs = contenders(database, request.runs)
    names = hub_names(runs, request.model_id)
    found = [EverRecord(**vars(describe(database, run)), model_id=names[run.model]) for run in runs]
    for one in found:
        _require_own(folder, one, request)
    written = []
    for one in found:
        detailed = _write_instances(database, one, folder, progress) if request.instances else None
        text = in_json(json.dumps(record(one, request, detailed), indent=2, ensure_ascii=False, allow_nan=False))
        write_text(folder / one.path, f"{text}\n")
        written += [folder / one.path, *([folder / detailed["file_path"]] if detailed else [])]
        one.note_left_out(progress)
    return written


def record(found: EverRecord, request: EveryEvalEverRequest, detailed: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the record. All values in its `details` are text, as the schema requires."""
    return {
        "schema_version": SCHEMA_VERSION,
        "evaluation_id": found.evaluation_id,
        "evaluation_timestamp": found.run["started_at"].isoformat(),
        "retrieved_timestamp": str(found.as_of.timestamp()),
        "source_metadata": {
            "source_name": "New-Wiki Eval",
            "source_type": "evaluation_run",
            "source_organization_name": request.organization,
            "evaluator_relationship": request.relationship,
            "additional_details": _texts(
                run_id=found.run_id, run_status=found.run["status"], left_out=found.left_out or None
            ),
        },
        "eval_library": _library(found),
        "model_info": _model(found),
        "evaluation_results": [_result(found, number) for number in found.known],
        **({"detailed_evaluation_results": dict(detailed)} if detailed else {}),
    }


def _library(found: EverRecord) -> dict[str, Any]:
    wrote = found.versions.get("newwiki-eval")
    return {
        "name": "newwiki-eval",
        "version": wrote or "unknown",
        "additional_details": _texts(exported_by=version("newwiki-eval")),
    }


def _model(found: EverRecord) -> dict[str, Any]:
    run = found.run
    return {
        "name": found.model_id,
        "id": found.model_id,
        "developer": found.model_id.split("/")[0],
        "inference_engine": {"name": run["backend"], **_engine_version(run)},
        "additional_details": _texts(
            deployment_type="unknown",
            model_availability="unknown",
            model_sha256=run["model_sha256"],
            dtype=run["dtype"],
            knowledge_cutoff=run["knowledge_cutoff"] and run["knowledge_cutoff"].isoformat(),
            knowledge_cutoff_from=run["knowledge_cutoff_from"],
        ),
    }


def _engine_version(run: Mapping[str, Any]) -> dict[str, str]:
    package = {"hf": "transformers"}.get(run["backend"], run["backend"])
    known = json.loads(run["versions"]).get(package)
    return {"version": known} if known else {}


def _result(found: EverRecord, number: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "evaluation_result_id": found.result_id(number["metric"], number["evaluator_id"]),
        "evaluation_name": found.task,
        "source_data": _source(found),
        "evaluation_timestamp": number["finished_at"].isoformat(),
        "metric_config": _metric(number, found.scorers[number["evaluator_id"]]),
        "score_details": _score(number),
        **({"generation_config": _generation(found.run)} if found.run["samples"] else {}),
    }


def _source(found: EverRecord) -> dict[str, Any]:
    run = found.run
    where = {"source_type": "url", "url": [found.wiki_url]} if found.wiki_url else {"source_type": "other"}
    details = _texts(content_sha256=run["content_sha256"], articles=run["articles"], prompts=run["prompts"])
    return {"dataset_name": run["snapshot_id"], **where, "additional_details": details}


def _metric(number: Mapping[str, Any], scorer: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "evaluation_description": number["definition"],
        "metric_id": f"newwiki.{number['metric']}",
        "metric_name": number["metric"],
        "metric_unit": number["unit"] or "1",
        "metric_parameters": {"evaluator_id": number["evaluator_id"]},
        "lower_is_better": number["direction"] == "lower",
        "score_type": "continuous",
        "min_score": "-Infinity" if number["minimum"] is None else number["minimum"],
        "max_score": "Infinity" if number["maximum"] is None else number["maximum"],
        "additional_details": _texts(
            direction=_DIRECTIONS[number["direction"]], source=number["source"], evaluator=dict(scorer)
        ),
    }


_DIRECTIONS = {
    "higher": "higher is better",
    "lower": "lower is better",
    "none": "none: neither more nor less is better, whatever lower_is_better says, which the schema requires",
}


def _score(number: Mapping[str, Any]) -> dict[str, Any]:
    of_texts = number["pages"] is not None
    return {
        "score": number["mean"],
        "details": _texts(
            texts=number["status"],
            texts_without_a_number=number["unscored"],
            prompts=number["pages"],
            no_interval=number["no_interval"] if of_texts else "a number of the whole run",
            spread_over_draws=None if of_texts else number["sd"],
        ),
        **({"uncertainty": _uncertainty(number)} if of_texts else {}),
    }


def _uncertainty(number: Mapping[str, Any]) -> dict[str, Any]:
    """Return the uncertainty.

    The standard error is omitted if it gives no interval; `details.no_interval` has the reason.
    """
    told: dict[str, Any] = {"num_samples": number["scored"]}
    if number["sd"] is not None:
        told |= {"standard_deviation": number["sd"]}
    if number["low"] is not None:
        ends = {"lower": number["low"], "upper": number["high"]}
        told |= {
            "standard_error": {"value": number["standard_error"], "method": _CLUSTERED},
            "confidence_interval": {**ends, "confidence_level": 0.95, "method": _INTERVAL},
        }
    return told


def _generation(run: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters that the schema names, and all other settings of the run as details."""
    parameters = json.loads(run["decoder_parameters"])
    sampled = {name: parameters[name] for name in _SAMPLING if name in parameters} if _samples(run) else {}
    length = {"max_tokens": run["max_new_tokens"]} if run["max_new_tokens"] else {}
    return {
        "generation_args": {**sampled, **length, "prompt_template": run["prompt_template"]},
        "additional_details": _texts(
            decoder=run["decoder"],
            decoder_short=short_form(run["decoder"]),
            seed=run["seed"],
            samples_a_prompt=run["samples"],
            kept_a_prompt=run["keep"],
            protocol=run["protocol"],
            circumstances=json.loads(run["versions"]),
        ),
    }


def _samples(run: Mapping[str, Any]) -> bool:
    """Return whether the parameters have their usual meaning; contrastive search uses `top_k` for something else."""
    return str(run["decoder"]).split(":")[0] == "sample"


def _texts(**details: Any) -> dict[str, str]:
    """Return the details that are not None, each as text. Values of other types become JSON."""
    return {
        name: one if isinstance(one, str) else json.dumps(one, ensure_ascii=False, sort_keys=True)
        for name, one in details.items()
        if one is not None
    }


def _require_own(folder: Path, found: EverRecord, request: EveryEvalEverRequest) -> None:
    require_own_file(folder / found.path, found.run_id, _run_in)
    beside = folder / _path_beside(found.path)
    if beside.exists() and not request.instances:
        raise TerminalError(f"'{beside}' is there, and a record without instances would disown it; name another folder")


def _run_in(text: str) -> object:
    return json.loads(text)["source_metadata"]["additional_details"]["run_id"]


def _path_beside(record: Path) -> Path:
    """Return the path of a record's rows, which the datastore prescribes."""
    return record.with_name(f"{record.stem}_samples.jsonl")


def _write_instances(database: Database, found: EverRecord, folder: Path, progress: Progress) -> dict[str, Any] | None:
    """Write the rows, and return their description for the record, or None with a note if the run has no rows."""
    path = _path_beside(found.path)
    digest, rows = sha256(), 0
    with whole(folder / path) as part, part.open("wb") as file:
        for number in found.known:
            with database.read() as connection:
                asked = [found.run_id, number["metric"], number["evaluator_id"]]
                for batch in connection.sql(query("scored_instances"), params=asked).to_arrow_reader(_BATCH):
                    for text in batch.to_pylist():
                        row = json.dumps(_instance(found, number, text), ensure_ascii=False, allow_nan=False)
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


def _instance(found: EverRecord, number: Mapping[str, Any], text: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row. `answer_attribution` is empty, because the whole text is judged."""
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
    """Return the hash of a prompt by the datastore's recipe, which gives other projects' rows the same hash."""
    return sha256(json.dumps(asked, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
