"""The pages of a model: its trend, its requests, its numbers, and its texts."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from flows.comparing.board import Column, number_of
from flows.presenting import page_tables
from flows.presenting.charts import PALETTE
from flows.presenting.page_tables import Cell
from flows.site import month_tables
from flows.site.contents import Contents, Model, SiteRun
from flows.site.data_files import DataFiles
from flows.site.month_tables import Months
from flows.site.number_levels import claimed_by
from flows.site.protocol_groups import groups
from flows.site.snapshot_pages import protocol_of
from flows.site.snapshot_parts import SnapshotParts
from flows.site.trend_chart import Chart, Line, chart, line_words
from flows.site.writing import DAY, MOMENT, REAL, TEXT, WHOLE, Writer, table_of

_ROWS, _COLUMNS = 32, 12  # rows and columns of a table
_TEXTS = 4  # runs whose texts a page shows
_PANELS, _WIKIS = 8, 3
_CHARACTERS = 800  # characters of a text
_RUNS = {
    "run_id": TEXT, "snapshot_id": TEXT, "model": TEXT, "model_sha256": TEXT, "backend": TEXT, "decoder": TEXT,
    "protocol": TEXT, "prompt_template": TEXT, "prompts": WHOLE, "seed": WHOLE, "samples": WHOLE, "keep": WHOLE,
    "max_new_tokens": WHOLE, "dtype": TEXT, "knowledge_cutoff": DAY, "knowledge_cutoff_from": TEXT,
    "finished_at": MOMENT, "scored_at": MOMENT, "signed_by": TEXT, "claimed_by": TEXT,
}  # fmt: skip
_SETTINGS = (
    "decoder", "prompt_template", "prompts", "seed", "samples", "keep", "max_new_tokens", "dtype", "backend",
)  # fmt: skip
_NUMBERS = {
    "snapshot_id": TEXT, "run_id": TEXT, "decoder": TEXT, "protocol": TEXT, "metric": TEXT, "mean": REAL, "sd": REAL,
    "low": REAL, "high": REAL, "no_interval": TEXT, "texts": WHOLE, "status": TEXT, "evaluator_id": TEXT,
    "level": TEXT,
}  # fmt: skip
_OF_NUMBER = ("mean", "sd", "low", "high", "no_interval", "status", "level")
_EXAMPLES = {
    "run_id": TEXT, "snapshot_id": TEXT, "decoder": TEXT, "page_id": WHOLE, "sample": WHOLE, "title": TEXT,
    "permalink": TEXT, "metric": TEXT, "value": REAL, "place": WHOLE, "scored": WHOLE, "first_sentence": TEXT,
    "text": TEXT, "reference": TEXT,
}  # fmt: skip


@dataclass(frozen=True)
class NumberTable:
    """Runs of a model under one protocol, a row each, the newest month first."""

    words: str
    columns: Sequence[Column]
    rows: Sequence[tuple[SiteRun, Sequence[Cell]]]


@dataclass(frozen=True)
class Asked:
    """A request with the snapshots that it was run on."""

    run: SiteRun
    snapshots: Sequence[str]


@dataclass(frozen=True)
class Trends:
    """A model over a wiki's months: a picture for each metric with a line for each protocol, and their scales."""

    wiki: str
    keys: Sequence[Line]
    pictures: Sequence[tuple[Column, Chart]]
    scales: Sequence[str]


def model_file(model: Model) -> str:
    return f"models/{model.file}.html"


def write_models(
    writer: Writer, contents: Contents, months: Months, parts: Mapping[str, SnapshotParts], data: DataFiles
) -> None:
    writer.files("data/runs", table_of(_RUNS, [run_record(contents, run) for run in contents.runs.values()]))
    for model in contents.models.values():
        _write(writer, contents, months, model, parts, data)


def run_record(contents: Contents, run: SiteRun) -> dict[str, Any]:
    computed = {"protocol": protocol_of(contents, run.run_id), "signed_by": signed_by(contents, [run])}
    computed["claimed_by"] = claimed_by(contents, run.run_id)
    return {name: getattr(run, name) for name in _RUNS if name not in computed} | computed


def signed_by(contents: Contents, runs: Sequence[SiteRun]) -> str | None:
    names = [name for run in runs for name in contents.signers.get(run.run_id, ())]
    return ", ".join(dict.fromkeys(names)) or None


def _claims(contents: Contents, model: Model) -> tuple[str, int]:
    """Return who claims the identity of the model, and for how many runs."""
    claimants = [by for run in model.runs if (by := claimed_by(contents, run.run_id))]
    return ", ".join(dict.fromkeys(claimants)), len(claimants)


def with_texts(contents: Contents) -> set[str]:
    """Return the runs whose texts are shown: for each model and wiki the runs on its newest snapshot."""
    chosen: set[str] = set()
    for model in contents.models.values():
        newest: dict[str, str] = {}
        for run in model.runs:  # sorted by window, the newest first
            if run.samples:
                newest.setdefault(run.wiki, run.snapshot_id)
        chosen |= {run.run_id for run in model.runs if run.snapshot_id == newest.get(run.wiki)}
    return chosen


def _write(
    writer: Writer,
    contents: Contents,
    months: Months,
    model: Model,
    parts: Mapping[str, SnapshotParts],
    data_files: DataFiles,
) -> None:
    main, folder, data = model_file(model), f"models/{model.file}", f"data/models/{model.file}"
    tables = [*_pieces(_tables(contents, model))]
    texts = [
        (run, shown)
        for run in model.runs
        if run.run_id in contents.runs and (shown := parts[run.snapshot_id].texts.get(run.run_id))
    ]
    chunks = [texts[first : first + _TEXTS] for first in range(0, len(texts), _TEXTS)]
    table_addresses = [main, *(f"{folder}/numbers-{number}.html" for number in range(2, len(tables) + 1))]
    text_addresses = [main, *(f"{folder}/texts-{number}.html" for number in range(2, len(chunks) + 1))]
    writer.files(f"{data}/runs", table_of(_RUNS, [run_record(contents, run) for run in model.runs]))
    writer.files(f"{data}/numbers", table_of(_NUMBERS, _number_records(contents, model)))
    examples = [{**row, "decoder": run.decoder} for run, shown in texts for row in shown]
    writer.files(f"{data}/texts", table_of(_EXAMPLES, examples))
    shared = {"model": model, "main": main, "data": data, "characters": _CHARACTERS}
    trends, more = _trends(contents, months, model)
    claims = _claims(contents, model)
    writer.page(
        main, "model_page.html", trends=trends, more=more, asked=_requests(model),
        signed=signed_by(contents, model.runs), claimed=claims[0], claimed_runs=claims[1], tables=tables[:1],
        table_addresses=table_addresses, texts=chunks[:1], text_addresses=text_addresses, number=0,
        all_texts=[(run, data_files.texts[run.run_id]) for run in model.runs if run.samples], **shared,
    )  # fmt: skip
    for number, table in enumerate(tables[1:], 1):
        writer.page(
            table_addresses[number], "model_numbers.html", tables=[table], table_addresses=table_addresses,
            number=number, **shared,
        )  # fmt: skip
    for number, chunk in enumerate(chunks[1:], 1):
        writer.page(
            text_addresses[number], "model_texts.html", texts=[chunk], text_addresses=text_addresses, number=number,
            **shared,
        )  # fmt: skip


def _tables(contents: Contents, model: Model) -> Iterator[NumberTable]:
    records = {record["run_id"]: record for record in contents.whole.records}
    own = [records[run.run_id] for run in model.runs if run.run_id in records]
    for group in groups(own, contents.settings):
        columns = [
            column for column in contents.columns if any(record[column.name] is not None for record in group.records)
        ]
        by_column = [page_tables.cells(group.records, column, "none") for column in columns]
        cells = [*zip(*by_column, strict=True)] or [() for _ in group.records]
        runs = [contents.runs[record["run_id"]] for record in group.records]
        yield NumberTable(group.words, columns, [*zip(runs, cells, strict=True)])


def _pieces(tables: Iterator[NumberTable]) -> Iterator[NumberTable]:
    for table in tables:
        for first in range(0, len(table.rows), _ROWS):
            for left in range(0, max(1, len(table.columns)), _COLUMNS):
                piece = slice(left, left + _COLUMNS)
                rows = [(run, cells[piece]) for run, cells in table.rows[first : first + _ROWS]]
                yield NumberTable(table.words, table.columns[piece], rows)


def _number_records(contents: Contents, model: Model) -> list[dict[str, Any]]:
    own = {run.run_id: run for run in model.runs}
    number_records = []
    for record in contents.whole.records:
        for column in contents.whole.columns if record["run_id"] in own else ():
            number = number_of(record, column.name)
            if number.mean is not None or number.status is not None:
                number_records.append(
                    {
                        name: getattr(number, name)
                        for name in ("mean", "sd", "low", "high", "no_interval", "status", "level")
                    }
                    | {name: record[name] for name in ("snapshot_id", "run_id", "decoder")}
                    | {"protocol": protocol_of(contents, record["run_id"]), "metric": column.metric}
                    | {"texts": number.scored, "evaluator_id": number.evaluator_id}
                )
    return number_records


def _requests(model: Model) -> list[Asked]:
    """Return the requests; runs that differ only in their snapshots share one."""
    by_settings: dict[str, list[SiteRun]] = {}
    for run in model.runs:
        by_settings.setdefault(json.dumps([getattr(run, name) for name in _SETTINGS]), []).append(run)
    return [Asked(runs[0], [run.snapshot_id for run in runs]) for runs in by_settings.values()]


def _trends(contents: Contents, months: Months, model: Model) -> tuple[list[Trends], int]:
    """Return the trends on the first wikis, and the number of wikis that are left out."""
    wikis = dict.fromkeys(run.wiki for run in model.runs if run.kind == "new")
    trends = [trend for wiki in wikis if (trend := _wiki_trends(contents, months, model, wiki)).pictures]
    return trends[:_WIKIS], len(trends[_WIKIS:])


def _wiki_trends(contents: Contents, months: Months, model: Model, wiki: str) -> Trends:
    pictures, keys = list[tuple[Column, Chart]](), list[Line]()
    scales: dict[str, None] = {}
    for column in [column for column in contents.columns if contents.metrics[column.metric].scope == "text"][:_PANELS]:
        tables = months[wiki, column]
        rows = [(row, table) for table in tables for row in table.rows if row.key[:2] == model.key]
        drawn = [
            line
            for number, row_and_table in enumerate(rows[: len(PALETTE)])
            for line in _lines(contents, *row_and_table, number)
        ]
        names = month_tables.month_names(tables[0]) if tables else []
        if drawn and (picture := chart(_words(column, names, drawn), names, drawn)):
            pictures.append((column, picture))
            keys = keys or [*{line.number: line for line in drawn}.values()]
            scales |= {table.scale: None for _, table in rows if table.scale}
    return Trends(wiki, keys, pictures, [*scales])


def _lines(contents: Contents, row: month_tables.MonthRow, table: month_tables.MonthTable, number: int) -> list[Line]:
    """Return a line on the common scale, and a dotted one of the numbers on each month's own articles."""
    who = " · ".join(month_tables.decoder_label(contents, row))
    own = Line(who, number, month_tables.points_of(row, table, own=True), dotted=True)
    if table.scale is None:
        return [own]
    linked = month_tables.points_of(row, table)
    return [own, *([Line(who, number, linked)] if linked else [])]


def _words(column: Column, months: Sequence[str], drawn: Sequence[Line]) -> str:
    return "; ".join(line_words(line.who, column.name, months, line.points) for line in drawn)
