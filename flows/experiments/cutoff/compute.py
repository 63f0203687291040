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
    made = _runs(evaluations, request, dated)
    control = {decoder: of_control for (model, decoder), of_control in made.items() if model == request.control}
    found: list[CutoffFinding] = []
    curve: list[CutoffMonth] = []
    read: list[tuple[str, str]] = []
    left_out: dict[str, None] = {}
    with database.read():
        directions = dict(database.rows("metric_directions"))
        articles = [database.records(ArticleDate, "article_dates", one.snapshot_id) for one in dated]
    for (model, decoder), runs in made.items():
        beside = control.get(decoder, []) if model != request.control else []
        run_ids = [run.run_id for run in (*runs, *beside)]
        evaluators, disputed = of_all(comparison.text_scorings(database, run_ids), run_ids)
        metrics = {
            name: (evaluator, direction)
            for name, evaluator in evaluators.items()
            if (direction := seen_direction(name, directions))
        }
        left_out |= {name: None for name in disputed if seen_direction(name, directions)}
        rows = rows_by_age(database, dated, articles, runs, beside, {name: made for name, (made, _) in metrics.items()})
        of_model, months = findings(
            (model, decoder), request.control if beside else None, rows, metrics, _stated(runs), request.seed
        )
        found += of_model
        curve += months
        read += [(run.run_id, name) for run in runs for name in sorted({made for made, _ in metrics.values()})]
    found = judged(found, request.control)
    if not found:
        raise TerminalError(
            "no metric that tells what was seen has numbers of every snapshot by one evaluator; score the runs alike: "
            "newwiki score --missing"
        )
    return Answer(
        snapshot_id=newest.snapshot_id,
        verdict=verdict(found, request.control),
        words=[*words(found, request.control), *left_out_words(left_out)],
        runs=runs_of(database, [run.run_id for runs in made.values() for run in runs]),
        read={
            "snapshots": [one.content_sha256 for one in dated],
            "scored": read,
            "stated": {model: str(_stated(runs)) for (model, _), runs in made.items()},
        },
        rows=[found, curve],
    )


def _runs(
    evaluations: Evaluations, request: CutoffRequest, dated: Sequence[DatedSnapshot]
) -> dict[tuple[str, str], list[Run]]:
    """Return a run for each snapshot, by model and decoder."""
    made: dict[tuple[str, str], list[Run]] = {}
    for model in request.of_each_model:
        for one in dated:
            for run in evaluations.make(request, snapshot=one.snapshot_id, **model):
                made.setdefault((run.model, run.decoder), []).append(run)
    require_same_weights(run for runs in made.values() for run in runs)
    return made


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
    pairs = [[one.run_id for one in pair] for pair in zip(runs, *([control] if control else []), strict=True)]
    with database.read():
        every = [comparison.page_means(database, asked, evaluators) for asked in pairs]
    for snapshot, known, means in zip(dated, articles, every, strict=True):
        by_page = {one.page_id: one for one in known}
        there = [by_page[int(page)] for page in means.pages]
        months = np.array([one.month for one in there], np.int64)
        first = last = months
        if snapshot.kind == "old":
            first, last = months // 12 * 12, np.maximum(np.minimum(months // 12 * 12 + 11, snapshot.last_month), months)
        parts.append((means.pages, first, last, np.array([one.words for one in there], float), means.values))
    values = np.concatenate([part[4] for part in parts], axis=2)
    pages, first, last = (np.concatenate([part[place] for part in parts]) for place in range(3))
    return Rows(
        pages, first, last, np.concatenate([part[3] for part in parts]), values[0], values[1] if control else None
    )


def _stated(runs: Sequence[Run]) -> date | None:
    """Return the knowledge cutoff that the runs state for their model, or None if they disagree."""
    said = {run.knowledge_cutoff for run in runs}
    return said.pop() if len(said) == 1 else None
