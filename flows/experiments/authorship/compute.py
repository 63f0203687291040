"""Compare the marked articles of a snapshot with the others, in the runs that are stored or that the request makes."""

import hashlib
import json
from collections.abc import Mapping, Sequence

import numpy as np

from flows.comparing.one_evaluator import agreed, by_metric, left_out_words
from flows.experiments.answer_runs import runs_of
from flows.experiments.authorship.articles import Marked, mark_articles
from flows.experiments.authorship.findings import Array, ReadRun, differences, separations
from flows.experiments.authorship.request import AuthorshipRequest
from flows.experiments.authorship.result_tables import AuthorshipSeparation
from flows.experiments.authorship.words import verdict, words
from flows.experiments.evaluations import Evaluations
from flows.experiments.experiment import Answer
from newwiki.errors import TerminalError, UsageError, did_you_mean
from newwiki.snapshot import Snapshot
from storage import comparison, snapshots
from storage.comparison import PageMeans
from storage.database import Database
from storage.linked_months import LinkableRun, linkable_runs

DECISIVE = "bits_per_byte"


def compute(evaluations: Evaluations, request: AuthorshipRequest) -> Answer:
    """Compute the answer of the experiment.

    Raises UsageError for an unknown snapshot or metric. Raises TerminalError if no article is marked, if that is
    unknown, or if the snapshot has no scores.
    """
    database = evaluations.database
    with database.read():
        snapshot = snapshots.resolve(database, request.snapshot)
        marked = mark_articles(database, snapshot, request.mark)
    if request.models:
        evaluations.make(request)
    with database.read():
        runs = linkable_runs(database, [snapshot.snapshot_id])
        run_ids = [run.run_id for run in runs]
        evaluators, disputed = _evaluators(database, run_ids, request.metrics)
        means = comparison.page_means(database, run_ids, evaluators)
    if not runs or not len(means.pages):
        raise TerminalError(_refusal(snapshot))
    values = _aligned(means, marked)
    everything = [
        ReadRun(run.run_id, run.model, run.decoder, numbers) for run, numbers in zip(runs, values, strict=True)
    ]
    moved = differences(everything, evaluators, marked.is_marked)
    told: list[AuthorshipSeparation] = []
    if DECISIVE in evaluators:
        readings = _readings(runs, values[:, list(evaluators).index(DECISIVE)])
        told = separations(readings, evaluators[DECISIVE], marked.is_marked, marked.words)
    return Answer(
        snapshot_id=snapshot.snapshot_id,
        verdict=verdict(told, moved),
        words=[*words(told, moved, marked, snapshot, request.mark), *left_out_words(disputed)],
        runs=runs_of(database, [run.run_id for run in runs if run.settings_json]),
        read={
            "snapshot": snapshot.content_sha256,
            "editions": list(marked.editions),
            "groups": _digest(marked),
            "evaluators": evaluators,
            "numbers": hashlib.sha256(values.tobytes()).hexdigest(),
        },
        rows=[told, moved, marked.rows],
        units=[told[0].articles] if told else [],
    )


def _evaluators(database: Database, run_ids: Sequence[str], metrics: str) -> tuple[dict[str, str], list[str]]:
    """Return the evaluator of each metric, and the metrics whose runs have no evaluator in common."""
    scored = by_metric(comparison.text_scorings(database, run_ids))
    if metrics not in ("core", "all"):
        wanted = [name.strip() for name in metrics.split(",")]
        if unknown := [name for name in wanted if name not in scored]:
            raise UsageError(
                f"no run on this snapshot has texts scored by '{unknown[0]}'{did_you_mean(unknown[0], scored) or ''}"
            )
        scored = {name: scorings for name, scorings in scored.items() if name in {*wanted, DECISIVE}}
    chosen = {name: agreed(scorings) for name, scorings in scored.items()}
    return {name: evaluator for name, evaluator in chosen.items() if evaluator}, [
        name for name, evaluator in chosen.items() if not evaluator
    ]


def _aligned(means: PageMeans, marked: Marked) -> Array:
    """Return runs × metrics × articles of the two groups; NaN for an article without a score."""
    places = {page: place for place, page in enumerate(means.pages.tolist())}
    columns = np.array([places.get(page, -1) for page in marked.pages.tolist()], np.int64)
    return np.where(columns >= 0, means.values[:, :, columns], np.nan)


def _readings(runs: Sequence[LinkableRun], bits: Array) -> list[ReadRun]:
    """Return the bits per byte of each model's latest run that has any."""
    read = [(run, numbers) for run, numbers in zip(runs, bits, strict=True) if np.isfinite(numbers).any()]
    latest: Mapping[str, tuple[LinkableRun, Array]] = {
        run.identified_model: (run, numbers) for run, numbers in sorted(read, key=lambda pair: pair[0].latest)
    }
    ordered = sorted(latest.values(), key=lambda pair: (pair[0].model, pair[0].run_id))
    return [ReadRun(run.run_id, run.model, run.decoder, numbers[None]) for run, numbers in ordered]


def _digest(marked: Marked) -> str:
    """Return a hash of the two groups, which change when a later edition is published."""
    groups = [marked.pages.tolist(), marked.is_marked.tolist()]
    return hashlib.sha256(json.dumps(groups).encode()).hexdigest()


def _refusal(snapshot: Snapshot) -> str:
    return (
        f"no run on {snapshot.snapshot_id} has scores; name a MODEL to have it read the articles, or make runs with "
        f"`newwiki evaluate MODEL --snapshot {snapshot.snapshot_id}`"
    )
