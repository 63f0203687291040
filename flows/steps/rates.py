"""Rates for `newwiki plan`: measured ones of the runs in the database, else those of a table with their machine."""

from flows.steps.plan import Rate, Rates
from storage.database import Database

# Where there is no database to ask. What was not measured says so; docs/scale.md has more.
TABLE = Rates(
    tokens_per_completion=Rate(512, "--max-new-tokens' default, as if nothing ended by itself"),
    tokens_per_second=Rate(77, "measured: a GPT-2 of 124 million parameters, float32, two cores shared with others"),
    score_seconds=Rate(0.064, "measured: core metrics by rules-v1 and MiniLM, texts of 240 tokens, two cores"),
    load_seconds=Rate(10, "a guess for a process and a small model"),
    requests=Rate(3560, "estimated for a month of a large wiki"),
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
