"""Plot quality against diversity: each run is a point with intervals in both directions."""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from flows.comparing.board import Column, number_of
from flows.comparing.shown_levels import LevelNote
from flows.presenting.charts import MOST_SERIES, Key, PageSigns, Sign, corners, crosses, svg
from flows.presenting.material import Material, Record
from flows.presenting.numbers import varies
from flows.report.example_texts import column_for, example_column
from newwiki.anchors import ARTICLE, OTHER
from newwiki.protocol import PROTOCOL, value_in_words
from newwiki.registry import reading_metrics

# metrics of the diversity within a text, and between a run's texts
_WITHIN, _BETWEEN = ("distinct_2", "diversity", "rep_4"), ("self_bleu",)
_OF_DIVERSITY = ("distinct_", "diversity", "rep_", "self_bleu")
_MODELS = MOST_SERIES**2  # the number of pairs of a color and a shape
_NAMED = 24  # maximum number of points labeled with their decoder


@dataclass(frozen=True)
class TradeOffPanel:
    """A panel of runs under one protocol.

    `protocol` describes the protocol if there are several. `level` is True if a line shows the articles, `hollow` if a
    point lacks an interval, and `named` if the points have labels. `levels` are the levels of its numbers.
    """

    protocol: str
    quality: Column
    diversity: Column
    image: Markup
    level: bool
    hollow: bool
    named: bool
    levels: Sequence[LevelNote]


@dataclass(frozen=True)
class TradeOff:
    """A panel for each protocol and each kind of diversity, and a key for each model that is drawn."""

    keys: Sequence[Key]
    panels: Sequence[TradeOffPanel]
    models: int


def trade_off(material: Material, column: Column | None, page: PageSigns) -> TradeOff | None:
    """Plot quality against diversity; return None if no two runs of one protocol have both numbers.

    Quality is the column by which examples are chosen, unless that column measures diversity.
    """
    quality = _quality(material, column)
    if quality is None:
        return None
    names = list(dict.fromkeys(material.names[record["run_id"]] for record in material.records))
    sign_of = {name: page.of(name) for name in names[:_MODELS]}
    keys = [Key(sign, name) for name, sign in sign_of.items()]
    panels = []
    for diversity in _diversities(material.board.columns):
        for protocol, records in _runs_by_protocol(material).items():
            scored = [
                record
                for record in records
                if record[quality.name] is not None
                and record[diversity.name] is not None
                and material.names[record["run_id"]] in sign_of
            ]
            if len(scored) > 1:
                panels.append(_panel(material, protocol, quality, diversity, scored, sign_of))
    return TradeOff(keys, panels, len(names)) if panels else None


def _quality(material: Material, column: Column | None) -> Column | None:
    read = reading_metrics()
    directed = [
        candidate
        for candidate in material.text_columns
        if candidate.metric not in read and material.direction(candidate) != "none"
    ]
    choices = [*filter(None, [column, example_column(material, column_for(material, None))]), *directed]
    return next(
        (
            candidate
            for candidate in choices
            if candidate in directed and not candidate.metric.startswith(_OF_DIVERSITY)
        ),
        None,
    )


def _diversities(columns: Iterable[Column]) -> list[Column]:
    by_metric = {column.metric: column for column in reversed(list(columns))}
    columns_found = [
        next((by_metric[name] for name in names if name in by_metric), None) for names in (_WITHIN, _BETWEEN)
    ]
    return [column for column in columns_found if column]


def _runs_by_protocol(material: Material) -> Mapping[str, Sequence[Record]]:
    """Return the runs by protocol; the key describes the protocol if there are several."""
    apart_in = [name for name in material.apart_in if name in PROTOCOL]
    by_protocol: dict[str, list[Record]] = defaultdict(list)
    for record in material.records:
        words = [f"{name} {value_in_words(record[name])}" for name in apart_in if record[name] is not None]
        by_protocol[", ".join(words)].append(record)
    return by_protocol


def _panel(
    material: Material,
    protocol: str,
    quality: Column,
    diversity: Column,
    records: Sequence[Record],
    sign_of: Mapping[str, Sign],
) -> TradeOffPanel:
    words = _words(material, records) if len(records) <= _NAMED else {}
    values = []
    for record in records:
        sign = sign_of[material.names[record["run_id"]]]
        arms = _arm("x", record, quality) | _arm("y", record, diversity)
        bare = any(number_of(record, axis.name).low is None for axis in (quality, diversity))
        values.append(
            arms
            | {
                "color": sign.color,
                "fill": "transparent" if bare else sign.color,
                "shape": sign.shape,
                "words": words.get(record["run_id"], ""),
            }
        )
    level = _level(material, diversity)
    downwards = material.direction(diversity) == "lower"
    numbers = "; ".join(
        f"{material.label(record)}: {record[quality.name]:.4g}, {record[diversity.name]:.4g}" for record in records
    )
    values = [
        value | {"corner": corner} for value, corner in zip(values, corners(values, downwards=downwards), strict=True)
    ]
    image = svg(
        crosses(values, quality.name, diversity.name, downwards=downwards, level=level, ends=_ends(material, quality)),
        f"{quality.name} and {diversity.name} of each run: {numbers}",
    )
    hollow = any(value["fill"] == "transparent" for value in values)
    levels = material.level_notes(records, [quality, diversity])
    return TradeOffPanel(protocol, quality, diversity, image, level is not None, hollow, bool(words), levels)


def _arm(axis: str, record: Record, column: Column) -> dict[str, Any]:
    """Return the point and the ends of its error bar, which has no length without an interval."""
    number = number_of(record, column.name)
    low, high = (number.mean if end is None else end for end in (number.low, number.high))
    return {axis: number.mean, f"{axis}_low": low, f"{axis}_high": high}


def _level(material: Material, column: Column) -> float | None:
    """Return the articles' mean if their numbers vary; compared with themselves they are all equal."""
    if not material.reference or not varies(number_of(material.reference, column.name).sd):
        return None
    return float(material.reference[column.name])


def _ends(material: Material, column: Column) -> list[float]:
    """Return the means of another article and of the article's beginning, if there are anchors."""
    return [
        mean.mean
        for anchors in material.board.calibrations.anchors
        for anchor in (OTHER, ARTICLE)
        if (mean := anchors.means.get((anchor, column.metric))) and mean.mean is not None
    ]


def _words(material: Material, records: Sequence[Record]) -> dict[str, str]:
    """Return each run's decoder with the parameters in which runs with the same decoder name differ."""
    runs = {record["run_id"]: material.entries[record["run_id"]].run for record in records}
    names = {run_id: run.decoder.partition(":")[0] for run_id, run in runs.items()}
    parameters: dict[str, dict[str, Any]] = {run_id: json.loads(run.decoder_parameters) for run_id, run in runs.items()}
    labels = {}
    for run_id, name in names.items():
        alike = [parameters[other] for other, its_name in names.items() if its_name == name]
        differing = [
            f"{parameter} {value:g}" if isinstance(value, int | float) else f"{parameter} {value}"
            for parameter, value in sorted(parameters[run_id].items())
            if any(other.get(parameter) != value for other in alike)
        ]
        labels[run_id] = ", ".join(differing) or name
    return labels
