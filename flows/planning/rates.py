"""Rates for `newwiki plan`: fitted to the runs in the database, or taken from a table of measurements."""

from collections.abc import Mapping, Sequence
from typing import Any

from flows.planning.costs import Rate, Rates
from flows.planning.linear_fit import Fit, fit
from flows.presenting.numbers import counted
from newwiki.request import EvaluationRequest
from storage.database import Database

# The rates without a database. Each source says if a rate was not measured; docs/scale.md has details.
TABLE = Rates(
    tokens_per_completion=Rate(
        EvaluationRequest.max_new_tokens, "--max-new-tokens' default, as if nothing ended by itself"
    ),
    tokens_per_second=Rate(77, "measured: a GPT-2 of 124 million parameters, float32, two cores shared with others"),
    write_run_seconds=Rate(0.4, "measured: a toy model, two cores; most of it is opening the file"),
    score_seconds=Rate(0.064, "measured: core metrics by rules-v1 and MiniLM, texts of 240 tokens, two cores"),
    score_run_seconds=Rate(0.3, "measured: a toy model's texts, two cores; most of it is opening the file"),
    load_seconds=Rate(10, "a guess for a process and a small model"),
    requests=Rate(3560, "estimated for a month of a large wiki"),
    request_seconds=Rate(0.3, "Wikimedia's limit of 200 requests a minute"),
    completion_bytes=Rate(2300, "4.5 bytes a token"),
    score_bytes=Rate(18, "a million made-up scores in a DuckDB file"),
)


def rates(database: Database) -> Rates:
    """Return the rates of the table, and replace those that the runs in the database determine."""
    values = dict(vars(TABLE))
    if not database.is_there:
        return TABLE
    with database.read():
        written = database.records(dict[str, Any], "plan_writing")
        scored = database.records(dict[str, Any], "plan_scoring")
        [(requests, request_seconds, snapshots)] = database.rows("plan_requests")
    if written:
        writing, run_source = _fit(written), _here(len(written), "run")
        writing_source = f"{run_source} ({', '.join(sorted({run['model'] for run in written}))})"
        completions, tokens, held = (sum(run[name] for run in written) for name in ("completions", "tokens", "bytes"))
        values["tokens_per_completion"] = Rate(tokens / completions, writing_source)
        values["completion_bytes"] = Rate(held / completions, writing_source)
        values["tokens_per_second"] = Rate(1 / writing.an_item, f"{writing_source}{_how(writing)}")
        values["write_run_seconds"] = Rate(writing.a_run, f"{run_source}{_how(writing)}")
    if scored:
        scoring, run_source = _fit(scored), _here(len(scored), "scoring")
        values["score_seconds"] = Rate(scoring.an_item, f"{run_source}{_how(scoring)}")
        values["score_run_seconds"] = Rate(scoring.a_run, f"{run_source}{_how(scoring)}")
    if requests:
        snapshot_source = _here(snapshots, "snapshot")
        values["requests"] = Rate(requests / snapshots, snapshot_source)
        values["request_seconds"] = Rate(request_seconds / requests, snapshot_source)
    return Rates(**values)


def _fit(runs: Sequence[Mapping[str, Any]]) -> Fit:
    kinds, sizes, seconds = ([run[name] for run in runs] for name in ("kind", "size", "seconds"))
    return fit(kinds, sizes, seconds)


def _here(number: int, what: str) -> str:
    return f"{counted(number, what)} here"


def _how(fitted: Fit) -> str:
    if fitted.apart:
        return ", fitted together with the seconds of any run"
    return ", which do not tell what any run costs: too much for larger ones"
