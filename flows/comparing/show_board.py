"""Print the leaderboard for people."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import count, pairwise
from typing import Any

from flows.comparing.after_cutoff import is_reference
from flows.comparing.board import PART, SEEN, Board, Number, number_of
from flows.comparing.calibration import FOOLED, STYLE, Anchors
from flows.comparing.ranked import leaderboard
from flows.presenting import tables
from flows.presenting.brief_board import MOST, brief
from flows.presenting.numbers import NONE, decimals, fixed, longer_arm, percent
from flows.presenting.table_layout import Column, shortened, wrapped
from flows.printing import say
from newwiki.anchors import ANCHORS, ARTICLE, BEGINNING
from newwiki.columns import CALIBRATED
from newwiki.comparison_requests import LeaderboardRequest
from newwiki.decoding.grammar import short_form
from newwiki.levels import VERIFIED
from newwiki.protocol import PROTOCOL, TOLD, value_in_words
from storage.database import Database

_ACROSS = 6  # maximum number of runs as columns; more runs become rows
_SETTINGS, _LONGEST = 3, 24  # maximum number and length of settings in the table; otherwise protocols have numbers
_CAPTION = "mean ± the longer arm of its 95 % interval (by prompt); --format csv or json has both ends"
_SCALE = "calibrated: 0 is another article of the snapshot, 100 the article itself, at the length of the run's texts"
_CALIBRATED = "  calibrated"
_WHICH = ("model", "decoder")
_HEADS = {"snapshot_id": "snapshot", "run_id": "run"}
Record = Mapping[str, Any]


def show(
    database: Database, request: LeaderboardRequest, form: str, prefer: Collection[str] | None = None
) -> tuple[str, ...]:
    """Write the leaderboard to stdout, and return notes for the reader.

    `prefer` is passed to `flows.comparing.board.board`.
    """
    shown = leaderboard(database, request, prefer)
    if request.anchors == "no":
        shown = shown.without_anchors
    if form == "markdown":
        most = MOST if request.metrics == "all" else None
        tables.show(*brief(database, shown, most), form)
        return (*shown.notes, *filter(None, [shown.caption]))
    if form != "table":
        tables.show(shown.heads, [[record[name] for name in shown.heads] for record in shown.records], form)
        return (*shown.notes, *filter(None, [shown.caption]))
    if not shown.records:
        return ("no run is scored yet; score one with `newwiki evaluate MODEL --decoder greedy`",)
    _show_table(shown)
    return shown.notes


def _show_table(shown: Board) -> None:
    """Print a cell for each metric with the mean and the arm of its interval.

    Common settings come above the table. Remarks on single cells and full names come below it.
    """
    remarks = _Remarks(shown)
    numbers = {column.name: _numbers(shown.records, column.name, remarks) for column in shown.columns}
    alike = _alike(shown)
    calibrated = {
        column.name: _calibrated(shown.records, column.name)
        for column in shown.columns
        if any(record.get(column.name + end) is not None for record in shown.records for end in CALIBRATED)
    }
    about = [name for name in shown.about if name not in (*alike, *_WHICH) and not _is_unknown(shown, name)]
    room = tables.room()
    models = shortened({record["model"] for record in shown.records}, max(16, room // 5))
    which = [(models[record["model"]], short_form(record["decoder"])) for record in shown.records]
    values, protocols = _numbered({name: _field_values(shown.records, name) for name in about})
    if len(shown.records) <= _ACROSS:
        rows = [(_HEADS.get(name, name), cells) for name, cells in values.items()]
        for name, cells in numbers.items():
            rows += [(name, cells), *([(_CALIBRATED, calibrated[name])] if name in calibrated else [])]
        columns = [Column("", [head for head, _ in rows])]
        for place, (model, decoder) in enumerate(which):
            columns.append(
                Column("\n".join([model, *decoder.split(",")]), [cells[place] for _, cells in rows], right=True)
            )
        tables.show_columns(columns, _caption(shown, alike, remarks))
    else:
        keys = [Column(name, [names[place] for names in which]) for place, name in enumerate(_WHICH)]
        first = [Column(PART, values.pop(PART))] if PART in values else []
        others = [Column(_HEADS.get(name, name), cells, right=_is_count(name)) for name, cells in values.items()]
        columns = [*keys, *first, *others]
        for name, cells in numbers.items():
            columns.append(Column(name, cells, right=True))
            columns += [Column(f"{name}, calibrated", calibrated[name], right=True)] if name in calibrated else []
        parted = _between_groups(shown.records) if "group" in values else []
        tables.show_columns(columns, _caption(shown, alike, remarks), len(keys) + len(first), parted)
    for line in [*remarks.legend, *protocols, *(f"{short}: {name}" for name, short in models.items() if short != name)]:
        for part in wrapped(line, room):
            say(part)
    for anchors in shown.calibrations.anchors:
        _show_anchors(shown, anchors)


def _show_anchors(shown: Board, anchors: Anchors) -> None:
    """Print the anchors of a snapshot in grey below the runs, and the metrics that cannot see content."""
    names = [column.name for column in shown.columns if (ARTICLE, column.metric) in anchors.means]
    metrics = {column.name: column.metric for column in shown.columns}
    cells = [anchors.shown(metrics[name]) for name in names]
    columns = [Column("", names)]
    for place, anchor in enumerate(ANCHORS):
        columns.append(Column(anchor.removeprefix(BEGINNING), [row[place] for row in cells], right=True))
    kinds = "; ".join(f"{anchor.removeprefix(BEGINNING)}: {words}" for anchor, words in ANCHORS.items())
    say()
    title = f"anchors of {anchors.snapshot_id}, texts of {anchors.words} words that no model wrote ({kinds})"
    tables.show_columns(columns, title, style="dim")
    for metrics_named, remark in ((anchors.blind, STYLE), (anchors.fooled, FOOLED)):
        if metrics_named:
            for part in wrapped(f"{', '.join(metrics_named)}: {remark}", tables.room()):
                say(part)


def _calibrated(records: Sequence[Record], name: str) -> list[str]:
    """Return cells such as `63±4`."""
    cells = []
    for record in records:
        mean, low, high = (record[name + end] for end in CALIBRATED)
        arm = "" if low is None else f"±{fixed(max(mean - low, high - mean), 0)}"
        cells.append(NONE if mean is None else f"{fixed(mean, 0)}{arm}")
    return cells


class _Remarks:
    """Numbered remarks on cells, each listed once. A remark that applies to all cells goes into the caption instead."""

    def __init__(self, shown: Board) -> None:
        self._levels = {key: level.words for key, level in shown.levels.items()}
        cells = [
            (record["run_id"], number_of(record, column.name)) for record in shown.records for column in shown.columns
        ]
        run_cells = [(run_id, number) for run_id, number in cells if number.mean is not None]
        reasons, levels = {number.no_interval for _, number in run_cells}, {self._level(*cell) for cell in run_cells}
        self.everywhere: str | None = reasons.pop() if len(reasons) == 1 else None
        self.level: str | None = levels.pop() if len(levels) == 1 else None
        self._numbers: dict[str, int] = {}
        self._next = count(1)

    def mark(self, run_id: str, number: Number) -> str:
        """Return the mark of a cell, such as ` [1]`, or an empty string."""
        lacking = None if number.no_interval == self.everywhere else number.no_interval
        status = None if number.status in (None, "ok") else number.status
        level = None if self.level else self._level(run_id, number)
        remark = "; ".join(filter(None, [lacking, status, level]))
        if remark and remark not in self._numbers:
            self._numbers[remark] = next(self._next)
        return f" [{self._numbers[remark]}]" if remark else ""

    def _level(self, run_id: str, number: Number) -> str | None:
        """Return the words for a level below `verified`, or None."""
        if number.level in (None, VERIFIED):
            return None
        return self._levels[run_id, str(number.evaluator_id)]

    @property
    def legend(self) -> list[str]:
        return [f"[{number}] {remark}" for remark, number in self._numbers.items()]


def _numbers(records: Sequence[Record], name: str, remarks: _Remarks) -> list[str]:
    """Return cells such as `0.412±0.015`, with the same number of digits and aligned decimal points."""
    numbers = [number_of(record, name) for record in records]
    arms = [longer_arm(number) for number in numbers]
    places = decimals([number.mean for number in numbers if number.mean is not None], [arm for arm in arms if arm])
    means = [NONE if number.mean is None else fixed(number.mean, places) for number in numbers]
    reach = ["" if arm is None else f"±{fixed(arm, places)}" for arm in arms]
    marks = [remarks.mark(record["run_id"], number) for record, number in zip(records, numbers, strict=True)]
    widths = [max(map(len, part)) for part in (means, reach, marks)]
    return [
        f"{mean:>{widths[0]}}{arm:>{widths[1]}}{mark:<{widths[2]}}"
        for mean, arm, mark in zip(means, reach, marks, strict=True)
    ]


def _alike(shown: Board) -> list[str]:
    """Return the fields that are no columns, because they are the same for all runs and for all articles."""
    named = [name for name in shown.about if name in ("snapshot_id", "prompts", "completions", *SEEN)]
    return [name for name in named if all(_is_one(records, name) for records in _parted(shown))]


def _is_one(records: Sequence[Record], name: str) -> bool:
    return len({record[name] for record in records}) <= 1


def _parted(shown: Board) -> tuple[list[Record], list[Record]]:
    """Return the records of runs, and the records of the snapshots' articles."""
    articles: list[Record] = [record for record in shown.records if is_reference(record)]
    return [record for record in shown.records if record not in articles], articles


def _caption(shown: Board, alike: Sequence[str], remarks: _Remarks) -> str:
    runs, articles = _parted(shown)
    names = [name for name in alike if name != "snapshot_id" and not _is_unknown(shown, name)]
    lacking = f"there are no intervals: {remarks.everywhere}" if remarks.everywhere else ""
    snapshot = f"snapshot: {shown.records[0]['snapshot_id']}" if "snapshot_id" in alike else ""
    settings = ", ".join([*filter(None, [shown.caption]), *_values(runs, names)])
    run_line = settings if shown.caption or not settings else f"all runs: {settings}"
    article_values = ", ".join(_values(articles, names))
    article_line = f"the articles: {article_values}" if article_values else ""
    levels = f"all numbers: {remarks.level}" if remarks.level else ""
    scale = _SCALE if shown.calibrations.numbers else ""
    return "\n".join(filter(None, [_CAPTION, scale, lacking, levels, snapshot, run_line, article_line]))


def _values(records: Sequence[Record], names: Iterable[str]) -> list[str]:
    """Return texts such as `prompts 40` for fields that all of these records share."""
    named = [(name, "".join(_field_values(records[:1], name))) for name in names]
    return [f"{name} {words}" for name, words in named if words]


def _field_values(records: Iterable[Record], name: str) -> list[str]:
    """Return the values of a field.

    The value is empty for the articles, and for settings that do not apply to a run.
    """
    values = [record[name] for record in records]
    if name == "seen_share":
        return ["" if share is None else percent(share) for share in values]
    if name == "run_id":
        return _beginnings(values)
    return ["" if value is None else value_in_words(value) for value in values]


def _numbered(values: Mapping[str, list[str]]) -> tuple[dict[str, list[str]], list[str]]:
    """Replace the settings by the number of each run's protocol if many or long ones differ, and return a line on each.

    Most protocols are described by their differences from the first; one of which most settings are unknown (texts of a
    file) by those that are known.
    """
    settings = [name for name in values if name in (*PROTOCOL, *TOLD)]
    if len(settings) <= _SETTINGS and all(len(value) <= _LONGEST for name in settings for value in values[name]):
        return dict(values), []
    by_record = list(zip(*(values[name] for name in settings), strict=True))
    known = [protocol for protocol in dict.fromkeys(by_record) if any(protocol)]
    numbers = ["" if not any(protocol) else str(known.index(protocol) + 1) for protocol in by_record]
    legend = []
    for number, protocol in enumerate(known, start=1):
        named = {name: value for name, value in zip(settings, protocol, strict=True) if value}
        is_like_first = number > 1 and len(named) > len(settings) / 2
        first = zip(settings, known[0], protocol, strict=True)
        changed = {name: value or "unknown" for name, before, value in first if value != before}
        words = ", ".join(f"{name} {value}" for name, value in (changed if is_like_first else named).items())
        legend.append(f"protocol {number}: {'as 1, but ' if is_like_first else ''}{words}")
    return {"protocol": numbers} | {name: cells for name, cells in values.items() if name not in settings}, legend


def _beginnings(run_ids: Sequence[str]) -> list[str]:
    """Return the shortest distinct prefixes of run ids (at least eight characters), and `reference` for articles."""
    width = 8
    while len({run_id[:width] for run_id in run_ids}) < len({*run_ids}):
        width += 1
    return [run_id.partition(":")[0] if run_id.startswith("reference:") else run_id[:width] for run_id in run_ids]


def _is_unknown(shown: Board, name: str) -> bool:
    return name in SEEN and all(record[name] is None for record in shown.records)


def _is_count(name: str) -> bool:
    return name in ("prompts", "completions", "seen_share")


def _between_groups(records: Sequence[Record]) -> list[int]:
    """Return the places of records that share no group with the record before them."""
    apart = (set(before["group"] or "") & set(after["group"] or "") for before, after in pairwise(records))
    return [place for place, shared in enumerate(apart, start=1) if not shared]
