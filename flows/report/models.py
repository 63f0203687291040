"""Compare the models as in tables 3 and 4 and figure 5 of the paper, on this project's data."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from flows.comparing.board import Number, number_of
from flows.comparing.shown_levels import LevelNote
from flows.presenting.charts import ARTICLES_SIGN, MOST_SERIES, Key, PageSigns, Sign, dots, svg
from flows.presenting.material import Material, Record, gather
from flows.presenting.numbers import decimals, fixed
from flows.presenting.page_tables import PaperColumn, Row, apart, paper_columns, rows, together
from storage.database import Database

PAPER_DECODER = "sample:frequency_penalty=0,presence_penalty=0,repetition_penalty=1,temperature=0.9,top_k=20,top_p=0.9"


@dataclass(frozen=True)
class Pair:
    """The same request on new and on old articles; `run_id` belongs to the report's snapshot."""

    run_id: str
    new: Row
    old: Row


@dataclass(frozen=True)
class OldAndNew:
    """Table 4; `left_out` are metrics whose numbers come from different evaluators and cannot be compared."""

    new_id: str
    old_id: str
    heads: Sequence[PaperColumn]
    pairs: Sequence[Pair]
    left_out: Sequence[str]


@dataclass(frozen=True)
class Bar:
    """A formatted standard deviation, its size in percent of the largest in its column, and a remark (`apart`)."""

    words: str
    share: float
    apart: str


@dataclass(frozen=True)
class Spreads:
    """Figure 5.

    `rows` has a row for each model, the articles' last, with a bar or None for each of `heads`. `rescaled` shows all
    metrics over the paper's ranges, for the models with a key. `levels` are notes on their numbers.
    """

    heads: Sequence[PaperColumn]
    rows: Sequence[tuple[str, Sequence[Bar | None]]]
    keys: Sequence[Key]
    rescaled: Markup | None
    levels: Sequence[LevelNote]


def alike(material: Material) -> list[Record]:
    """Return the runs of table 3: those with the decoder and request that most models share.

    The paper's decoder wins a tie.
    """
    groups: dict[object, list[Record]] = defaultdict(list)
    for record in material.records:
        entry = material.entries[record["run_id"]]
        if entry.run.samples:
            groups[record["decoder"], entry.request].append(record)

    def rank(group: list[Record]) -> tuple[int, bool]:
        models = {material.entries[record["run_id"]].run.model_sha256 for record in group}
        return len(models), group[0]["decoder"].startswith(PAPER_DECODER)

    return max(groups.values(), key=rank, default=[])


def old_and_new(database: Database, material: Material) -> OldAndNew | None:
    """Return table 4, the same requests on the newest snapshot of the other kind, or None without a match."""
    for other_id, _ in database.rows("report_counterparts", material.snapshot.snapshot_id):
        other = gather(database, other_id)
        others = {_request_key(other, record): record for record in other.records}
        matches = [
            (record, others[key]) for record in material.records if (key := _request_key(material, record)) in others
        ]
        if matches:
            return _paired(material, other, matches)
    return None


def _paired(material: Material, other: Material, matches: Sequence[tuple[Record, Record]]) -> OldAndNew:
    heads = paper_columns(material.board.columns)
    shared = [head for head in heads if head.column in other.board.columns]
    columns = [head.column for head in shared]
    step = 1 if material.snapshot.kind == "new" else -1
    new_id, old_id = (material.snapshot.snapshot_id, other.snapshot.snapshot_id)[::step]
    listed = together(*[rows(material, pair[::step], columns) for pair in matches])
    pairs = [Pair(pair[0]["run_id"], *pair_rows) for pair, pair_rows in zip(matches, listed, strict=True)]
    return OldAndNew(new_id, old_id, shared, pairs, [head.title for head in heads if head not in shared])


def _request_key(material: Material, record: Record) -> tuple[object, ...]:
    entry = material.entries[record["run_id"]]
    return entry.run.model_sha256, record["decoder"], entry.request


def spreads(material: Material, records: Sequence[Record], page: PageSigns) -> Spreads | None:
    """Return figure 5: the standard deviations of these runs and of the articles."""
    articles = [(material.reference, "Wikipedia")] if material.reference else []
    named_runs = [(record, material.names[record["run_id"]]) for record in records]
    named = [*named_runs, *articles]
    heads = [
        head
        for head in paper_columns(material.text_columns)
        if any(number_of(record, head.column.name).sd is not None for record, _ in named)
    ]
    if not heads or not records:
        return None
    columns = [_bars([number_of(record, head.column.name) for record, _ in named]) for head in heads]
    rows = [(name, [column[place] for column in columns]) for place, (_, name) in enumerate(named)]
    drawn = [*named_runs[: MOST_SERIES - len(articles)], *articles]
    signs = [
        ARTICLES_SIGN if record is material.reference else page.of(material.names[record["run_id"]])
        for record, _ in drawn
    ]
    keys = [Key(sign, text) for sign, (_, text) in zip(signs, drawn, strict=True)]
    levels = material.level_notes([record for record, _ in drawn], [head.column for head in heads])
    return Spreads(heads, rows, keys, _rescaled(heads, drawn, signs), levels)


def _bars(numbers: Sequence[Number]) -> list[Bar | None]:
    deviations = [value.sd for value in numbers if value.sd is not None]
    number, most = decimals(deviations), max(deviations)

    def bar(value: Number) -> Bar | None:
        if value.sd is None:
            return None
        return Bar(
            fixed(value.sd, number), round(100 * value.sd / most if most else 0, 1), apart(value.status, value.level)
        )

    return [bar(value) for value in numbers]


def _rescaled(
    heads: Sequence[PaperColumn], drawn: Sequence[tuple[Record, str]], signs: Sequence[Sign]
) -> Markup | None:
    ranged = [head for head in heads if head.low is not None]
    values = [
        {"metric": head.title, "who": str(place), "sd": sd / (head.high - head.low)}
        for place, (record, _) in enumerate(drawn)
        for head in ranged
        if (sd := number_of(record, head.column.name).sd) is not None and head.low is not None and head.high is not None
    ]
    if not values:
        return None
    chart = dots(values, [head.title for head in ranged], signs)
    return svg(chart, "Figure 5 rescaled; the numbers are in the table before it.")
