"""The leaderboard's data: the scored runs side by side. Each column holds the numbers of a single evaluator."""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

from flows.comparing.after_cutoff import REMEDY, is_reference, snapshots_apart, told_after_cutoff
from flows.comparing.calibration import NONE, WHOLE, Calibrations, Parts, calibrate
from flows.comparing.notes import (
    copying,
    incomplete_texts,
    of_several_models,
    prompt_repeaters,
    same_weights,
    seed_notes,
    stopped_runs,
)
from flows.comparing.one_evaluator import agreed, apart, by_metric, remedy
from flows.evaluating.leak import leaks
from newwiki import protocol
from newwiki.columns import CALIBRATED, PARTS
from newwiki.errors import TerminalError, UsageError, did_you_mean
from newwiki.levels import CLAIMED, Level
from newwiki.records import Stratum
from storage import snapshots, strata, verifications
from storage.comparison import Scoring, evaluator_words
from storage.database import Database, in_one_read

SEEN = ("knowledge_cutoff", "seen_share")  # the share of a run's articles that its model may have seen
ABOUT = ("model", "decoder", "snapshot_id", "run_id", "prompts", "completions", *SEEN)
PART = "part"  # the column with the part of the articles, if the board is divided
ANOTHER = "another evaluator"

Row = Mapping[str, Any]
Cells = Mapping[tuple[str, str, str], Row]


@dataclass(frozen=True)
class Column:
    """A metric by one evaluator. The column's name includes the evaluator if the metric has several."""

    name: str
    metric: str
    evaluator_id: str


@dataclass(frozen=True, kw_only=True)
class Number:
    """The number of a metric in a record.

    It has the mean over texts, the standard deviation and the 95 % interval, each None if it does not exist. `scored`
    counts the texts, `status` is `ok` or gives the reason for missing texts, and `level` says how far the number was
    verified.
    """

    mean: float | None
    sd: float | None
    low: float | None
    high: float | None
    no_interval: str | None
    scored: int | None
    status: str | None
    evaluator_id: str | None
    level: str | None


def number_of(record: Mapping[str, Any], column: str) -> Number:
    """Return the number of a record in a column."""
    return Number(**{part.summary: record[column + ending] for ending, part in PARTS.items()})


@dataclass(frozen=True)
class Board:
    """A board: records with a value for each name in `about`, and for each of `columns` combined with `PARTS`.

    - `PARTS`: the mean, its standard deviation and interval, the reason for a missing interval, the number of texts,
      the status, the evaluator and the level
    - `levels`: details of the levels, by run and evaluator
    - `about`: the identifying fields, including the settings in which the runs differ
    - `settings`: the settings that all runs share
    - `notes`: caveats for the reader
    - `left_out`: runs without a record, because the stratum or cutoff is unknown or leaves no article
    - `same_articles`: False if the cutoff leaves different articles to different runs
    - `calibrations`: the calibrated numbers of each record, and the anchors
    """

    about: tuple[str, ...]
    columns: tuple[Column, ...]
    records: tuple[dict[str, Any], ...]
    notes: tuple[str, ...] = ()
    settings: Mapping[str, Any] = field(default_factory=dict)
    left_out: tuple[str, ...] = ()
    same_articles: bool = True
    levels: Mapping[tuple[str, str], Level] = field(default_factory=dict)
    calibrations: Calibrations = NONE

    @property
    def heads(self) -> list[str]:
        calibrated = {metric for *_, metric in self.calibrations.numbers}
        return [
            *self.about,
            *[column.name + part for column in self.columns for part in PARTS],
            *[column.name + part for column in self.columns if column.metric in calibrated for part in CALIBRATED],
        ]

    @property
    def without_anchors(self) -> "Board":
        """The same board without anchors and calibrated numbers."""
        ends = [column.name + end for column in self.columns for end in CALIBRATED]
        records = [{name: value for name, value in record.items() if name not in ends} for record in self.records]
        return replace(self, records=tuple(records), calibrations=NONE)

    @property
    def caption(self) -> str:
        """The settings that all runs share, in words."""
        words = [f"{name} {protocol.value_in_words(value)}" for name, value in self.settings.items()]
        return f"all runs: {', '.join(words)}" if words else ""


@in_one_read
def board(
    database: Database,
    snapshot: str | None = None,
    *,
    by_evaluator: bool = False,
    prefer: Collection[str] | None = None,
    by: Stratum | None = None,
    after_cutoff: bool = False,
    metrics: Collection[str] | None = None,
) -> Board:
    """Return the board of one snapshot (or `latest`), or of all snapshots.

    - `by`: divide the board by a stratum, with a record for each run and `part`
    - `metrics`: the metrics or column names to include, in this order
    - `after_cutoff`: restrict each run to articles created after its model's knowledge cutoff. Runs without a cutoff
      are left out, and the row of the articles uses the latest cutoff of the snapshot's runs.
    - `by_evaluator`: give each evaluator its own column
    - `prefer`: show each metric by one of these evaluators if possible; runs that it has not scored have no number

    `seen_share` is the share of the run's articles, or of its part's with `by`, that were not created after the cutoff.
    By default, each metric is shown by the newest evaluator that has scored every run with this metric. Claimed numbers
    count only if there are no others (`newwiki.levels`). A divided board lacks the numbers of whole runs, and runs on
    texts of a file.

    Raises UsageError for a metric that no run has. Raises TerminalError if no evaluator has scored all runs of a
    metric, if a snapshot lacks the stratum, or if no run has a cutoff.
    """
    name = snapshots.resolve(database, snapshot).snapshot_id if snapshot else None
    rows = database.records(dict[str, Any], "board_rows", name)
    texts = [row["completions"] for row in rows]
    summaries = database.records(dict[str, Any], "board_summaries", [row["run_id"] for row in rows], texts)
    levels = verifications.levels(database, [row["run_id"] for row in rows])
    scorings, decisive = (_by_metric(map(_scoring, chosen)) for chosen in (summaries, _decisive(summaries)))
    known = sorted(scorings)
    if metrics is not None:
        scorings = {
            metric: metric_scorings
            for metric, metric_scorings in scorings.items()
            if any(_is_of(name, metric) for name in metrics)
        }
    if by_evaluator:
        columns = [
            column
            for metric, metric_scorings in scorings.items()
            for column in _each(database, metric, metric_scorings)
        ]
        notes: tuple[str, ...] = ()
    else:
        shown = {metric: _shown_evaluator(decisive[metric], prefer) for metric in scorings}
        if disputed := {metric: decisive[metric] for metric, evaluator_id in shown.items() if evaluator_id is None}:
            raise TerminalError(_refusal(database, disputed, several=len({row["snapshot_id"] for row in rows}) > 1))
        columns = [Column(metric, metric, evaluator_id) for metric, evaluator_id in shown.items() if evaluator_id]
        notes = _unseen(database, columns, scorings)
    settings = {row["run_id"]: json.loads(row["settings"]) for row in rows if row["settings"]}
    apart_in = [name for name in protocol.varying(settings.values()) if name not in ABOUT]
    cells = {(summary["run_id"], summary["metric"], summary["evaluator_id"]): summary for summary in summaries}
    by_time = [] if by_evaluator else sorted(summaries, key=lambda summary: summary["finished_at"])
    others = {(summary["run_id"], summary["metric"]): summary["evaluator_id"] for summary in by_time}
    records = tuple(_record(row, settings.get(row["run_id"], {}), apart_in, columns, cells, others) for row in rows)
    whole = Board(
        (*ABOUT, *apart_in),
        tuple(columns),
        records,
        (
            *notes,
            *leaks(database, name),
            *same_weights(database),
            *of_several_models(database, {row["run_id"] for row in rows}),
            *incomplete_texts(database, [row["run_id"] for row in rows]),
            *seed_notes(rows),
            *copying(database, rows),
            *prompt_repeaters(database, rows),
            *stopped_runs(database, name),
        ),
        _shared(settings.values(), apart_in),
        levels=levels,
    )
    cut = (by or after_cutoff) and records
    whole = of_metrics(whole, metrics, known) if records else whole
    parts = None
    if cut:
        whole, parts = _cut(database, whole, by, _cutoffs(whole) if after_cutoff else None, others)
    return whole if by_evaluator else _with_calibrations(database, whole, parts)


def _with_calibrations(database: Database, whole: Board, parts: Parts | None) -> Board:
    runs = {record["run_id"]: record["snapshot_id"] for record in whole.records if not is_reference(record)}
    evaluators = {column.metric: column.evaluator_id for column in whole.columns}
    calibrations = calibrate(database, runs, evaluators, parts)
    records = []
    for record in whole.records:
        values: dict[str, Any] = {}
        for column in whole.columns:
            number = calibrations.numbers.get((record["run_id"], record.get(PART, WHOLE), column.metric))
            values |= {column.name + end: number and getattr(number, name) for end, name in CALIBRATED.items()}
        records.append(record | values)
    return replace(whole, records=tuple(records), calibrations=calibrations)


def after_days(database: Database, whole: Board, days: Sequence[date]) -> dict[date, Board]:
    """Return the board of one snapshot, restricted to its articles that were created after each of these days (UTC).

    All runs have the same articles. The boards lack the numbers of whole runs, and the runs without any of these
    articles.
    """
    cut = strata.cut_after(database, [record["run_id"] for record in whole.records], days)
    by_day = _by_part(whole, cut, [day.isoformat() for day in days], None)
    return dict(zip(days, by_day.values(), strict=True))


def by_parts(database: Database, whole: Board, stratum: Stratum, parts: Sequence[str]) -> dict[str, Board]:
    """Return the board of one snapshot, restricted to each of these parts, in the form of `after_days`."""
    cut = strata.cut(database, stratum, [record["run_id"] for record in whole.records])
    return _by_part(whole, cut, parts, stratum)


def _by_part(whole: Board, cut: strata.CutRuns, names: Sequence[str], stratum: Stratum | None) -> dict[str, Board]:
    metrics = {summary["metric"] for summary in cut.summaries}
    columns = tuple(column for column in whole.columns if column.metric in metrics)
    others = {
        (record["run_id"], column.metric): record[f"{column.name}_scored_by"]
        for record in whole.records
        for column in columns
        if record[f"{column.name}_status"] == ANOTHER
    }
    boards = {}
    for name in names:
        part_runs = {part.run_id: part for part in cut.of_runs if part.value == name}
        summaries = [summary for summary in cut.summaries if summary["value"] == name]
        cells = {(summary["run_id"], summary["metric"], summary["evaluator_id"]): summary for summary in summaries}
        records = tuple(
            {name: record[name] for name in whole.about}
            | _part_values(part_runs[record["run_id"]], stratum)
            | _values(record["run_id"], columns, cells, others)
            for record in whole.records
            if record["run_id"] in part_runs
        )
        alike = not snapshots_apart(whole.records, [*part_runs.values()])
        boards[name] = replace(whole, columns=columns, records=records, same_articles=alike, calibrations=NONE)
    return boards


def of_metrics(whole: Board, names: Collection[str] | None, known: Collection[str] = ()) -> Board:
    """Return the board with only the columns of these metrics or column names, in this order.

    Raises UsageError for an unknown name, with the available and the `known` metrics.
    """
    if names is None:
        return whole
    for name in names:
        if not any(name in (column.name, column.metric) for column in whole.columns):
            known_names = sorted({*known, *(column.name for column in whole.columns)})
            nearest = did_you_mean(name, known_names) or ";"
            raise UsageError(
                f"no run here is scored by '{name}'{nearest} there are: {', '.join(known_names) or 'none'}"
            )
    columns = [column for name in names for column in whole.columns if name in (column.name, column.metric)]
    return replace(whole, columns=tuple(dict.fromkeys(columns)))


def _is_of(name: str, metric: str) -> bool:
    """Return whether a name is the metric's name or the name of its column by one evaluator."""
    return name == metric or name.startswith(f"{metric} by ")


def _cutoffs(whole: Board) -> dict[str, date]:
    """Return the cutoff of each run that has one, by run id, and the latest cutoff of a snapshot for its articles.

    Raises TerminalError if no run has a cutoff.
    """
    cutoffs = {record["run_id"]: record["knowledge_cutoff"] for record in whole.records if record["knowledge_cutoff"]}
    if not cutoffs:
        raise TerminalError(f"no run has a known knowledge cutoff; {REMEDY}")
    for articles in (record for record in whole.records if is_reference(record)):
        beside = [
            cutoffs.get(record["run_id"])
            for record in whole.records
            if record["snapshot_id"] == articles["snapshot_id"]
        ]
        if any(beside):
            cutoffs[articles["run_id"]] = max(day for day in beside if day)
    return cutoffs


def _cut(
    database: Database,
    whole: Board,
    stratum: Stratum | None,
    after: Mapping[str, date] | None,
    others: Mapping[tuple[str, str], str],
) -> tuple[Board, Parts]:
    """Return the board with a record for each run and part of its snapshot, or for each run without a stratum; and the
    pages of each part by run."""
    parts = strata.parts(database, stratum, {record["snapshot_id"] for record in whole.records}) if stratum else []
    listed = [record for record in whole.records if after is None or record["run_id"] in after]
    cut = strata.cut(database, stratum, [record["run_id"] for record in listed], after)
    metrics = {summary["metric"] for summary in cut.summaries}
    columns = tuple(column for column in whole.columns if column.metric in metrics)
    records = []
    for record in listed:
        for part in (run_part for run_part in cut.of_runs if run_part.run_id == record["run_id"] and run_part.prompts):
            about = {name: record[name] for name in whole.about} | _part_values(part, stratum)
            here = [summary for summary in cut.summaries if summary["value"] == part.value]
            part_summaries = {
                (summary["run_id"], summary["metric"], summary["evaluator_id"]): summary for summary in here
            }
            records.append(about | _values(part.run_id, columns, part_summaries, others))
    notes = [*whole.notes, *strata.notes(stratum or "", parts)]
    if whole_run_names := [column.name for column in whole.columns if column not in columns]:
        notes.append(f"left out, as they are of whole runs and have no parts: {', '.join(whole_run_names)}")
    on_snapshots = {run_part.run_id for run_part in cut.of_runs}
    if elsewhere := [record["run_id"] for record in listed if record["run_id"] not in on_snapshots]:
        notes.append(f"left out, as they are on no snapshot's articles: {', '.join(elsewhere)}")
    if after is not None:
        notes += told_after_cutoff(whole.records, cut.of_runs, after)
    shown = {record["run_id"] for record in records}
    divided = replace(
        whole,
        about=(*ABOUT, *([PART] if stratum else []), *whole.about[len(ABOUT) :]),
        columns=columns,
        records=tuple(records),
        notes=tuple(notes),
        same_articles=after is None or not snapshots_apart(whole.records, cut.of_runs),
        left_out=tuple(record["run_id"] for record in whole.records if record["run_id"] not in shown),
    )
    return divided, cut.pages


def _part_values(part: strata.PartOfRun, stratum: str | None) -> dict[str, Any]:
    texts = {"prompts": part.prompts, "completions": part.completions, "seen_share": part.seen_share}
    return texts | ({PART: part.value} if stratum else {})


def _scoring(row: Row) -> Scoring:
    return Scoring(row["run_id"], row["metric"], row["evaluator_id"], row["finished_at"])


def _decisive(summaries: Sequence[Row]) -> list[Row]:
    """Return the summaries that determine the evaluator of a column.

    Claims count only for metrics without other numbers.
    """
    run_summaries = [summary for summary in summaries if not is_reference(summary)]
    sound = {summary["metric"] for summary in run_summaries if summary["level"] != CLAIMED}
    return [summary for summary in summaries if summary["level"] != CLAIMED or summary["metric"] not in sound]


def _by_metric(scorings: Iterable[Scoring]) -> dict[str, list[Scoring]]:
    """Return the scorings of runs by metric. Scorings of the articles count only for metrics that no run has."""
    everything = list(scorings)
    return by_metric(everything) | by_metric(
        scoring for scoring in everything if not scoring.run_id.startswith("reference:")
    )


def _shown_evaluator(scorings: Sequence[Scoring], prefer: Collection[str] | None) -> str | None:
    """Return the evaluator whose numbers a metric's column shows, or None if there is no common evaluator."""
    if prefer is None:
        return agreed(scorings)
    preferred = next((scoring.evaluator_id for scoring in scorings if scoring.evaluator_id in prefer), None)
    return preferred or agreed(scorings) or scorings[0].evaluator_id


def _each(database: Database, metric: str, scorings: Sequence[Scoring]) -> list[Column]:
    names = list(dict.fromkeys(scoring.evaluator_id for scoring in scorings))
    if len(names) == 1:
        return [Column(metric, metric, names[0])]
    words = evaluator_words(database, names)
    return [Column(f"{metric} by {words[name]}", metric, name) for name in names]


def _unseen(
    database: Database, columns: Sequence[Column], scorings: Mapping[str, Sequence[Scoring]]
) -> tuple[str, ...]:
    """Return a note on runs whose newest numbers are in no column, if there are any."""
    left_out = {}
    for column in columns:
        metric_scorings = scorings[column.metric]
        newest = {scoring.run_id: scoring for scoring in reversed(metric_scorings)}
        if others := [scoring for scoring in newest.values() if scoring.evaluator_id != column.evaluator_id]:
            left_out[column.metric] = [
                *others,
                *(scoring for scoring in metric_scorings if scoring.evaluator_id == column.evaluator_id),
            ]
    if not left_out:
        return ()
    shown = {column.metric: column.evaluator_id for column in columns}
    with database.read():
        who, what_to_do = apart(database, left_out, shown), remedy(database, left_out)
    return (
        f"not shown, as a column holds the numbers of one evaluator: {who}; "
        f"{what_to_do} has all runs scored by one, `newwiki leaderboard --by-evaluator` shows each",
    )


def _refusal(database: Database, disputed: Mapping[str, Sequence[Scoring]], several: bool) -> str:
    return (
        f"numbers of different evaluators cannot stand in one column: {apart(database, disputed)}. "
        f"Have all runs scored by one: {remedy(database, disputed)}; or see a column for each: "
        f"`newwiki leaderboard --by-evaluator`{', or one snapshot: --snapshot ID' if several else ''}"
    )


def _shared(all_settings: Collection[protocol.Settings], apart_in: Collection[str]) -> dict[str, Any]:
    """Return the known settings that all runs share."""
    first: protocol.Settings = next(iter(all_settings), {})
    names = [name for name in (*protocol.PROTOCOL, *protocol.TOLD) if name not in (*apart_in, *ABOUT) and all_settings]
    known = {
        name: next((settings[name] for settings in all_settings if settings[name] is not None), first[name])
        for name in names
    }
    return {
        name: value
        for name, value in known.items()
        if value is not None and not (name in protocol.CHAT_SETTINGS and value == protocol.NONE)
    }


def _record(
    row: Row,
    settings: protocol.Settings,
    apart_in: Iterable[str],
    columns: Iterable[Column],
    cells: Cells,
    others: Mapping[tuple[str, str], str],
) -> dict[str, Any]:
    about = {name: row[name] for name in ABOUT} | {name: settings.get(name) for name in apart_in}
    return about | _values(row["run_id"], columns, cells, others)


def _values(
    run_id: str, columns: Iterable[Column], cells: Cells, others: Mapping[tuple[str, str], str]
) -> dict[str, Any]:
    record: dict[str, Any] = {}
    for column in columns:
        summary = cells.get((run_id, column.metric, column.evaluator_id))
        record |= {column.name + ending: summary and summary[part.summary] for ending, part in PARTS.items()}
        if not summary and (maker := others.get((run_id, column.metric))):
            record |= {f"{column.name}_status": ANOTHER, f"{column.name}_scored_by": maker}
    return record
