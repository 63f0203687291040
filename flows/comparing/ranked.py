"""Rank the board by a metric with groups of similar runs, or put the runs of several months on one scale."""

import itertools
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from string import ascii_lowercase
from typing import Any

import numpy as np

from evaluators import statistics
from flows.comparing.board import Board, Column, board, of_metrics
from flows.presenting.numbers import digits
from flows.verdict_kinds import gives_verdicts
from newwiki.columns import PARTS
from newwiki.comparison_requests import LeaderboardRequest
from newwiki.errors import TerminalError, UsageError, did_you_mean
from newwiki.levels import Level
from newwiki.protocol import ACROSS_MONTHS, ACROSS_WIKIS, PROTOCOL, settings_named, value_in_words, values_of, varying
from storage import comparison, snapshots, verifications
from storage.comparison import Array
from storage.database import Database, in_one_read


@in_one_read
def leaderboard(database: Database, request: LeaderboardRequest, prefer: Collection[str] | None = None) -> Board:
    """Return the board, ranked by a metric if the request names one. This metric comes before the requested metrics.

    `prefer` is passed to `flows.comparing.board.board`. Raises UsageError for a metric that no run is scored by.
    """
    named = settings_named(request.across)
    if ACROSS_MONTHS in named:
        raise UsageError("--across snapshot is for `newwiki compare`; a leaderboard over months is --linked")
    if ACROSS_WIKIS in named:
        raise UsageError("--across wiki is for `newwiki compare`; runs of two wikis are not ranked")
    names = None if request.metrics == "all" else [name.strip() for name in request.metrics.split(",")]
    wanted = [*filter(None, [request.rank]), *(names or ())]
    if request.linked:
        return of_metrics(linked_board(database, request.snapshot), wanted if names else None)
    shown = board(
        database,
        request.snapshot,
        by_evaluator=request.by_evaluator,
        prefer=prefer,
        by=request.by,
        after_cutoff=request.after_cutoff,
        metrics=wanted if names else None,
    )
    if not request.rank or not shown.records:
        return shown
    return ranked(database, shown, request.rank, request.seed, named, after_cutoff=request.after_cutoff)


@gives_verdicts("groups", "prompts", given="models, decoders and seeds", family="the pairs of runs of the leaderboard")
def ranked(
    database: Database,
    board: Board,
    metric: str,
    seed: int = 0,
    across: Collection[str] = (),
    *,
    after_cutoff: bool = False,
) -> Board:
    """Return the board with the best run first, and a `group` for each run.

    Runs that share a letter in `group` do not differ significantly. Each pair of runs is compared on its common
    prompts, as by `newwiki compare`, with Holm's correction for the number of pairs. With `after_cutoff`, only articles
    after the cutoffs of both count. The articles come first without a group, and runs without a number last.

    Raises UsageError for an unknown column. Raises TerminalError if the runs are on several snapshots, or if the metric
    is one of whole runs. Also raises it if the protocols differ in a setting that `across` does not name.
    """
    column = _column(board, metric)
    run_records = [record for record in board.records if not record["run_id"].startswith("reference:")]
    snapshots = {record["snapshot_id"] for record in run_records if record[column.name] is not None}
    if len(snapshots) > 1:
        raise TerminalError(
            f"runs are ranked on the same prompts; name one snapshot with --snapshot: {', '.join(sorted(snapshots))}; "
            "the runs of all on one scale are `newwiki leaderboard --linked`"
        )
    runs = [record for record in run_records if record[column.name] is not None]
    _require_one_protocol(runs, [name for name in board.about if name in PROTOCOL], across)
    ((direction,),) = database.rows("direction", column.metric)
    runs.sort(key=lambda record: record[column.name], reverse=direction != "lower")
    groups = _groups(database, column, runs, seed, after_cutoff=after_cutoff)
    articles = [record for record in board.records if record not in run_records]
    without = [record for record in run_records if record not in runs]
    records: list[dict[str, Any]] = [
        *[record | {"group": None} for record in articles],
        *[record | {"group": group} for record, group in zip(runs, groups, strict=True)],
        *[record | {"group": None} for record in without],
    ]
    note = (
        f"runs that share a letter in `group` cannot be told apart by {column.name} "
        f"(over prompts, paired, with Holm's correction for all pairs, 5 %; fewer than {statistics.FEWEST} common "
        "prompts tell nothing apart)"
    )
    return replace(board, about=(*board.about, "group"), records=tuple(records), notes=(*board.notes, note))


def _require_one_protocol(runs: Collection[dict[str, Any]], apart_in: Collection[str], across: Collection[str]) -> None:
    """Raise TerminalError if the protocols differ.

    `apart_in` holds the protocol settings in which runs of the board differ.
    """
    settings = [{name: record[name] for name in apart_in} for record in runs]
    differing = varying(settings)
    if set(differing) - set(across):
        description = "; ".join(
            f"{name} {', '.join(map(value_in_words, values_of(settings, name)))}" for name in differing
        )
        options = " ".join(f"--across {name}" for name in differing)
        raise TerminalError(
            f"runs are ranked under one protocol, and these have different settings: {description}; evaluate all with "
            f"the same settings, or rank them anyway: {options}"
        )


def letters(count: int, different: Iterable[tuple[int, int]]) -> list[str]:
    """Return the letters of each item: one letter for each maximal set of items without a difference.

    The first set is `a`. `different` holds pairs of places. Two items share a letter if and only if they do not differ.
    Source: Piepho 2004, An algorithm for a letter-based representation of all-pairwise comparisons (insert and absorb).
    """
    sets = [frozenset(range(count))]
    for pair in different:
        split = [
            part
            for members in sets
            for part in ([members - {place} for place in pair] if members >= set(pair) else [members])
        ]
        sets = [members for members in dict.fromkeys(split) if not any(members < other for other in split)]
    sets.sort(key=sorted)
    return ["".join(_letter(n) for n, members in enumerate(sets) if place in members) for place in range(count)]


def _letter(number: int) -> str:
    more, place = divmod(number, len(ascii_lowercase))
    return ascii_lowercase[place] + str(more or "")


def _column(board: Board, name: str) -> Column:
    columns = [column for column in board.columns if column.name == name]
    if not columns:
        known = [column.name for column in board.columns]
        raise UsageError(
            f"there is no column '{name}' to rank by{did_you_mean(name, known) or ';'} there are: {', '.join(known)}"
        )
    return columns[0]


def _groups(
    database: Database, column: Column, runs: Sequence[Mapping[str, Any]], seed: int, *, after_cutoff: bool
) -> list[str]:
    run_ids = [record["run_id"] for record in runs]
    page_means = comparison.page_means(database, run_ids, {column.metric: column.evaluator_id}, with_reading=True)
    means = page_means.values[:, 0]
    if run_ids and not means.size:
        raise TerminalError(
            f"{column.name} is one number a run, so it cannot be said which runs differ; rank by a metric of texts"
        )
    for place, record in enumerate(runs if after_cutoff else ()):
        later = comparison.created_after(database, record["snapshot_id"], record["knowledge_cutoff"])
        means[place, ~np.isin(page_means.pages, later)] = np.nan
    return groups(means, seed)


def groups(means: Array, seed: int) -> list[str]:
    """Return the letters of runs by their prompts' means (runs × prompts, NaN for missing means)."""
    pairs = list(itertools.combinations(range(len(means)), 2))
    if not pairs:
        return letters(len(means), [])
    differences = np.stack([means[a] - means[b] for a, b in pairs], axis=1)
    different = statistics.different(differences, seed)
    return letters(len(means), [pair for pair, differs in zip(pairs, different, strict=True) if differs])


_ABOUT = ("model", "decoder", "snapshot_id", "run_id")
Row = Mapping[str, Any]


def linked_board(database: Database, snapshot: str | None) -> Board:
    """Return the board on the scale of this snapshot, by default the newest.

    `METRIC_texts` counts articles, and `METRIC_status` holds the mean on a run's own month. Raises TerminalError if no
    month is linked with the snapshot.
    """
    newest = snapshots.resolve(database, snapshot or "latest").snapshot_id
    rows = database.records(dict[str, Any], "trends_on", newest)
    if not rows:
        raise TerminalError(
            f"no month is linked with {newest}: link them with `newwiki experiment linking --snapshot {newest}`"
        )
    evaluators = {row["metric"]: row["evaluator_id"] for row in rows}
    columns = tuple(Column(metric, metric, evaluators[metric]) for metric in sorted(evaluators))
    by_run: dict[str, dict[str, Row]] = {}
    for row in rows:
        by_run.setdefault(row["run_id"], {})[row["metric"]] = row
    levels = verifications.levels(database, by_run)
    records = tuple(_record(by_metric, columns, levels) for by_metric in by_run.values())
    return Board(_ABOUT, columns, records, (_note(newest), *_unseen(database, rows)), levels=levels)


def _record(
    by_metric: Mapping[str, Row], columns: Sequence[Column], levels: Mapping[tuple[str, str], Level]
) -> dict[str, Any]:
    about = next(iter(by_metric.values()))
    record: dict[str, Any] = {name: about[name] for name in _ABOUT}
    for column in columns:
        record |= {column.name + part: None for part in PARTS}
        if row := by_metric.get(column.metric):
            own = "ok" if row["linked"] == row["mean"] else f"{digits(row['mean'])} in its month"
            if row["linked"] is None:
                own += f": {row['no_link']}"
            record |= {
                column.name: row["linked"],
                f"{column.name}_low": row["low"],
                f"{column.name}_high": row["high"],
                f"{column.name}_no_interval": row["no_link"],
                f"{column.name}_texts": row["articles"],
                f"{column.name}_status": own,
                f"{column.name}_scored_by": row["evaluator_id"],
                f"{column.name}_level": levels[row["run_id"], row["evaluator_id"]].level,
            }
    return record


def _note(newest: str) -> str:
    return (
        f"all numbers are on the scale of {newest}: what a run of another month would have there, with the errors of "
        "the link in its interval (`newwiki experiment linking` has the links)"
    )


def _unseen(database: Database, rows: Sequence[Row]) -> list[str]:
    """Return a note on runs that were scored after the experiment."""
    months, answers = (sorted({row[name] for row in rows}) for name in ("snapshot_id", "experiment_id"))
    left_out = [run_id for (run_id,) in database.rows("scored_since", months, answers)]
    if not left_out:
        return []
    return [
        f"not among them, as they were scored since: {', '.join(left_out)}; `newwiki experiment linking` takes them in"
    ]
