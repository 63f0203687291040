"""Draw the paper's figures 1, 2 and 3 on this project's data, in the metrics' units and rescaled as in the paper."""

import json
import shlex
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from flows.comparing.shown_levels import LevelNote
from flows.presenting.charts import MOST_SERIES, Key, PageSigns, Sign, lines, svg
from flows.presenting.material import Material, Record
from flows.presenting.page_tables import Cell, PaperColumn, Row, paper_columns, rows, together

SWEPT = {"top_p": "top-p", "top_k": "top-k", "temperature": "temperature"}
_GRIDS = {
    "top_p": "top_p=[0.5,0.9,0.95,1.0],top_k=50,temperature=0.9",
    "top_k": "top_p=1.0,top_k=[20,50,100,500],temperature=0.9",
    "temperature": "top_p=1.0,top_k=50,temperature=[0.1,0.5,0.9]",
}


@dataclass(frozen=True)
class Family:
    """Runs that differ in only one parameter; `points` are its values in words, with a row for each."""

    model: str
    label: str
    points: Sequence[tuple[str, Row]]


@dataclass(frozen=True)
class SweepPanel:
    title: str
    column: PaperColumn
    image: Markup


@dataclass(frozen=True)
class Sweep:
    """Figure 1, 2 or 3.

    `panels` are in the metrics' own units, with the means' intervals; `rescaled` is as in the paper, with standard
    deviations. Without a family there is nothing to draw, and `command` says what to run. Families with a key are
    drawn; all are in the table. `levels` are the levels of the drawn numbers.
    """

    number: int
    parameter: str
    words: str
    heads: Sequence[PaperColumn]
    families: Sequence[Family]
    keys: Sequence[Key]
    panels: Sequence[SweepPanel]
    rescaled: Sequence[SweepPanel]
    command: str
    levels: Sequence[LevelNote]


def sweep(material: Material, parameter: str, page: PageSigns) -> Sweep:
    """Gather the means against top_p, top_k or temperature."""
    heads = paper_columns(material.text_columns)
    families = _families(material, parameter, heads)
    drawn = families[:MOST_SERIES]
    signs = [page.of(family.model, family.label) for family in drawn]
    keys = [Key(sign, family.label) for sign, family in zip(signs, drawn, strict=True)]
    measured = [
        (place, head)
        for place, head in enumerate(heads)
        if any(row.cells[place].mean is not None for family in drawn for _, row in family.points)
    ]
    words = SWEPT[parameter]
    panels = [SweepPanel(head.title, head, _panel(drawn, signs, place, head, words)) for place, head in measured]
    rescaled = [
        SweepPanel(head.title, head, _rescaled_panel(drawn, signs, place, head, words))
        for place, head in measured
        if head.low is not None
    ]
    return Sweep(
        [*SWEPT].index(parameter) + 1,
        parameter,
        words,
        heads,
        families,
        keys,
        panels,
        rescaled,
        _command(material, parameter),
        material.level_notes(
            (row.record for family in drawn for _, row in family.points), [head.column for _, head in measured]
        ),
    )


def _families(material: Material, parameter: str, heads: Sequence[PaperColumn]) -> list[Family]:
    """Return the families, the largest first."""
    groups: dict[tuple[object, ...], list[tuple[float, Record]]] = defaultdict(list)
    for record in material.records:
        run = (entry := material.entries[record["run_id"]]).run
        values: dict[str, Any] = json.loads(run.decoder_parameters)
        if run.decoder.partition(":")[0] == "sample" and parameter in values:
            value = values.pop(parameter)
            fixed = tuple(sorted(values.items()))
            key = (run.model_sha256, run.prompts, run.seed, *entry.request, fixed)
            groups[key].append((value, record))
    columns = [head.column for head in heads]
    drafts = [
        (
            material.names[points[0][1]["run_id"]],
            _label(material, points[0][1], parameter),
            _points(material, parameter, points, columns),
        )
        for points in groups.values()
        if len({value for value, _ in points}) > 1
    ]
    listed = together(*[[row for _, row in points] for *_, points in drafts])
    families = [
        Family(model, label, [(word, row) for (word, _), row in zip(points, family_rows, strict=True)])
        for (model, label, points), family_rows in zip(drafts, listed, strict=True)
    ]
    return sorted(families, key=lambda family: -len(family.points))


def _points(
    material: Material, parameter: str, points: Sequence[tuple[float, Record]], columns: Sequence[Any]
) -> list[tuple[str, Row]]:
    # top_k=0 draws from all tokens, so it is the largest.
    ordered = sorted(points, key=lambda p: (parameter == "top_k" and p[0] == 0, p[0]))
    words = ["off" if parameter == "top_k" and value == 0 else f"{value:g}" for value, _ in ordered]
    return list(zip(words, rows(material, [record for _, record in ordered], columns), strict=True))


def _label(material: Material, record: Record, parameter: str) -> str:
    """Return the model with the decoder parameters that the runs share and that are swept or not the default."""
    defaults = {"top_k": 0, "top_p": 1, "typical_p": 1, "temperature": 1, "repetition_penalty": 1}
    values = json.loads(material.entries[record["run_id"]].run.decoder_parameters)
    shared = [
        f"{name}={value:g}"
        for name, value in sorted(values.items())
        if name != parameter and (name in SWEPT or value != defaults.get(name, 0))
    ]
    return f"{material.names[record['run_id']]}, {', '.join(shared)}"


def _command(material: Material, parameter: str) -> str:
    """Return the command that runs the paper's grid with the snapshot's first model and entity finder."""
    model = next((entry.run.model for entry in material.entries.values()), "MODEL")
    rules = any(evaluator.model == "rules-v1" for evaluator in material.evaluators.values())
    return (
        f"newwiki evaluate {shlex.quote(model)} --decoder 'sample:{_GRIDS[parameter]}' "
        f"--snapshot {material.snapshot.snapshot_id}{' --entities rules-v1' if rules else ''}"
    )


def _panel(families: Sequence[Family], signs: Sequence[Sign], place: int, head: PaperColumn, words: str) -> Markup:
    values: list[dict[str, Any]] = [
        {
            "x": word,
            "who": str(number),
            "mean": cell.mean,
            "low": cell.mean if cell.low is None else cell.low,
            "high": cell.mean if cell.high is None else cell.high,
        }
        for number, word, cell in _cells(families, place)
    ]
    return svg(lines(values, _order(values), words, signs), _means_in_words(families, place, head, words))


def _rescaled_panel(
    families: Sequence[Family], signs: Sequence[Sign], place: int, head: PaperColumn, words: str
) -> Markup:
    values: list[dict[str, Any]] = [
        {
            "x": word,
            "who": str(number),
            "mean": head.rescaled(cell.mean),
            "low": head.rescaled(cell.mean - (cell.sd or 0)),
            "high": head.rescaled(cell.mean + (cell.sd or 0)),
        }
        for number, word, cell in _cells(families, place)
        if cell.mean is not None
    ]
    return svg(
        lines(values, _order(values), words, signs, (0, 1)),
        "Rescaled: " + _means_in_words(families, place, head, words),
    )


def _cells(families: Sequence[Family], place: int) -> Iterator[tuple[int, str, Cell]]:
    """Yield each cell with a number, with the place of its family and its value on the x axis."""
    for number, family in enumerate(families):
        for word, row in family.points:
            if row.cells[place].mean is not None:
                yield number, word, row.cells[place]


def _order(values: Sequence[Mapping[str, Any]]) -> list[str]:
    return sorted({value["x"] for value in values}, key=lambda x: float("inf") if x == "off" else float(x))


def _means_in_words(families: Sequence[Family], place: int, head: PaperColumn, words: str) -> str:
    means = "; ".join(
        f"{family.label}: " + ", ".join(f"{word} {cell.mean:.4g}" for _, word, cell in _cells([family], place))
        for family in families
    )
    return f"{head.title} against {words}, means: {means}"
