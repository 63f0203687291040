"""Combine the differences of a pair of runs by several metrics into one verdict: better, worse, or cannot tell."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Literal

from flows.comparing.difference import Difference
from flows.verdict_kinds import gives_verdicts
from newwiki.columns import READING
from storage.database import Database
from storage.run_names import Contender

Outcome = Literal["better", "worse", "different", "within the margin", "cannot tell"]

_OVER = "articles"


@dataclass(frozen=True, kw_only=True)
class MetricOutcome:
    """The outcome of one metric: candidate minus baseline on `articles` articles, with its interval.

    `visible` is the smallest difference that so many articles would show in four of five evaluations. `lacking` says
    why there is no interval. None is a number that does not exist.
    """

    metric: str
    mean_baseline: float | None
    mean_candidate: float | None
    difference: float | None
    low: float | None
    high: float | None
    lacking: str | None
    articles: int
    visible: float | None
    outcome: Outcome


@gives_verdicts("verdict", "articles", given="models, decoders and seeds", family="the metrics of one pair of runs")
@dataclass(frozen=True, kw_only=True)
class Verdict:
    """The verdict on a candidate against a baseline, and the metric that it rests on first.

    - `verdict`: `better` or `worse` if some metrics say so and none says the opposite; `within the margin` if all
      metrics do; `different` for metrics without a better direction; otherwise `cannot tell`
    - `metric`, and `mean_baseline` to `smallest_visible`: the numbers of the first metric of the verdict
    - `better_by`, `worse_by`: the metrics with these outcomes
    - `articles`, `articles_of_run`: the articles that the verdict rests on, and those that the candidate's run is for
    - `looks`: how often the verdict was looked at on the way; its error rate holds over all of them
    - `generalizes_over`: the units that the verdict generalizes over
    """

    candidate: str
    baseline: str
    verdict: Outcome
    metric: str
    mean_baseline: float | None
    mean_candidate: float | None
    difference: float | None
    low: float | None
    high: float | None
    no_interval: str | None
    smallest_visible: float | None
    better_by: tuple[str, ...]
    worse_by: tuple[str, ...]
    metrics: int
    articles: int
    articles_of_run: int | None = None
    looks: int = 1
    margin: float | None = None
    generalizes_over: str = _OVER


COLUMNS = tuple(column.name for column in fields(Verdict))


def better_directions(database: Database, metrics: Sequence[str]) -> dict[str, str]:
    """Return `higher`, `lower` or `none` by metric."""
    return dict(database.rows("directions", list(metrics)))


def outcome_of(row: Difference, direction: str) -> Outcome:
    """Return the outcome of run B by a metric with this better direction."""
    return "cannot tell" if row.verdict != "different" else side(row.difference, direction)


def side(difference: float, direction: str) -> Outcome:
    """Return the outcome of a real difference."""
    if direction == "none":
        return "different"
    return "better" if (difference > 0) == (direction == "higher") else "worse"


def metric_outcomes(rows: Sequence[Difference], directions: Mapping[str, str]) -> list[MetricOutcome]:
    """Return the outcome of each difference. Run B is the candidate."""
    return [
        MetricOutcome(
            metric=f"{row.metric} ({row.part})" if row.part else row.metric,
            mean_baseline=row.mean_a,
            mean_candidate=row.mean_b,
            difference=row.difference,
            low=row.low,
            high=row.high,
            lacking=row.no_interval,
            articles=row.prompts,
            visible=row.smallest_visible,
            outcome=outcome_of(row, directions[row.metric]),
        )
        for row in rows
    ]


def overall(
    candidate: Contender,
    baseline: Contender,
    outcomes: Sequence[MetricOutcome],
    *,
    articles_of_run: int | None = None,
    looks: int = 1,
    margin: float | None = None,
) -> Verdict:
    """Return the verdict by all metrics, which are in order of importance."""
    sides: dict[Outcome, list[str]] = {}
    for one in outcomes:
        sides.setdefault(one.outcome, []).append(one.metric)
    verdict: Outcome = "cannot tell"
    if "better" in sides or "worse" in sides:
        verdict = "cannot tell" if {"better", "worse"} <= sides.keys() else "better" if "better" in sides else "worse"
    elif "different" in sides:
        verdict = "different"
    elif sides.keys() == {"within the margin"}:
        verdict = "within the margin"
    ordered = sorted(outcomes, key=_place)
    decided = [one for one in ordered if one.outcome == verdict] or [
        one for one in ordered if one.outcome in ("better", "worse")
    ]
    first = (decided or ordered)[0]
    return Verdict(
        candidate=candidate.run_id,
        baseline=baseline.run_id,
        verdict=verdict,
        metric=first.metric,
        mean_baseline=first.mean_baseline,
        mean_candidate=first.mean_candidate,
        difference=first.difference,
        low=first.low,
        high=first.high,
        no_interval=first.lacking,
        smallest_visible=first.visible,
        better_by=tuple(sides.get("better", ())),
        worse_by=tuple(sides.get("worse", ())),
        metrics=len(outcomes),
        articles=first.articles,
        articles_of_run=articles_of_run,
        looks=looks,
        margin=margin,
    )


def _place(one: MetricOutcome) -> int:
    """Return 0 for a model's reading of the articles, which decides more surely than any metric of texts."""
    return 0 if one.metric == READING else 1
