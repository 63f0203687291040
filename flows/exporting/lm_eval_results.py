"""Export the numbers of a run in the format of lm-evaluation-harness (0.4), for programs that read it."""

import json
import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

from flows.exporting.described import DescribedRun, describe, require_own_file
from flows.exporting.lm_eval_task import HIGHER_IS_BETTER, TASK_VERSION
from newwiki.errors import TerminalError, UsageError
from newwiki.file_names import folder_name
from newwiki.visible import in_json
from storage.database import Database
from storage.folders import write_text
from storage.outputs import safe
from storage.run_names import Contender

_NONE = "N/A"  # takes the place of a missing standard error


def export_results(database: Database, runs: Sequence[Contender], out: Path) -> list[Path]:
    """Write a file for each run: `out` if it ends in .json, or else OUT/MODEL/results_TIME.json, as lm_eval does.

    Raises UsageError for several runs in one file. Raises TerminalError for a run without numbers, or if the file
    belongs to another run. Nothing is written in these cases.
    """
    safe(out, database.path)
    if out.suffix == ".json" and len(runs) > 1:
        raise UsageError(f"'{out}' is one file, and these are {len(runs)} runs; name a folder")
    written = {}
    paths = set[str]()
    for run in runs:
        run_results = results(database, run)
        path = (
            out
            if out.suffix == ".json"
            else out / folder_name(run_results["model_name_sanitized"]) / _file_name(run_results)
        )
        if str(path).casefold() in paths:
            raise TerminalError(f"'{path}' holds something else than run {run.run_id}; name another file or folder")
        require_own_file(path, run.run_id, _run_in)
        paths.add(str(path).casefold())
        written[path] = in_json(json.dumps(run_results, indent=2, ensure_ascii=False)) + "\n"
    for path, text in written.items():
        write_text(path, text)
    return list(written)


def results(database: Database, named: Contender) -> dict[str, Any]:
    """Return the results of a run.

    Standard errors are clustered by prompt, and are N/A if they give no interval; `no_interval` has the reason. Means
    omit texts without a score. Raises TerminalError for a run without numbers, and for a snapshot's articles, which no
    model wrote.
    """
    described = describe(database, named, by_evaluator=False)
    run, numbers, task = described.run, described.numbers, described.task
    effective = max((number["pages"] or 0 for number in numbers), default=0) or run["prompts"]  # as lm_eval counts
    started, ended = run["started_at"], run["finished_at"] or run["started_at"]
    return {
        "results": {task: {"name": task, "alias": task, "sample_len": effective, **_metrics(numbers)}},
        "group_subtasks": {},
        "configs": {task: _task_config(described)},
        "versions": {task: TASK_VERSION},
        "n-shot": {task: 0},
        "higher_is_better": {task: {number["metric"]: HIGHER_IS_BETTER[number["direction"]] for number in numbers}},
        "n-samples": {task: {"original": run["articles"] or run["prompts"], "effective": effective}},
        "config": _model_config(described),
        "git_hash": None,
        "date": started.timestamp(),
        "newwiki_version": version("newwiki-eval"),
        "model_source": run["backend"],
        "model_name": run["model"],
        "model_name_sanitized": re.sub(r"[\"<>:/|\\?*\[\]]+", "__", run["model"]),
        "system_instruction": described.versions.get("system"),
        "fewshot_as_multiturn": None,
        "chat_template": None,
        "start_time": started.timestamp(),
        "end_time": ended.timestamp(),
        "total_evaluation_time_seconds": str((ended - started).total_seconds()),
    }


def _metrics(numbers: Sequence[Mapping[str, Any]]) -> dict[str, float | str]:
    """Return `METRIC,none` and `METRIC_stderr,none`. `none` is the name that lm_eval gives to the absent filter."""
    values: dict[str, float | str] = {}
    for number in numbers:
        values[f"{number['metric']},none"] = number["mean"]
        error = number["standard_error"]
        values[f"{number['metric']}_stderr,none"] = _NONE if error is None else error
    return values


def _task_config(described: DescribedRun) -> dict[str, Any]:
    run, numbers = described.run, described.numbers
    return {
        "task": described.task,
        "output_type": "generate_until" if run["samples"] else "loglikelihood_rolling",
        "doc_to_text": run["prompt_template"],
        "generation_kwargs": _generation(described),
        "repeats": run["samples"],
        "num_fewshot": 0,
        "metadata": {
            "version": TASK_VERSION,
            "snapshot_id": run["snapshot_id"],
            "content_sha256": run["content_sha256"],
            "run_id": run["run_id"],
            "model_sha256": run["model_sha256"],
            "decoder": run["decoder"],
            "kept": run["keep"],
            "no_answers": run["no_answers"],
            "texts": {number["metric"]: number["scored"] for number in numbers},
            "no_interval": {number["metric"]: number["no_interval"] for number in numbers if number["no_interval"]},
            "fewer_texts": {number["metric"]: number["status"] for number in numbers if number["status"] != "ok"},
            "evaluators": {number["metric"]: described.scorers[number["evaluator_id"]] for number in numbers},
        },
    }


def _model_config(described: DescribedRun) -> dict[str, Any]:
    run, versions = described.run, described.versions
    return {
        "model": run["backend"],
        "model_args": {"pretrained": run["model"], "dtype": run["dtype"]},
        "model_dtype": run["dtype"],
        "model_sha": run["model_sha256"],
        "batch_size": versions.get("batch_size"),
        "device": versions.get("device"),
        "limit": run["prompts"],
        "gen_kwargs": _generation(described),
        "random_seed": run["seed"],
        "versions": versions,
    }


def _generation(described: DescribedRun) -> dict[str, Any]:
    """Return the generation parameters, or nothing for a likelihood run."""
    if not described.run["samples"]:
        return {}
    until = described.versions.get("stop", [])
    return {**described.decoder_parameters, "until": until, "max_gen_toks": described.run["max_new_tokens"]}


def _file_name(run_results: Mapping[str, Any]) -> str:
    started = (
        datetime.fromtimestamp(run_results["start_time"], UTC).replace(tzinfo=None).isoformat(timespec="microseconds")
    )
    return f"results_{started.replace(':', '-')}.json"


def _run_in(text: str) -> object:
    return next((config["metadata"]["run_id"] for config in json.loads(text)["configs"].values()), None)
