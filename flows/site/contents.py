"""The contents of a site, read from the database at once: snapshots, scored runs, models, linked months."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from functools import cached_property
from pathlib import PurePath
from types import MappingProxyType

from flows.comparing.board import Board, Column, board, number_of
from flows.comparing.headline import headline
from flows.comparing.notes import with_seed
from flows.experiments.linking.result_tables import LinkedMean
from flows.presenting.material import Material, gather
from newwiki.columns import READING
from newwiki.errors import TerminalError
from newwiki.file_names import file_name, model_file_name
from newwiki.levels import LEVELS, VERIFIED
from newwiki.paper_metrics import paper_metrics
from newwiki.protocol import Settings
from newwiki.records import Fingerprint, Metric
from newwiki.snapshot import Snapshot
from storage import comparison
from storage.database import Database

ModelKey = tuple[str, str]  # the model's name, and the hash of its weights
Signers = Mapping[str, Sequence[str]]  # signers by run id


@dataclass(frozen=True, kw_only=True)
class SiteRun:
    """A scored run on a snapshot; `decoder_short` includes a seed other than the default."""

    run_id: str
    snapshot_id: str
    wiki: str
    kind: str
    model: str
    model_sha256: str
    backend: str
    decoder: str
    decoder_short: str
    prompt_template: str
    prompts: int
    seed: int | None
    samples: int
    keep: int
    max_new_tokens: int | None
    dtype: str
    knowledge_cutoff: date | None
    knowledge_cutoff_from: str | None
    finished_at: datetime | None
    scored_at: datetime

    @property
    def key(self) -> ModelKey:
        return self.model, self.model_sha256


@dataclass(frozen=True, kw_only=True)
class Trend(LinkedMean):
    """A run's number on the scale of the newest month; articles have no hash of weights."""

    wiki: str
    model_sha256: str
    month: datetime


@dataclass(frozen=True)
class Model:
    """A model with a page: `name` is short but unique, `file` is the name of its page."""

    key: ModelKey
    name: str
    file: str
    runs: Sequence[SiteRun]

    @property
    def cutoff(self) -> date | None:
        return next((run.knowledge_cutoff for run in self.runs if run.knowledge_cutoff), None)


@dataclass(frozen=True)
class Contents:
    """The contents of a site.

    - `boards` has each snapshot's board with the facts that explain it.
    - `whole` is the board of all runs on snapshots; each of its columns is by one evaluator.
    - `claims` are the imported runs, with the keys that claim their models' names, cutoffs, devices and times.
    - `unlinked` gives for a wiki the reason why none of its months are on one scale.
    """

    snapshots: Sequence[Snapshot]
    runs: Mapping[str, SiteRun]
    models: Mapping[ModelKey, Model]
    boards: Mapping[str, Material]
    whole: Board
    metrics: Mapping[str, Metric]
    evaluators: Mapping[str, Fingerprint]
    settings: Mapping[str, Settings]
    trends: Sequence[Trend]
    left_out: int
    signers: Signers = field(default_factory=dict)
    unlinked: Mapping[str, str] = field(default_factory=dict)
    claims: Signers = field(default_factory=dict)

    @property
    def wikis(self) -> list[str]:
        """The wikis, the one with most runs first."""
        runs = Counter(run.wiki for run in self.runs.values())
        return sorted({snapshot.wiki for snapshot in self.snapshots}, key=lambda wiki: (-runs[wiki], wiki))

    @cached_property
    def lowest_levels(self) -> Mapping[str, str]:
        """The lowest level of the numbers of each run that has numbers that are not fully verified."""
        lowest_by_run = {}
        for record in self.whole.records:
            levels = {number_of(record, column.name).level for column in self.whole.columns}
            if lowest := next((level for level in LEVELS if level in levels and level != VERIFIED), None):
                lowest_by_run[record["run_id"]] = lowest
        return lowest_by_run

    def months(self, wiki: str) -> list[Snapshot]:
        """Return the snapshots of new articles, the oldest first."""
        return [snapshot for snapshot in reversed(self.snapshots) if snapshot.wiki == wiki and snapshot.kind == "new"]

    def on(self, snapshot_id: str) -> list[SiteRun]:
        return [run for run in self.runs.values() if run.snapshot_id == snapshot_id]

    def model_of(self, run_id: str) -> Model:
        return self.models[self.runs[run_id].key]

    def direction(self, column: Column) -> str:
        return self.metrics[column.metric].direction

    @property
    def columns(self) -> list[Column]:
        """The columns of the board of all runs, in the order of every page."""
        return in_order(self.whole, self.metrics)

    @property
    def headline(self) -> Column | None:
        return headline_of(self.whole, self.whole.columns, self.metrics)


def headline_of(board: Board, columns: Sequence[Column], metrics: Mapping[str, Metric]) -> Column | None:
    """Return the column that orders the runs, among those of texts."""
    of_texts = [column for column in columns if metrics[column.metric].scope == "text"]
    return headline(board, of_texts, {name: metric.direction for name, metric in metrics.items()})


def in_order(board: Board, metrics: Mapping[str, Metric]) -> list[Column]:
    """Sort the columns: the headline, bits per byte, the paper's metrics, directed ones first, then the others."""
    columns = board.columns
    first = headline_of(board, columns, metrics)
    paper = [name for paper_metric in paper_metrics() for name in paper_metric.here]

    def place(column: Column) -> tuple[bool, bool, bool, bool, int]:
        is_paper = column.metric in paper
        return (
            column != first,
            column.metric != READING,
            not is_paper,
            metrics[column.metric].direction == "none",
            paper.index(column.metric) if is_paper else list(columns).index(column),
        )

    return sorted(columns, key=place)


def contents_of(
    database: Database, signers: Signers, unlinked: Mapping[str, str], names: Mapping[str, str] = MappingProxyType({})
) -> Contents:
    """Read the contents; `names` are the names of keys by fingerprint. Raises TerminalError without a snapshot."""
    with database.read():
        snapshots = database.records(Snapshot, "site_snapshots")
        if not snapshots:
            raise TerminalError("there is no snapshot to show; publish one with `newwiki refresh --month 2026-10`")
        stored = database.records(SiteRun, "site_runs")
        runs = {run.run_id: replace(run, decoder_short=with_seed(run.decoder_short, run.seed)) for run in stored}
        whole = _named(_whole(database, {snapshot.snapshot_id for snapshot in snapshots}), names)
        metrics = database.records(Metric, "report_metrics", [column.metric for column in whole.columns])
        gathered = {snapshot.snapshot_id: gather(database, snapshot.snapshot_id) for snapshot in snapshots}
        boards = {name: replace(material, board=_named(material.board, names)) for name, material in gathered.items()}
        evaluators = {
            name: evaluator
            for material_of_month in boards.values()
            for name, evaluator in material_of_month.evaluators.items()
        }
        ((left_out,),) = database.rows("site_runs_left_out")
        return Contents(
            snapshots,
            runs,
            _models(runs.values()),
            boards,
            whole,
            {metric.name: metric for metric in metrics},
            evaluators,
            {contender.run_id: contender.settings for contender in comparison.every(database) if contender.settings},
            database.records(Trend, "site_trends"),
            left_out,
            signers,
            unlinked,
            {run_id: [names.get(key, key) for key in keys or ()] for run_id, keys in database.rows("claims_of_runs")},
        )


def _whole(database: Database, snapshot_ids: set[str]) -> Board:
    """Return the board of all runs, with a column for each evaluator if no evaluator has scored all runs."""
    try:
        shown = board(database)
    except TerminalError:
        shown = board(database, by_evaluator=True)
    return replace(shown, records=tuple(record for record in shown.records if record["snapshot_id"] in snapshot_ids))


def _named(shown: Board, names: Mapping[str, str]) -> Board:
    """Return the board with the names of keys in its levels."""
    return replace(shown, levels={key: level.named(names) for key, level in shown.levels.items()})


def _models(runs: Iterable[SiteRun]) -> dict[ModelKey, Model]:
    """Group the runs by model, sorted by name."""
    by_key: dict[ModelKey, list[SiteRun]] = {}
    for run in runs:
        by_key.setdefault(run.key, []).append(run)
    names = _names(by_key)
    models = [Model(key, names[key], model_file_name(*key), model_runs) for key, model_runs in by_key.items()]
    return {model.key: model for model in sorted(models, key=lambda model: (model.name.lower(), model.key))}


def _names(keys: Iterable[ModelKey]) -> dict[ModelKey, str]:
    """Return the last part of each model's path or hub id, or the full name with the hash if last parts are equal."""
    last = {key: PurePath(key[0]).name or key[0] for key in keys}
    repeated = {name for name in last.values() if [*last.values()].count(name) > 1}
    return {key: f"{key[0]} ({key[1][:8]})" if name in repeated else name for key, name in last.items()}


def snapshot_file(snapshot_id: str) -> str:
    return f"snapshots/{file_name(snapshot_id)}.html"
