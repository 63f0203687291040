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
            raise NoLink(
                f"on {whole.sum()} articles of {self.snapshot_id} have all of them a number, of {FEWEST} needed"
            )
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
    used = [[one for one in of_two if models[one.earlier] not in own] for of_two in anchors]
    for of_two, *pair in zip(used, numbers, numbers[1:], strict=False):
        if (several := models_of(of_two, models)) < linking.FEWEST_MODELS:
            raise NoLink(few(several, *(one.snapshot_id for one in pair), beside=bool(own)))
    runs = [
        [
            *dict.fromkeys(
                [
                    *([first] if first and not place else []),
                    *(one.later for one in (used[place - 1] if place else [])),
                    *(one.earlier for one in (used[place] if place < len(used) else [])),
                    *([last] if last and place == len(used) else []),
                ]
            )
        ]
        for place in range(len(numbers))
    ]
    names = {name: number for number, name in enumerate(dict.fromkeys(models.values()))}
    months = [
        Month(of_month.of(there), np.array([names[models[run]] for run in there]))
        for of_month, there in zip(numbers, runs, strict=True)
    ]
    steps = [
        Step(
            np.array([runs[place].index(one.earlier) for one in of_two]),
            np.array([runs[place + 1].index(one.later) for one in of_two]),
        )
        for place, of_two in enumerate(used)
    ]
    links = [linking.link(months[place], months[place + 1], step) for place, step in enumerate(steps)]
    ends = (runs[0].index(first) if first else None, runs[-1].index(last) if last else None)
    return Chain(months, steps, links, *ends)


def models_of(anchors: Iterable[Anchor], models: Mapping[str, str]) -> int:
    return len({models[one.earlier] for one in anchors})


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
        there = ways.popleft()
        if there[-1] == end:
            return there
        for after in onward.get(there[-1], []):
            if after not in seen:
                seen.add(after)
                ways.append([*there, after])
    return None


def numbers_of(
    database: Database, runs: Mapping[str, Sequence[str]], evaluators: Mapping[str, str]
) -> dict[str, dict[str, Numbers]]:
    """Return the numbers of these runs by metric and snapshot, each metric by its evaluator."""
    found: dict[str, dict[str, Numbers]] = {metric: {} for metric in evaluators}
    for snapshot_id, of_snapshot in runs.items():
        values = comparison.page_means(database, of_snapshot, evaluators).values
        for place, metric in enumerate(evaluators):
            found[metric][snapshot_id] = Numbers(snapshot_id, of_snapshot, values[:, place])
    return found
