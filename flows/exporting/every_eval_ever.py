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
from newwiki.prompting.chat_prompts import before_completion
from newwiki.results_request import EveryEvalEverRequest
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
    runs = contenders(database, request.runs, snapshot=request.snapshot, note=progress.note)
    names = hub_names(runs, request.model_id)
    described = [EverRecord(**vars(describe(database, run)), model_id=names[run.model]) for run in runs]
    for described_run in described:
        _require_own(folder, described_run, request)
    written = []
    for described_run in described:
        detailed = _write_instances(database, described_run, folder, progress) if request.instances else None
        text = in_json(
            json.dumps(record(described_run, request, detailed), indent=2, ensure_ascii=False, allow_nan=False)
        )
        write_text(folder / described_run.path, f"{text}\n")
        written += [folder / described_run.path, *([folder / detailed["file_path"]] if detailed else [])]
        described_run.note_left_out(progress)
    return written


def record(described: EverRecord, request: EveryEvalEverRequest, detailed: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the record. All values in its `details` are text, as the schema requires."""
    return {
        "schema_version": SCHEMA_VERSION,
        "evaluation_id": described.evaluation_id,
        "evaluation_timestamp": described.run["started_at"].isoformat(),
        "retrieved_timestamp": str(described.as_of.timestamp()),
        "source_metadata": {
            "source_name": "New-Wiki Eval",
            "source_type": "evaluation_run",
            "source_organization_name": request.organization,
            "evaluator_relationship": request.relationship,
            "additional_details": _texts(
                run_id=described.run_id, run_status=described.run["status"], left_out=described.left_out or None
            ),
        },
        "eval_library": _library(described),
        "model_info": _model(described),
        "evaluation_results": [_result(described, number) for number in described.known],
        **({"detailed_evaluation_results": dict(detailed)} if detailed else {}),
    }


def _library(described: EverRecord) -> dict[str, Any]:
    wrote = described.versions.get("newwiki-eval")
    return {
        "name": "newwiki-eval",
        "version": wrote or "unknown",
        "additional_details": _texts(exported_by=version("newwiki-eval")),
    }


def _model(described: EverRecord) -> dict[str, Any]:
    run = described.run
    return {
        "name": described.model_id,
        "id": described.model_id,
        "developer": described.model_id.split("/")[0],
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


def _result(described: EverRecord, number: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "evaluation_result_id": described.result_id(number["metric"], number["evaluator_id"]),
        "evaluation_name": described.task,
        "source_data": _source(described),
        "evaluation_timestamp": number["finished_at"].isoformat(),
        "metric_config": _metric(number, described.scorers[number["evaluator_id"]]),
        "score_details": _score(number),
        **({"generation_config": _generation(described.run)} if described.run["samples"] else {}),
    }


def _source(described: EverRecord) -> dict[str, Any]:
    run = described.run
    where = {"source_type": "url", "url": [described.wiki_url]} if described.wiki_url else {"source_type": "other"}
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
    is_of_texts = number["pages"] is not None
    return {
        "score": number["mean"],
        "details": _texts(
            texts=number["status"],
            texts_without_a_number=number["unscored"],
            prompts=number["pages"],
            no_interval=number["no_interval"] if is_of_texts else "a number of the whole run",
            spread_over_draws=None if is_of_texts else number["sd"],
        ),
        **({"uncertainty": _uncertainty(number)} if is_of_texts else {}),
    }


def _uncertainty(number: Mapping[str, Any]) -> dict[str, Any]:
    """Return the uncertainty.

    The standard error is omitted if it gives no interval; `details.no_interval` has the reason.
    """
    uncertainty: dict[str, Any] = {"num_samples": number["scored"]}
    if number["sd"] is not None:
        uncertainty |= {"standard_deviation": number["sd"]}
    if number["low"] is not None:
        ends = {"lower": number["low"], "upper": number["high"]}
        uncertainty |= {
            "standard_error": {"value": number["standard_error"], "method": _CLUSTERED},
            "confidence_interval": {**ends, "confidence_level": 0.95, "method": _INTERVAL},
        }
    return uncertainty


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
            completions_without_an_answer=run["no_answers"] or None,
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
        name: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)
        for name, value in details.items()
        if value is not None
    }


def _require_own(folder: Path, described: EverRecord, request: EveryEvalEverRequest) -> None:
    require_own_file(folder / described.path, described.run_id, _run_in)
    beside = folder / _path_beside(described.path)
    if beside.exists() and not request.instances:
        raise TerminalError(f"'{beside}' is there, and a record without instances would disown it; name another folder")


def _run_in(text: str) -> object:
    return json.loads(text)["source_metadata"]["additional_details"]["run_id"]


def _path_beside(record: Path) -> Path:
    """Return the path of a record's rows, which the datastore prescribes."""
    return record.with_name(f"{record.stem}_samples.jsonl")


def _write_instances(
    database: Database, described: EverRecord, folder: Path, progress: Progress
) -> dict[str, Any] | None:
    """Write the rows, and return their description for the record, or None with a note if the run has no rows."""
    path = _path_beside(described.path)
    digest, rows = sha256(), 0
    with whole(folder / path) as part, part.open("wb") as file:
        for number in described.known:
            with database.read() as connection:
                parameters = [described.run_id, number["metric"], number["evaluator_id"]]
                for batch in connection.sql(query("scored_instances"), params=parameters).to_arrow_reader(_BATCH):
                    for text in batch.to_pylist():
                        row = json.dumps(_instance(described, number, text), ensure_ascii=False, allow_nan=False)
                        line = f"{in_json(row)}\n".encode()
                        digest.update(line)
                        file.write(line)
                        rows += 1
    if not rows:
        (folder / path).unlink()
        progress.note(
            f"run {described.run['run_id']} has written no texts of stored articles, so its record has no rows"
        )
        return None
    return {
        "format": "jsonl",
        "file_path": path.as_posix(),
        "hash_algorithm": "sha256",
        "checksum": digest.hexdigest(),
        "total_rows": rows,
    }


def _instance(described: EverRecord, number: Mapping[str, Any], text: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row.

    `answer_attribution` is empty, because the whole text is judged. The output is the answer as written, without its
    thinking; `metadata.scored_text` is what was scored if that is another text.
    """
    input_texts = {
        "raw": before_completion(described.run["prompt_template"], text["title"], text["first_sentence"]),
        "reference": [text["reference"]],
    }
    return {
        "schema_version": SCHEMA_VERSION,
        "evaluation_id": described.evaluation_id,
        "model_id": described.model_id,
        "evaluation_name": described.task,
        "evaluation_result_id": described.result_id(number["metric"], number["evaluator_id"]),
        "sample_id": str(text["page_id"]),
        "sample_hash": _hash(input_texts),
        "interaction_type": "single_turn",
        "input": input_texts,
        "output": {"raw": [text["text"]]},
        "answer_attribution": [],
        "evaluation": {"score": text["value"], "is_correct": False},
        "metadata": {
            "metric": number["metric"],
            "evaluator_id": number["evaluator_id"],
            "sample": str(text["sample"]),
            "is_correct": _IS_CORRECT,
            **({} if text["prose"] in (None, text["text"]) else {"scored_text": text["prose"]}),
        },
    }


def _hash(input_texts: Mapping[str, Any]) -> str:
    """Return the hash of a prompt by the datastore's recipe, which gives other projects' rows the same hash."""
    return sha256(json.dumps(input_texts, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
