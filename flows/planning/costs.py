"""Estimate the hours, machines, money and disk space of a workload from measured rates."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from flows.workers.shards import A_SHARD, shard_size
from newwiki.request import PlanRequest

MOST_MACHINES = 1024


@dataclass(frozen=True)
class Rate:
    """A number and its source."""

    value: float
    source: str


@dataclass(frozen=True)
class Rates:
    """The rates of one machine. A refresh makes `requests` requests of `request_seconds` each.

    Seconds refer to the measured machine: a GPU, or the CPU cores that the process had. `write_run_seconds` and
    `score_run_seconds` are the fixed costs of each run, such as opening files and reading the first prompts.
    """

    tokens_per_completion: Rate
    tokens_per_second: Rate
    write_run_seconds: Rate
    score_seconds: Rate
    score_run_seconds: Rate
    load_seconds: Rate
    requests: Rate
    request_seconds: Rate
    completion_bytes: Rate
    score_bytes: Rate

    def changed(self, **values: float) -> "Rates":
        """Return a copy with numbers from the user."""
        return replace(self, **{name: Rate(value, "given") for name, value in values.items()})


@dataclass(frozen=True)
class Plan:
    """The estimate for a number of machines.

    `work` holds machine-seconds by stage. `seconds` is the elapsed time until all work is done.
    """

    machines: int
    seconds: float
    work: Mapping[str, float]
    requests: float
    refresh_seconds: float
    bytes: float

    @property
    def machine_hours(self) -> float:
        return sum(self.work.values()) / 3600


def plan(workload: PlanRequest, rates: Rates, machines: int = 1) -> Plan:
    """Estimate the evaluation of a workload, which runs in sequence.

    Each run is generated and then scored in shards.
    """
    write_one = rates.tokens_per_completion.value / rates.tokens_per_second.value
    kept = min(workload.keep, workload.samples)
    writing = _makespan(workload.prompts, workload.samples, write_one, machines)
    scoring = _makespan(workload.prompts, kept, rates.score_seconds.value, machines)
    loading = workload.models * rates.load_seconds.value
    keeping = rates.write_run_seconds.value + rates.score_run_seconds.value
    once = _makespan(workload.prompts, 1, rates.score_seconds.value, machines)  # the reference articles are scored once
    work = {
        "writing": workload.completions * write_one,
        "scoring": (workload.kept + workload.prompts) * rates.score_seconds.value,
        "bookkeeping": workload.runs * keeping,
        "loading": loading * machines,
    }
    stored = workload.completions * rates.completion_bytes.value
    stored += (workload.kept + workload.prompts) * workload.metrics * rates.score_bytes.value
    seconds = workload.runs * (writing + scoring + keeping) + once + loading
    refresh = rates.requests.value * rates.request_seconds.value
    return Plan(machines, seconds, work, rates.requests.value, refresh, stored)


def machines_for(workload: PlanRequest, rates: Rates, deadline_seconds: float) -> Plan | None:
    """Return the plan with the fewest machines that meets the deadline.

    Returns None if no number of machines meets it, because a single shard takes too long.
    """
    if plan(workload, rates, MOST_MACHINES).seconds > deadline_seconds:
        return None
    low, high = 1, MOST_MACHINES
    while low < high:
        middle = (low + high) // 2
        if plan(workload, rates, middle).seconds <= deadline_seconds:
            high = middle
        else:
            low = middle + 1
    return plan(workload, rates, low)


def _makespan(prompts: int, each: int, seconds: float, machines: int) -> float:
    """Return the seconds until the last machine finishes its shards of whole pages. A single machine uses no shards."""
    if machines == 1 or not prompts:
        return prompts * each * seconds
    pages = math.ceil(shard_size(prompts * each, machines, A_SHARD) / each)
    full, rest = divmod(prompts, pages)
    rounds, left = divmod(full, machines)
    last = pages if left else rest
    return (rounds * pages + last) * each * seconds
