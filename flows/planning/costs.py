"""What a workload will cost: hours, machines, money and disk, from rates that were measured."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from flows.workers.shards import A_SHARD, shard_size
from newwiki.request import PlanRequest

MOST_MACHINES = 1024


@dataclass(frozen=True)
class Rate:
    """A number, and where it comes from."""

    value: float
    source: str


@dataclass(frozen=True)
class Rates:
    """What one machine does; `requests` are those of a refresh, each of `request_seconds`.

    Seconds are of the machine that was measured: on a GPU those of the GPU, on a CPU those of the cores it was given.
    A run takes `write_run_seconds` and `score_run_seconds` whatever its size: files opened, first prompts read.
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
        """With numbers of the user's own."""
        return replace(self, **{name: Rate(value, "given") for name, value in values.items()})


@dataclass(frozen=True)
class Plan:
    """`work` are machine-seconds by stage, `seconds` what passes until all is done by so many machines."""

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
    """The same work that an evaluation does: run after run, each first written and then scored, cut into shards."""
    write_one = rates.tokens_per_completion.value / rates.tokens_per_second.value
    kept = min(workload.keep, workload.samples)
    writing = _makespan(workload.prompts, workload.samples, write_one, machines)
    scoring = _makespan(workload.prompts, kept, rates.score_seconds.value, machines)
    loading = workload.models * rates.load_seconds.value
    keeping = rates.write_run_seconds.value + rates.score_run_seconds.value
    once = _makespan(workload.prompts, 1, rates.score_seconds.value, machines)  # the articles themselves
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
    """The fewest machines that are done in time; None where no number of them is, as one shard takes longer."""
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
    """Until the last machine is done with its shards of whole pages; one machine alone has no shards."""
    if machines == 1 or not prompts:
        return prompts * each * seconds
    pages = math.ceil(shard_size(prompts * each, machines, A_SHARD) / each)
    full, rest = divmod(prompts, pages)
    rounds, left = divmod(full, machines)
    last = pages if left else rest
    return (rounds * pages + last) * each * seconds
