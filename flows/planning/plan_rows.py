"""A plan as rows: each amount, and the source of its rate."""

from pathlib import Path

from flows.planning.costs import MOST_MACHINES, machines_for, plan
from flows.planning.rates import rates
from newwiki.errors import TerminalError
from newwiki.models.files import parameter_count
from newwiki.models.gguf_header import header_of
from newwiki.request import PlanRequest
from storage.database import Database

COLUMNS = ("what", "amount", "where_from")
Row = tuple[str, float, str]


def plan_rows(database: Database, request: PlanRequest) -> tuple[list[Row], list[str]]:
    """Return the rows in the order of COLUMNS, and notes.

    Raises TerminalError if no number of machines meets the deadline, or if the weights of the checkpoint cannot be
    counted.
    """
    overrides = {
        "tokens_per_completion": request.tokens,
        "tokens_per_second": request.tokens_per_second,
        "score_seconds": request.score_seconds,
        "load_seconds": request.load_seconds,
    }
    known = rates(database).changed(**{name: rate for name, rate in overrides.items() if rate is not None})
    estimate, deadline = plan(request, known, request.machines or 1), request.deadline
    if deadline is not None and request.machines is None:
        in_time = machines_for(request, known, deadline * 3600)
        if in_time is None:
            raise TerminalError(
                f"not even {MOST_MACHINES} machines are done in {deadline:g} hours: one shard, or loading the models "
                "one after the other, takes longer; split the models over several databases, or raise --deadline"
            )
        estimate = in_time
    hours = estimate.seconds / 3600
    rows: list[Row] = [
        ("machines", estimate.machines, ""),
        ("hours until all is done", hours, "run after run, each written and then scored"),
        *((f"machine-hours of {stage}", seconds / 3600, "") for stage, seconds in estimate.work.items()),
        ("requests to the wiki", estimate.requests, known.requests.source),
        ("hours of requests", estimate.refresh_seconds / 3600, known.request_seconds.source),
        ("gigabytes stored", estimate.bytes / 1e9, known.score_bytes.source),
        *(
            [("money", hours * estimate.machines * request.price_per_hour, "all machines, all that time")]
            if request.price_per_hour
            else []
        ),
        *(memory_rows(request.checkpoint) if request.checkpoint else []),
        ("tokens a completion", known.tokens_per_completion.value, known.tokens_per_completion.source),
        ("tokens a second of a machine", known.tokens_per_second.value, known.tokens_per_second.source),
        ("seconds of any run's writing", known.write_run_seconds.value, known.write_run_seconds.source),
        ("seconds to score a text", known.score_seconds.value, known.score_seconds.source),
        ("seconds of any run's scoring", known.score_run_seconds.value, known.score_run_seconds.source),
        ("seconds to load a model", known.load_seconds.value, known.load_seconds.source),
    ]
    is_late = deadline is not None and hours > deadline
    return rows, [f"{estimate.machines} machines are not done in {deadline:g} hours"] if is_late else []


def memory_rows(name: str) -> list[Row]:
    """Return the gigabytes that a local model's weights take in memory, by dtype. Quantized weights of a GGUF file are
    converted to it. Raises TerminalError."""
    header = header_of(name)
    if header:
        weights, stored = header.weights, f"{header.bytes_on_disk / 1e9:.2f} GB of GGUF, converted"
    elif Path(name).is_dir() and (count := parameter_count(Path(name))):
        weights, stored = count, "safetensors"
    else:
        raise TerminalError(
            f"the weights of '{name}' cannot be counted; name a GGUF file, or a local folder with a whole model as "
            "safetensors"
        )
    source = f"{weights:,} weights ({stored}); prompts and texts need more"
    return [
        ("gigabytes of memory for the weights, float32", weights * 4 / 1e9, source),
        ("gigabytes of memory for the weights, bfloat16", weights * 2 / 1e9, source),
    ]
