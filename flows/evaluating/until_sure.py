"""Evaluate a checkpoint in rounds of prompts, until it is surely better or worse than a stored run.

After each round the verdict is looked at with intervals that hold at every look (`evaluators.confidence_sequences`), so
stopping at the first sure verdict does not make it wrong more often. The order of prompts depends on the seed and the
page ids alone, and completions on no other prompt: an interrupted evaluation ends with the same verdict and texts, and
`newwiki evaluate` completes the run to the texts that it would have written from the beginning.
"""

import hashlib
import math
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass

import numpy as np

from evaluators.confidence_sequences import CONDITIONS, AnytimeEstimate, Kind, anytime_estimate, e_holm
from evaluators.statistics import LEVEL, Array
from flows.comparing.judge_pair import Judgement, ranked_articles, unknown_cutoffs
from flows.comparing.overall_verdict import MetricOutcome, Outcome, Verdict, better_directions, overall, side
from flows.evaluating import going_on
from flows.evaluating.candidate_run import Candidate, prepare
from flows.evaluating.generate import ended_well, generate_prompts, tell_of
from flows.presenting.verdict_sentence import verdict_sentence
from flows.progress import NotesOnly, Progress
from flows.scoring.score_run import score_prompts, score_run
from flows.verdict_kinds import gives_verdicts
from newwiki.errors import TerminalError
from newwiki.settings import Settings
from newwiki.verdict_request import VerdictRequest
from storage import comparison, early_stops, runs, snapshots
from storage.database import Database
from storage.early_stops import EarlyStop
from storage.run_names import Contender

ROUND = 10  # prompts between two looks
_POWER_QUANTILE = 0.8416  # of the normal distribution, for a power of 80 %


@dataclass(frozen=True)
class Scale:
    """A metric's better direction, and the largest possible difference of two scores, or None without one."""

    metric: str
    direction: str
    span: float | None


@dataclass(frozen=True)
class _Pages:
    """The pages in the order of their rounds, and the baseline's and the candidate's mean scores (metrics × pages)."""

    pages: Sequence[int]
    baseline: Array
    candidate: Array


def judge_until_sure(database: Database, request: VerdictRequest, settings: Settings, progress: Progress) -> Judgement:
    """Evaluate the checkpoint on as many prompts as the verdict needs, store why it stopped, and return the verdict.

    Raises UsageError or TerminalError, before anything is written, if the settings of the baseline cannot be used for
    the checkpoint, if no metric can decide, or if no article is after the knowledge cutoffs of both models.
    """
    asked = prepare(database, request, settings, progress)
    run, baseline = asked.planned.run, asked.baseline
    order = _order(database, asked, request.seed)
    tell_of(database, asked.planned, progress)
    runs.start(database, run)
    [candidate] = comparison.contenders(database, [run.run_id])
    is_complete = runs.status(database, run.run_id) == "complete"
    scales = scales_of(database, list(asked.evaluators))
    looks, outcomes, pages = 0, list[MetricOutcome](), order
    with (
        progress.stretch(f"judging {run.model} against {baseline.words}", "prompts") as bar,
        nullcontext() if is_complete else ended_well(database, run.run_id),
    ):
        while not is_settled(outcomes) and looks * ROUND < len(order):
            pages, looks = order[: (looks + 1) * ROUND], looks + 1
            _write_and_score(database, asked, pages[(looks - 1) * ROUND :], NotesOnly(progress))
            found = _scores(database, asked, pages)
            outcomes = look(scales, found.baseline, found.candidate, request.margin)
            bar.update(len(pages), len(order))
    verdict = overall(
        candidate,
        baseline,
        outcomes,
        articles_of_run=len(asked.planned.articles),
        looks=looks,
        margin=request.margin,
    )
    stopped = _end(database, asked, candidate, verdict, request, len(pages), progress)
    place = list(asked.evaluators).index(verdict.metric)
    articles = ranked_articles(
        database, run.snapshot_id, np.array(found.pages), found.baseline[place], found.candidate[place]
    )
    notes = [*asked.notes, *_conditions(scales), *unknown_cutoffs(candidate, baseline), *stopped]
    return Judgement(candidate, baseline, verdict, outcomes, articles, notes)


def prompt_order(pages: Sequence[int], seed: int) -> list[int]:
    """Return the pages in an order that depends on the seed and each page's id alone."""
    return sorted(pages, key=lambda page_id: hashlib.sha256(f"{seed} {page_id}".encode()).digest())


def scales_of(database: Database, metrics: Sequence[str]) -> list[Scale]:
    directions, spans = better_directions(database, metrics), dict(database.rows("spans", list(metrics)))
    return [Scale(metric, directions[metric], spans[metric]) for metric in metrics]


@gives_verdicts(
    "verdict_until_sure",
    "articles",
    given="models, decoders and seeds",
    family="the metrics of one pair of runs, at all looks together",
)
def look(
    scales: Sequence[Scale], baseline: Array, candidate: Array, margin: float | None = None
) -> list[MetricOutcome]:
    """Return the outcome of each metric after a round, from the mean scores of both runs (metrics × prompts).

    A metric is better, worse or different if its e-value, corrected for the number of metrics, reaches 20. At most 5 of
    100 evaluations without any difference ever claim one, at any of their looks. It is within the margin if its
    interval is; at most 5 of 100 evaluations ever claim that wrongly of a metric.
    """
    differences = candidate - baseline
    found = [anytime_estimate(row, scale.span) for row, scale in zip(differences, scales, strict=True)]
    corrected = e_holm([estimate.e_value for estimate in found])
    return [
        _outcome(scale, estimate, e_value, before, after, margin)
        for scale, estimate, e_value, before, after in zip(scales, found, corrected, baseline, candidate, strict=True)
    ]


def is_settled(outcomes: Sequence[MetricOutcome]) -> bool:
    """Return whether a metric differs, or all are within the margin."""
    sides = {one.outcome for one in outcomes}
    return bool(sides & {"better", "worse", "different"}) or sides == {"within the margin"}


def _outcome(
    scale: Scale, estimate: AnytimeEstimate, e_value: float, before: Array, after: Array, margin: float | None
) -> MetricOutcome:
    paired = np.isfinite(after - before)
    outcome: Outcome = "cannot tell"
    if e_value >= 1 / LEVEL and estimate.mean is not None:
        outcome = side(estimate.mean, scale.direction)
    elif margin is not None and estimate.is_within(margin):
        outcome = "within the margin"
    return MetricOutcome(
        metric=scale.metric,
        mean_baseline=float(before[paired].mean()) if paired.any() else None,
        mean_candidate=float(after[paired].mean()) if paired.any() else None,
        difference=estimate.mean,
        low=estimate.low,
        high=estimate.high,
        lacking=estimate.lacking,
        articles=estimate.prompts,
        visible=_visible(estimate, after[paired] - before[paired]),
        outcome=outcome,
    )


def _visible(estimate: AnytimeEstimate, differences: Array) -> float | None:
    """Return about the smallest difference that so many prompts settle in four of five evaluations."""
    if estimate.low is None or estimate.high is None or estimate.mean is None or len(differences) < 2:
        return None
    reach = max(estimate.mean - estimate.low, estimate.high - estimate.mean)
    return reach + _POWER_QUANTILE * float(differences.std(ddof=1)) / math.sqrt(len(differences))


def _order(database: Database, asked: Candidate, seed: int) -> list[int]:
    """Return the pages that the baseline has written, after both cutoffs where they are known, in their order.

    Raises TerminalError if there are none.
    """
    run, baseline = asked.planned.run, asked.baseline
    written = {page_id for (page_id,) in database.rows("written_pages", baseline.run_id)}
    pages = [article.page_id for article in asked.planned.articles if article.page_id in written]
    cutoffs = [run.knowledge_cutoff, baseline.knowledge_cutoff]
    if known := [cutoff for cutoff in cutoffs if cutoff is not None]:
        later = set(comparison.created_after(database, run.snapshot_id, max(known)))
        pages = [page_id for page_id in pages if page_id in later] if len(known) == len(cutoffs) else pages
    if not pages:
        raise TerminalError(
            f"{run.model} and {baseline.run_id} have no prompt in common that was created after the knowledge cutoffs "
            "of both models; judge them on a newer snapshot"
        )
    return prompt_order(pages, seed)


def _write_and_score(database: Database, asked: Candidate, pages: Sequence[int], progress: Progress) -> None:
    """Write and score these prompts, as far as their texts and scores are not stored."""
    run = asked.planned.run
    articles = [article for article in asked.planned.articles if article.page_id in set(pages)]
    generate_prompts(database, asked.planned, asked.backend, asked.decoder, pages, progress)
    score_prompts(database, run, articles, asked.loaded, progress)


def _scores(database: Database, asked: Candidate, pages: Sequence[int]) -> _Pages:
    """Return the mean scores of both runs on these pages, NaN where there is none."""
    metrics, ids = list(asked.evaluators), list(asked.evaluators.values())
    means = comparison.page_means(database, [asked.baseline.run_id], asked.evaluators)
    baseline, candidate = (np.full((len(metrics), len(pages)), np.nan) for _ in range(2))
    places = {page_id: place for place, page_id in enumerate(pages)}
    for place, page_id in enumerate(means.pages.tolist()):
        if page_id in places:
            baseline[:, places[page_id]] = means.values[0, :, place]
    for metric, page_id, mean in database.rows("partial_page_means", asked.planned.run.run_id, metrics, ids):
        if page_id in places:
            candidate[metric, places[page_id]] = mean
    return _Pages(pages, baseline, candidate)


def _end(
    database: Database,
    asked: Candidate,
    candidate: Contender,
    verdict: Verdict,
    request: VerdictRequest,
    prompts: int,
    progress: Progress,
) -> list[str]:
    """Mark the run as stopped, or as complete if all of its prompts are written, and return a note on a stopped run."""
    run, articles = asked.planned.run, asked.planned.articles
    if runs.status(database, run.run_id) == "complete":
        return []
    if len(runs.stored_completions(database, run.run_id)) == len(articles) * run.samples:
        runs.complete(database, run.run_id, run.keep)
        score_run(database, run, articles, asked.loaded, progress)
        return []
    settled = verdict.verdict != "cannot tell" or verdict.better_by or verdict.worse_by
    stopped = EarlyStop(
        run_id=run.run_id,
        baseline=asked.baseline.run_id,
        metrics=", ".join(asked.evaluators),
        seed=request.seed,
        margin=request.margin,
        prompts=prompts,
        looks=verdict.looks,
        verdict=verdict.verdict,
        reason="stopped when sure" if settled else "stopped when the articles that count were used up",
        sentence=verdict_sentence(verdict, candidate, asked.baseline),
    )
    early_stops.stop(database, stopped)
    command = going_on.command(run, len(snapshots.articles(database, run.snapshot_id)), str(database.path))
    remedy = f"`{command}`" if command else "its `newwiki evaluate`"
    return [
        f"run {run.run_id} has {early_stops.in_words(database, run.run_id)}, and is on no leaderboard; {remedy} "
        "completes it"
    ]


def _conditions(scales: Sequence[Scale]) -> list[str]:
    """Return a note for each kind of interval: its metrics, and what must hold for it."""
    metrics: Mapping[Kind, list[str]] = {
        "betting": [scale.metric for scale in scales if scale.span is not None],
        "asymptotic": [scale.metric for scale in scales if scale.span is None],
    }
    return [
        f"the intervals of {', '.join(names)} hold at every look; {CONDITIONS[kind]}"
        for kind, names in metrics.items()
        if names
    ]
