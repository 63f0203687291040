"""Export the numbers of runs in the format of the Hugging Face Hub: `.eval_results/*.yaml`, an entry for each metric.

The format is described at huggingface.co/docs/hub/eval-results. An entry has room for one number. Its notes hold the
interval, the number of texts, the decoder and the evaluator.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import UTC
from pathlib import Path
from typing import Any

from flows.comparing.one_evaluator import left_out_words, of_all
from flows.comparing.one_protocol import require_one_protocol
from flows.exporting.described import DescribedRun, Number, describe, hub_names, require_own_file
from flows.progress import Progress
from newwiki.decoding.grammar import short_form
from newwiki.errors import TerminalError, UsageError, did_you_mean
from newwiki.results_request import HubResultsRequest
from storage.comparison import Scoring, contenders
from storage.database import Database
from storage.folders import write_text
from storage.outputs import safe
from storage.run_names import Contender

_ALL = "all"


def export_hub_results(database: Database, request: HubResultsRequest, folder: Path, progress: Progress) -> list[Path]:
    """Write a file for each run, `ORG/NAME/.eval_results/TASK.yaml`, for the model's repository, and return the files.

    The runs share a snapshot and a protocol, and each has a different model. A metric needs a common evaluator of all
    runs and a direction; other metrics are omitted with a note. Raises UsageError for unknown metrics. Raises
    TerminalError for runs that cannot share a leaderboard, and if another file exists in the place.
    """
    safe(folder, database.path)
    runs = contenders(database, request.runs, snapshot=request.snapshot, note=progress.note)
    _require_one_leaderboard(runs)
    names = hub_names(runs, request.model_id)
    described = [describe(database, run) for run in runs]
    scorers = _scorers(described, request, progress)
    written = {}
    for run, run_results in zip(runs, described, strict=True):
        path = folder / names[run.model] / ".eval_results" / f"{run_results.task}.yaml"
        require_own_file(path, run_results.run_id, _run_in)
        run_results.note_left_out(progress)
        written[path] = _yaml([entry(run_results, number, request) for number in _numbers(run_results, scorers)])
    for path, text in written.items():
        write_text(path, text)
    return list(written)


def entry(described: DescribedRun, number: Number, request: HubResultsRequest) -> dict[str, Any]:
    """Return one number as an entry of the Hub."""
    from huggingface_hub import EvalResultEntry, eval_result_entries_to_yaml

    result = EvalResultEntry(
        dataset_id=request.dataset,
        task_id=f"{described.task}_{number['metric']}",
        value=number["mean"],
        dataset_revision=request.revision,
        date=described.run["started_at"].astimezone(UTC).isoformat(timespec="seconds"),
        source_url=request.source,
        source_name="New-Wiki Eval" if request.source else None,
        notes=_notes(described, number),
    )
    [written] = eval_result_entries_to_yaml([result])
    return written


def _notes(described: DescribedRun, number: Number) -> str:
    scorer = described.scorers[number["evaluator_id"]]
    return "; ".join(
        [
            f"{number['direction']} is better",
            _stands_on(number),
            _interval(number),
            short_form(described.run["decoder"]),
            f"evaluator {number['evaluator_id']} ({scorer['name']} {scorer['version']})",
            f"run {described.run['run_id']} of New-Wiki Eval",
        ]
    )


def _stands_on(number: Number) -> str:
    texts = f"{number['scored']} texts"
    extent = f"{texts} of {number['pages']} prompts" if number["pages"] else f"one number of {texts} together"
    return extent if number["status"] == "ok" else f"{extent} ({number['status']})"


def _interval(number: Number) -> str:
    if number["low"] is not None:
        return f"95 % interval {number['low']:.6g} to {number['high']:.6g}, clustered by prompt"
    return f"no interval: {number['no_interval'] or 'a number of the whole run'}"


def _numbers(described: DescribedRun, scorers: Mapping[str, str]) -> list[Number]:
    return [number for number in described.known if scorers.get(number["metric"]) == number["evaluator_id"]]


def _scorers(described: Sequence[DescribedRun], request: HubResultsRequest, progress: Progress) -> dict[str, str]:
    """Return the common evaluator of all runs by metric. Raises TerminalError if no metric has a common evaluator."""
    directions = {number["metric"]: number["direction"] for run in described for number in run.known}
    metrics = _wanted_metrics(request, directions)
    scorings = [
        Scoring(run.run["run_id"], number["metric"], number["evaluator_id"], number["finished_at"])
        for run in described
        for number in run.known
        if number["metric"] in metrics
    ]
    scorers, without = of_all(scorings, [run.run["run_id"] for run in described])
    if not scorers:
        raise TerminalError(
            "; ".join(left_out_words(without)) or "none of the metrics has a direction, so none is told"
        )
    undirected = [name for name, way in directions.items() if way == "none"] if request.metrics == _ALL else []
    for words in [*left_out_words(without), *_undirected_words(undirected)]:
        progress.note(words)
    return scorers


def _undirected_words(metrics: Sequence[str]) -> list[str]:
    return [f"left out, as neither more nor less is better: {', '.join(metrics)}"] if metrics else []


def _wanted_metrics(request: HubResultsRequest, directions: Mapping[str, str]) -> set[str]:
    if request.metrics == _ALL:
        return {name for name, way in directions.items() if way != "none"}
    names = request.metrics.split(",")
    for name in names:
        if name not in directions:
            nearest = did_you_mean(name, directions) or ";"
            raise UsageError(f"these runs have no number of '{name}'{nearest} there are: {', '.join(directions)}")
        if directions[name] == "none":
            raise UsageError(f"of '{name}' neither more nor less is better, so it makes no leaderboard")
    return set(names)


def _require_one_leaderboard(runs: Sequence[Contender]) -> None:
    first = runs[0]
    for other in runs[1:]:
        if other.snapshot_id != first.snapshot_id:
            raise TerminalError(
                f"{first.run_id} is on {first.snapshot_id} and {other.run_id} on {other.snapshot_id}, which are two "
                "benchmarks; export one at a time"
            )
        require_one_protocol(first, other, None)
    for model in dict.fromkeys(run.model for run in runs):
        if len(runs_of_model := [run for run in runs if run.model == model]) > 1:
            named = ", ".join(f"{run.run_id} ({run.short})" for run in runs_of_model)
            raise TerminalError(f"the Hub has one number a model and task, and these runs are of {model}: {named}")


def _yaml(entries: Sequence[Mapping[str, Any]]) -> str:
    import yaml

    text: str = yaml.safe_dump(list(entries), sort_keys=False, allow_unicode=False, width=120)
    return text


def _run_in(text: str) -> str | None:
    match = re.search(r"run\s+(\S+)\s+of\s+New-Wiki\s+Eval", text)
    return match[1] if match else None
