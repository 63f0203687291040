"""Reproduce tables of topics, from stored lookups on Wikidata."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from evaluators import statistics
from flows.reproducing.matching import Ours
from flows.reproducing.step import Outcome, Reader, Reproduction, Step, Task, asks_for
from newwiki.papers.published import Exhibit, Number

_SHARE = "Share of articles"
_UNKNOWN = ("unknown", "no item")  # topics of articles that were not looked up, or have no item on Wikidata
_DRAWN = "of the articles that were drawn, which are more or fewer than the paper's 3,000"


def _tasks(reproduction: Reproduction, exhibits: Sequence[Exhibit]) -> list[Task]:
    """Return no tasks, because the lookup needs a web service and has its own command."""
    return []


def _reader(reproduction: Reproduction, outcomes: Mapping[str, Outcome]) -> Reader:
    name = reproduction.new.snapshot_id
    pages = {topic: count for topic, count, _ in reproduction.database.rows("topic_counts", name)}

    def of(exhibit: Exhibit, number: Number) -> Ours | str | None:
        if not pages.keys() - set(_UNKNOWN):
            return f"topics were not looked up: newwiki snapshots topics {name}"
        count, total = pages.get(str(number.labels["topic"]), 0), sum(pages.values())
        counted = Ours(value=count, unlike=_DRAWN, whose="Wikipedia", metric="topic", source=name)
        if number.metric.title != _SHARE:
            return counted
        is_one = np.concatenate([np.ones((count, 1)), np.zeros((total - count, 1))])
        estimate = statistics.estimate(is_one, np.ones_like(is_one))
        ends = [statistics.number_or_none(end[0] * 100) for end in (estimate.low, estimate.high)]
        share = 100 * count / total
        return replace(counted, value=share, low=ends[0], high=ends[1], lacking=estimate.lacking[0], unlike="")

    return of


STEP = Step(fills=asks_for("newwiki snapshots topics latest"), tasks=_tasks, reader=_reader)
