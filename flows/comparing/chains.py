"""Put runs of several months on one scale: chains of months, and the anchors that two adjacent months share."""

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from evaluators import linking
from evaluators.linking import Estimate, Link, Month, Step
from evaluators.statistics import FEWEST, Array
from flows.presenting.numbers import counted
from storage import comparison
from storage.database import Database


class NoLink(Exception):
    """The reason why two months cannot be linked, in words for people."""


@dataclass(frozen=True)
class Anchor:
    """A model with a decoder that ran on two months, given by its two runs."""

    earlier: str
    later: str


@dataclass(frozen=True)
class Numbers:
    """The numbers of one metric and evaluator on one snapshot.

    `values` has the shape runs × articles, NaN for missing numbers.
    """

    snapshot_id: str
    runs: Sequence[str]
    values: Array

    def of(self, runs: Sequence[str]) -> Array:
        """Return the values of these runs on the articles for which all of them have a number.

        Raises NoLink if there are too few of these articles.
        """
        places = {run: place for place, run in enumerate(self.runs)}
        chosen = self.values[[places[run] for run in runs]]
        whole = np.isfinite(chosen).all(axis=0)
        if whole.sum() < FEWEST:
            few = f"only {whole.sum()} articles of {self.snapshot_id} have numbers of all anchors"
            raise NoLink(f"{few}, and {FEWEST} are needed")
        return np.asarray(chosen[:, whole])


@dataclass(frozen=True)
class Chain:
    """Consecutive months, the links between them, and the rows of the first and the last run in their months."""

    months: Sequence[Month]
    steps: Sequence[Step]
    links: Sequence[Link]
    first: int | None
    last: int | None

    @property
    def linked(self) -> Estimate:
        """The estimated mean of the first month's run on the last month."""
        assert self.first is not None
        return linking.linked(self.months, self.steps, self.links, self.first)

    @property
    def difference(self) -> Estimate:
        """The last month's run minus the first month's run on the scale of the last month."""
        assert self.first is not None
        return linking.linked(self.months, self.steps, self.links, self.first, self.last)


def chain(
    numbers: Sequence[Numbers],
    anchors: Sequence[Sequence[Anchor]],
    models: Mapping[str, str],
    first: str | None = None,
    last: str | None = None,
) -> Chain:
    """Link these months by the anchors of adjacent months, with a run of the first month and a run of the last.

    `models` maps every run to its model; a model is no anchor for its own runs. Raises NoLink if anchors or articles
    are too few.
    """
    own = {models[run] for run in (first, last) if run}
    used = [[anchor for anchor in pair_anchors if models[anchor.earlier] not in own] for pair_anchors in anchors]
    for pair_anchors, *pair in zip(used, numbers, numbers[1:], strict=False):
        if (several := models_of(pair_anchors, models)) < linking.FEWEST_MODELS:
            raise NoLink(few(several, *(month_numbers.snapshot_id for month_numbers in pair), beside=bool(own)))
    runs = [
        [
            *dict.fromkeys(
                [
                    *([first] if first and not place else []),
                    *(anchor.later for anchor in (used[place - 1] if place else [])),
                    *(anchor.earlier for anchor in (used[place] if place < len(used) else [])),
                    *([last] if last and place == len(used) else []),
                ]
            )
        ]
        for place in range(len(numbers))
    ]
    names = {name: number for number, name in enumerate(dict.fromkeys(models.values()))}
    months = [
        Month(month_numbers.of(month_runs), np.array([names[models[run]] for run in month_runs]))
        for month_numbers, month_runs in zip(numbers, runs, strict=True)
    ]
    steps = [
        Step(
            np.array([runs[place].index(anchor.earlier) for anchor in pair_anchors]),
            np.array([runs[place + 1].index(anchor.later) for anchor in pair_anchors]),
        )
        for place, pair_anchors in enumerate(used)
    ]
    links = [linking.link(months[place], months[place + 1], step) for place, step in enumerate(steps)]
    ends = (runs[0].index(first) if first else None, runs[-1].index(last) if last else None)
    return Chain(months, steps, links, *ends)


def models_of(anchors: Iterable[Anchor], models: Mapping[str, str]) -> int:
    return len({models[anchor.earlier] for anchor in anchors})


def few(several: int, earlier: str, later: str, *, beside: bool = False) -> str:
    """Return the message about too few anchors."""
    who = "no model" if not several else counted(several, "model")
    others = " beside the models that are linked" if beside else ""
    return f"{who} ran on both {earlier} and {later}{others}, and it takes {linking.FEWEST_MODELS} to link them"


def way(pairs: Iterable[tuple[str, str]], start: str, end: str) -> list[str] | None:
    """Return the shortest list of snapshots over linked pairs (earlier, later), or None if there is no path."""
    onward: dict[str, list[str]] = {}
    for earlier, later in pairs:
        onward.setdefault(earlier, []).append(later)
    ways = deque([[start]])
    seen = {start}
    while ways:
        path = ways.popleft()
        if path[-1] == end:
            return path
        for after in onward.get(path[-1], []):
            if after not in seen:
                seen.add(after)
                ways.append([*path, after])
    return None


def numbers_of(
    database: Database, runs: Mapping[str, Sequence[str]], evaluators: Mapping[str, str]
) -> dict[str, dict[str, Numbers]]:
    """Return the numbers of these runs by metric and snapshot, each metric by its evaluator."""
    by_metric: dict[str, dict[str, Numbers]] = {metric: {} for metric in evaluators}
    for snapshot_id, snapshot_runs in runs.items():
        values = comparison.page_means(database, snapshot_runs, evaluators).values
        for place, metric in enumerate(evaluators):
            by_metric[metric][snapshot_id] = Numbers(snapshot_id, snapshot_runs, values[:, place])
    return by_metric
