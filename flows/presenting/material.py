"""The material of a page on a snapshot: its runs on their board, and everything that explains them."""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from pathlib import PurePath
from typing import Any

from flows.comparing.board import ABOUT, Board, Column, board, number_of
from flows.comparing.notes import with_seed
from flows.comparing.shown_levels import LevelNote, level_notes
from newwiki.decoding.grammar import short_form
from newwiki.errors import TerminalError
from newwiki.protocol import Settings
from newwiki.records import Fingerprint, Metric, Run
from newwiki.snapshot import Snapshot
from storage import comparison, snapshots
from storage.database import Database
from storage.liveness import state

Record = Mapping[str, Any]


@dataclass(frozen=True)
class RunEntry:
    """A run as it is stored.

    `truncated_texts` counts its scored texts that hit the token limit, `no_answers` its completions without an answer.
    """

    run: Run
    status: str
    started_at: datetime | None
    finished_at: datetime | None
    truncated_texts: int | None
    no_answers: int | None

    @property
    def request(self) -> tuple[object, ...]:
        """What two runs must share, besides model and decoder, to be comparable."""
        return (self.run.protocol, self.run.dtype, self.run.backend)


@dataclass(frozen=True)
class Material:
    """`entries` are all runs of the snapshot by id; `metrics` by name and `evaluators` by id explain the board's
    columns; `names` are the models' names by run, as short as they can be told apart; `settings` by run are how it was
    asked. Where it is `after_cutoff`, each run stands only on the articles after its model's knowledge cutoff."""

    snapshot: Snapshot
    board: Board
    entries: Mapping[str, RunEntry]
    metrics: Mapping[str, Metric]
    evaluators: Mapping[str, Fingerprint]
    names: Mapping[str, str]
    settings: Mapping[str, Settings]
    after_cutoff: bool = False

    @property
    def after(self) -> tuple[list[str], list[date], str]:
        """The parameters of queries that count only articles created after a knowledge cutoff.

        These are the ids of the runs and of the articles' own scores, the day for each id, and the snapshot's id. The
        lists are empty if all articles count.
        """
        cutoffs = {record["run_id"]: record["knowledge_cutoff"] for record in self.records} if self.after_cutoff else {}
        days = cutoffs | ({self.reference["run_id"]: max(cutoffs.values())} if cutoffs and self.reference else {})
        return list(days), list(days.values()), self.snapshot.snapshot_id

    @property
    def knows_cutoffs(self) -> bool:
        return any(record["knowledge_cutoff"] for record in self.records)

    @property
    def apart_in(self) -> list[str]:
        """The settings in which the runs differ."""
        return [name for name in self.board.about if name not in ABOUT]

    @property
    def reference(self) -> Record | None:
        """The record of the articles, if they are scored."""
        return next((record for record in self.board.records if record["run_id"].startswith("reference:")), None)

    @property
    def records(self) -> list[Record]:
        """The records of runs."""
        return [record for record in self.board.records if record["run_id"] in self.entries]

    @property
    def text_columns(self) -> list[Column]:
        """The columns of metrics that score one text at a time."""
        return [column for column in self.board.columns if self.metrics[column.metric].scope == "text"]

    @property
    def has_evaluators_apart(self) -> bool:
        """Whether a metric has a column for each of several evaluators."""
        return any(column.name != column.metric for column in self.board.columns)

    def label(self, record: Record) -> str:
        """Return the model with its decoder, and with its seed where that is not the default."""
        run = self.entries[record["run_id"]].run if record["run_id"] in self.entries else None
        return f"{self.names[record['run_id']]} · {with_seed(short_form(record['decoder']), run.seed if run else None)}"

    def level_notes(self, records: Iterable[Record], columns: Sequence[Column]) -> list[LevelNote]:
        """What a reader must know of a picture of these runs' numbers in these columns."""
        return level_notes(
            (record["run_id"], self.label(record), number_of(record, column.name).level)
            for record in records
            for column in columns
            if record[column.name] is not None and record["run_id"] in self.entries
        )

    def direction(self, column: Column) -> str:
        return self.metrics[column.metric].direction


def gather(
    database: Database, snapshot: str, *, after_cutoff: bool = False, prefer: Collection[str] | None = None
) -> Material:
    """Gather the material of a snapshot.

    If the runs' evaluators differ, each evaluator has a column, and the board's notes say so. With `prefer`, a column
    has one of the preferred evaluators (see `flows.comparing.board.board`).
    """
    published = snapshots.resolve(database, snapshot)
    shown = _board(database, published.snapshot_id, after_cutoff=after_cutoff, prefer=prefer)
    entries = database.records(_entry, "report_runs", published.snapshot_id)
    metrics = database.records(Metric, "report_metrics", [column.metric for column in shown.columns])
    evaluator_ids = [column.evaluator_id for column in shown.columns]
    evaluators = database.records(_fingerprint, "evaluators_described", evaluator_ids)
    return Material(
        published,
        shown,
        {entry.run.run_id: entry for entry in entries},
        {metric.name: metric for metric in metrics},
        {evaluator.evaluator_id: evaluator for evaluator in evaluators},
        _names(entry.run for entry in entries),
        {run.run_id: run.settings for run in comparison.every(database) if run.settings},
        after_cutoff,
    )


def _entry(
    *,
    status: str,
    started_at: datetime | None,
    finished_at: datetime | None,
    heard_at: datetime | None,
    process: str | None,
    truncated_texts: int | None,
    no_answers: int | None,
    **run: Any,
) -> RunEntry:
    return RunEntry(Run(**run), state(status, heard_at, process), started_at, finished_at, truncated_texts, no_answers)


def _board(database: Database, snapshot_id: str, *, after_cutoff: bool, prefer: Collection[str] | None) -> Board:
    if prefer is not None:
        return board(database, snapshot_id, prefer=prefer, after_cutoff=after_cutoff)
    try:
        return board(database, snapshot_id, after_cutoff=after_cutoff)
    except TerminalError as refusal:
        apart = board(database, snapshot_id, by_evaluator=True, after_cutoff=after_cutoff)
        return replace(apart, notes=(*apart.notes, f"{refusal}; each has a column here"))


def _fingerprint(*, parameters: str, dependencies: str, **named: Any) -> Fingerprint:
    return Fingerprint(parameters=json.loads(parameters), dependencies=json.loads(dependencies), **named)


def _names(runs: Iterable[Run]) -> dict[str, str]:
    """Return each model's name: the last part of its path or hub id, or more of it, or its hash, until names differ."""
    models = {run.run_id: (run.model, run.model_sha256) for run in runs}
    for names in (
        {model: PurePath(model[0]).name or model[0] for model in models.values()},
        {model: model[0] for model in models.values()},
        {model: f"{model[0]} ({model[1][:8]})" for model in models.values()},
    ):
        if len(set(names.values())) == len({(name, model[1]) for model, name in names.items()}):
            break
    return {run_id: names[model] for run_id, model in models.items()}
