"""Judge whether a run is better than another on articles that neither model can have seen."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from flows.comparing.after_cutoff import later_cutoff
from flows.comparing.differences import compare
from flows.comparing.overall_verdict import (
    MetricOutcome,
    Verdict,
    better_directions,
    metric_outcomes,
    overall,
)
from newwiki.errors import UsageError
from newwiki.verdict_request import VerdictRequest
from storage import comparison
from storage.comparison import Array
from storage.database import Database
from storage.run_names import Contender

MOST_DIFFERENT = 3


@dataclass(frozen=True)
class ArticleDifference:
    """The scores of an article's texts in both runs. `title` is None where the article is not stored."""

    page_id: int
    title: str | None
    baseline: float
    candidate: float

    @property
    def difference(self) -> float:
        return self.candidate - self.baseline


@dataclass(frozen=True)
class Judgement:
    """A verdict with the outcomes behind it, the articles on which the runs differ most, and notes.

    `evaluators` names the evaluator of each metric.
    """

    candidate: Contender
    baseline: Contender
    verdict: Verdict
    outcomes: Sequence[MetricOutcome]
    articles: Sequence[ArticleDifference]
    notes: Sequence[str]
    evaluators: Mapping[str, str] = field(default_factory=dict)


def judge_pair(database: Database, request: VerdictRequest) -> Judgement:
    """Judge the candidate against the baseline by the metrics of the request.

    If the knowledge cutoffs of both models are known, only articles created after both of them count. Raises UsageError
    for names that match no run, several runs or the same run, and the errors of `compare`.
    """
    noted: list[str] = []
    names = [request.candidate, request.baseline]
    candidate, baseline = comparison.contenders(database, names, snapshot=request.snapshot, note=noted.append)
    if candidate == baseline:
        raise UsageError("both names mean the same run; `newwiki list runs` lists the runs")
    after = cutoffs_are_known(candidate, baseline)
    rows, notes = compare(
        database,
        baseline,
        candidate,
        named_metrics(request.metrics),
        request.seed,
        after_cutoff=after,
        content=request.metrics == "content",
    )
    outcomes = metric_outcomes(rows, better_directions(database, [row.metric for row in rows]))
    verdict = overall(candidate, baseline, outcomes)
    evaluators = {row.metric: row.evaluator_id for row in rows}
    by = evaluators[verdict.metric]
    articles = most_different(database, candidate, baseline, verdict.metric, by, after_cutoff=after)
    notes = [*noted, *notes, *unknown_cutoffs(candidate, baseline)]
    return Judgement(candidate, baseline, verdict, outcomes, articles, notes, evaluators)


def named_metrics(metrics: str) -> list[str] | None:
    """Return the named metrics, or None for `content` and `all`."""
    return None if metrics in ("content", "all") else [name.strip() for name in metrics.split(",")]


def cutoffs_are_known(a: Contender, b: Contender) -> bool:
    """Return whether the knowledge cutoff of each model is known. Articles have no model."""
    models = [run for run in (a, b) if run.settings is not None]
    return bool(models) and all(run.knowledge_cutoff is not None for run in models)


def unknown_cutoffs(a: Contender, b: Contender) -> list[str]:
    """Return a note on the models that may have seen some of the articles, as their knowledge cutoff is unknown."""
    unknown = [run.words for run in (a, b) if run.settings is not None and run.knowledge_cutoff is None]
    named = " and ".join(dict.fromkeys(unknown))
    return (
        [
            f"the verdict counts every article, because the knowledge cutoff of {named} is unknown; `newwiki evaluate` "
            "records it with --knowledge-cutoff"
        ]
        if unknown
        else []
    )


def most_different(
    database: Database,
    candidate: Contender,
    baseline: Contender,
    metric: str,
    evaluator_id: str,
    *,
    after_cutoff: bool = False,
    most: int = MOST_DIFFERENT,
) -> list[ArticleDifference]:
    """Return up to `most` articles on which the runs differ most by a metric, the largest difference first."""
    means = comparison.page_means(
        database, [baseline.run_id, candidate.run_id], {metric: evaluator_id}, with_reading=True
    )
    (before,), (after,) = means.values
    if after_cutoff:
        later = comparison.created_after(database, candidate.snapshot_id, later_cutoff(candidate, baseline))
        after = np.where(np.isin(means.pages, later), after, np.nan)
    return ranked_articles(database, candidate.snapshot_id, means.pages, before, after, most)


def ranked_articles(
    database: Database,
    snapshot_id: str,
    pages: NDArray[np.int64],
    baseline: Array,
    candidate: Array,
    most: int = MOST_DIFFERENT,
) -> list[ArticleDifference]:
    """Return up to `most` pages with the largest differences of these scores; NaN is no score."""
    sizes = np.nan_to_num(np.abs(candidate - baseline), nan=-1.0)
    places = [place for place in np.argsort(-sizes, kind="stable")[:most] if sizes[place] >= 0]
    titles = dict(database.rows("article_titles", snapshot_id, pages[places].tolist()))
    return [
        ArticleDifference(page_id, titles.get(page_id), float(baseline[place]), float(candidate[place]))
        for place in places
        for page_id in [int(pages[place])]
    ]
