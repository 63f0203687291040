"""Estimate the month up to which a model has seen articles, from its numbers by article age; missing runs are made."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np

from flows.comparing.one_evaluator import left_out_words, of_all
from flows.experiments.answer_runs import require_same_weights, runs_of
from flows.experiments.cutoff.findings import Rows, findings, judged, seen_direction
from flows.experiments.cutoff.request import CutoffRequest
from flows.experiments.cutoff.result_tables import CutoffFinding, CutoffMonth
from flows.experiments.cutoff.words import verdict, words
from flows.experiments.evaluations import Evaluations
from flows.experiments.experiment import Answer
from newwiki.errors import TerminalError
from newwiki.records import Run
from storage import comparison, snapshots
from storage.database import Database


@dataclass(frozen=True)
class DatedSnapshot:
    """A snapshot with the last whole month of its window, counted as in `findings.month_number`."""

    snapshot_id: str
    kind: str
    content_sha256: str
    last_month: int


@dataclass(frozen=True)
class ArticleDate:
    """The date and length of an article; `month` is counted as in `findings.month_number`."""

    page_id: int
    month: int
    words: int


def compute(evaluations: Evaluations, request: CutoffRequest) -> Answer:
    """Compute the answer of the experiment.

    Raises UsageError if a snapshot does not exist, and TerminalError if no metric shows what a model has seen.
    """
    database = evaluations.database
    with database.read():
        newest = snapshots.resolve(database, request.snapshot)
        dated = database.records(DatedSnapshot, "snapshots_by_age", newest.wiki)
    runs_by_model = _runs(evaluations, request, dated)
    control = {
        decoder: control_runs for (model, decoder), control_runs in runs_by_model.items() if model == request.control
    }
    all_findings: list[CutoffFinding] = []
    curve: list[CutoffMonth] = []
    read: list[tuple[str, str]] = []
    left_out: dict[str, None] = {}
    with database.read():
        directions = dict(database.rows("metric_directions"))
        articles = [database.records(ArticleDate, "article_dates", snapshot.snapshot_id) for snapshot in dated]
    for (model, decoder), runs in runs_by_model.items():
        beside = control.get(decoder, []) if model != request.control else []
        run_ids = [run.run_id for run in (*runs, *beside)]
        evaluators, disputed = of_all(comparison.text_scorings(database, run_ids), run_ids)
        metrics = {
            name: (evaluator, direction)
            for name, evaluator in evaluators.items()
            if (direction := seen_direction(name, directions))
        }
        left_out |= {name: None for name in disputed if seen_direction(name, directions)}
        rows = rows_by_age(
            database, dated, articles, runs, beside, {name: evaluator for name, (evaluator, _) in metrics.items()}
        )
        model_findings, months = findings(
            (model, decoder), request.control if beside else None, rows, metrics, _stated(runs), request.seed
        )
        all_findings += model_findings
        curve += months
        read += [
            (run.run_id, name) for run in runs for name in sorted({evaluator for evaluator, _ in metrics.values()})
        ]
    all_findings = judged(all_findings, request.control)
    if not all_findings:
        raise TerminalError(
            "no metric that tells what was seen has numbers of every snapshot by one evaluator; score the runs alike: "
            "newwiki score --missing"
        )
    return Answer(
        snapshot_id=newest.snapshot_id,
        verdict=verdict(all_findings, request.control),
        words=[*words(all_findings, request.control), *left_out_words(left_out)],
        runs=runs_of(database, [run.run_id for runs in runs_by_model.values() for run in runs]),
        read={
            "snapshots": [snapshot.content_sha256 for snapshot in dated],
            "scored": read,
            "stated": {model: str(_stated(runs)) for (model, _), runs in runs_by_model.items()},
        },
        rows=[all_findings, curve],
    )


def _runs(
    evaluations: Evaluations, request: CutoffRequest, dated: Sequence[DatedSnapshot]
) -> dict[tuple[str, str], list[Run]]:
    """Return a run for each snapshot, by model and decoder."""
    runs_by_model: dict[tuple[str, str], list[Run]] = {}
    for model in request.of_each_model:
        for snapshot in dated:
            for run in evaluations.make(request, snapshot=snapshot.snapshot_id, **model):
                runs_by_model.setdefault((run.model, run.decoder), []).append(run)
    require_same_weights(run for runs in runs_by_model.values() for run in runs)
    return runs_by_model


def rows_by_age(
    database: Database,
    dated: Sequence[DatedSnapshot],
    articles: Sequence[Sequence[ArticleDate]],
    runs: Sequence[Run],
    control: Sequence[Run],
    evaluators: Mapping[str, str],
) -> Rows:
    """Concatenate the articles of all snapshots; articles of old snapshots are dated by year."""
    parts = []
    pairs = [[run.run_id for run in pair] for pair in zip(runs, *([control] if control else []), strict=True)]
    with database.read():
        every = [comparison.page_means(database, run_ids, evaluators) for run_ids in pairs]
    for snapshot, known, means in zip(dated, articles, every, strict=True):
        by_page = {article.page_id: article for article in known}
        present = [by_page[int(page)] for page in means.pages]
        months = np.array([article.month for article in present], np.int64)
        first = last = months
        if snapshot.kind == "old":
            first, last = months // 12 * 12, np.maximum(np.minimum(months // 12 * 12 + 11, snapshot.last_month), months)
        parts.append((means.pages, first, last, np.array([article.words for article in present], float), means.values))
    values = np.concatenate([part[4] for part in parts], axis=2)
    pages, first, last = (np.concatenate([part[place] for part in parts]) for place in range(3))
    return Rows(
        pages, first, last, np.concatenate([part[3] for part in parts]), values[0], values[1] if control else None
    )


def _stated(runs: Sequence[Run]) -> date | None:
    """Return the knowledge cutoff that the runs state for their model, or None if they disagree."""
    cutoffs = {run.knowledge_cutoff for run in runs}
    return cutoffs.pop() if len(cutoffs) == 1 else None
