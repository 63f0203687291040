"""Rates for `newwiki plan`: measured ones of the runs in the database, else those of a table with their machine."""

from flows.steps.plan import Rate, Rates
from storage.database import Database

_HERE = "two cores of a cloud machine (AVX-512, bfloat16)"

# What was measured where there is no database to ask; docs/scale.md says how.
TABLE = Rates(
    tokens_per_completion=Rate(512, "--max-new-tokens' default, as if nothing ended by itself"),
    tokens_per_second=Rate(100, f"a GPT-2 of 124 million parameters in float32 on {_HERE}"),
    score_seconds=Rate(0.045, f"the core metrics with spaCy and MiniLM on {_HERE}"),
    load_seconds=Rate(10, f"a process and a small model on {_HERE}"),
    requests=Rate(3560, "a month of a large wiki, counted by kind of request"),
    request_seconds=Rate(0.3, "Wikimedia's limit of 200 requests a minute"),
    completion_bytes=Rate(2300, "4.5 bytes a token"),
    score_bytes=Rate(18, "a million made-up scores in a DuckDB file"),
)


def rates(database: Database) -> Rates:
    """The table's, with what the runs in the database tell in their place."""
    found = dict(vars(TABLE))
    if not database.path.exists():
        return TABLE
    with database.read():
        [(completions, tokens, held, seconds, runs, models)] = database.rows("plan_writing")
        [(score_seconds, scored)] = database.rows("plan_scoring")
        [(requests, request_seconds, snapshots)] = database.rows("plan_requests")
    if runs:
        of_runs = f"{runs} runs here ({models})"
        found["tokens_per_completion"] = Rate(tokens / completions, of_runs)
        found["tokens_per_second"] = Rate(tokens / seconds, of_runs)
        found["completion_bytes"] = Rate(held / completions, of_runs)
    if scored:
        found["score_seconds"] = Rate(score_seconds, f"{scored} scorings here")
    if requests:
        found["requests"] = Rate(requests / snapshots, f"{snapshots} snapshots here")
        found["request_seconds"] = Rate(request_seconds / requests, f"{snapshots} snapshots here")
    return Rates(**found)
