"""The section on training: each metric against the training step of the checkpoints."""

import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from markupsafe import Markup

from flows.comparing.board import Column
from flows.comparing.shown_levels import LevelNote
from flows.presenting.charts import MOST_SERIES, Key, PageSigns, Sign, curves, svg
from flows.presenting.material import Material, Record
from flows.presenting.page_tables import Row, in_order, rows
from newwiki.decoding.grammar import short_form
from newwiki.records import Run
from newwiki.training.steps import step_of


@dataclass(frozen=True)
class Series:
    """Checkpoints of one training under one decoder and request, by step."""

    model: str
    label: str
    points: Sequence[tuple[int, Row]]


@dataclass(frozen=True)
class CurvePanel:
    column: Column
    image: Markup


@dataclass(frozen=True)
class Training:
    """The checkpoint series of the trainings.

    The longest series are drawn and have a key; all are in the table, by `columns`. `levels` are the levels of the
    drawn numbers.
    """

    columns: Sequence[Column]
    series: Sequence[Series]
    keys: Sequence[Key]
    panels: Sequence[CurvePanel]
    levels: Sequence[LevelNote]


def training(material: Material, page: PageSigns) -> Training | None:
    """Return the curves, with the base model as step 0, or None without two checkpoints of one training."""
    columns = in_order(material)
    groups = _groups(material)
    series = [
        Series(
            material.names[records[max(records)]["run_id"]],
            _label(material.entries[records[max(records)]["run_id"]].run),
            _points(material, records, columns),
        )
        for records in groups
        if len(records) > 1
    ]
    if not series:
        return None
    series.sort(key=lambda curve: -len(curve.points))
    drawn = series[:MOST_SERIES]
    signs = [page.of(curve.model, curve.label) for curve in drawn]
    keys = [Key(sign, curve.label) for sign, curve in zip(signs, drawn, strict=True)]
    panels = [
        CurvePanel(column, _panel(drawn, signs, place, column))
        for place, column in enumerate(columns)
        if any(row.cells[place].mean is not None for curve in drawn for _, row in curve.points)
    ]
    levels = material.level_notes(
        (row.record for curve in drawn for _, row in curve.points), [panel.column for panel in panels]
    )
    return Training(columns, series, keys, panels, levels)


def _groups(material: Material) -> list[dict[int, Record]]:
    """Return the records of each training and request, by step."""
    groups: dict[tuple[str, tuple[object, ...]], dict[int, Record]] = defaultdict(dict)
    begun: dict[tuple[str, tuple[object, ...]], str] = {}
    by_request: dict[tuple[str, tuple[object, ...]], Record] = {}
    for record in material.records:
        run = (entry := material.entries[record["run_id"]]).run
        versions: dict[str, str] = json.loads(run.versions)
        request: tuple[object, ...] = (run.decoder, run.prompts, run.seed, *entry.request)
        by_request[run.model_sha256, request] = record
        if "training_step" in versions:
            key: tuple[str, tuple[object, ...]] = (versions["training_run"], request)
            groups[key][int(versions["training_step"])] = record
            begun[key] = versions.get("base_sha256") or versions.get("adapter_base_sha256", "")
    for key, records in groups.items():
        if base := by_request.get((begun[key], key[1])):
            records.setdefault(0, base)
    return list(groups.values())


def _points(material: Material, records: dict[int, Record], columns: Sequence[Column]) -> list[tuple[int, Row]]:
    steps = sorted(records)
    return list(zip(steps, rows(material, [records[step] for step in steps], columns), strict=True))


def _label(run: Run) -> str:
    """Return the folder of the training with the decoder."""
    path = Path(run.model)
    folder = path if step_of(path) is None else path.parent
    return f"{folder.name.removesuffix('.unfinished') or path.name} · {short_form(run.decoder)}"


def _panel(drawn: Sequence[Series], signs: Sequence[Sign], place: int, column: Column) -> Markup:
    values: list[dict[str, Any]] = [
        {
            "step": step,
            "who": str(number),
            "mean": cell.mean,
            "low": cell.mean if cell.low is None else cell.low,
            "high": cell.mean if cell.high is None else cell.high,
        }
        for number, curve in enumerate(drawn)
        for step, row in curve.points
        if (cell := row.cells[place]).mean is not None
    ]
    described = "; ".join(
        f"{curve.label}: {', '.join(means)}"
        for curve in drawn
        if (
            means := [
                f"{step} {row.cells[place].mean:.4g}" for step, row in curve.points if row.cells[place].mean is not None
            ]
        )
    )
    return svg(curves(values, signs), f"{column.name} against the training step, means: {described}")
