"""The pages of a snapshot: what it is, its leaderboard, the same after each day, and its runs by kind of article."""

from collections.abc import Mapping, Sequence
from typing import Any

from flows.comparing.board import numbers_of
from flows.report.by_stratum import Cut
from flows.report.material import Material
from flows.report.paper_tables import Row
from flows.site.board_tables import BoardTable, again, pieces
from flows.site.contents import Contents, snapshot_file
from flows.site.created_after import numbers
from flows.site.downloads import DAY, REAL, TEXT, WHOLE, table_of
from flows.site.file_names import file_name
from flows.site.protocol_groups import groups
from flows.site.snapshot_parts import SnapshotParts
from flows.site.writing import Writer

_CELLS = 480  # of a table by kind of article
_BOARD = {
    "snapshot_id": TEXT, "model": TEXT, "model_sha256": TEXT, "decoder": TEXT, "run_id": TEXT, "protocol": TEXT,
    "prompts": WHOLE, "completions": WHOLE, "knowledge_cutoff": DAY, "seen_share": REAL, "metric": TEXT, "mean": REAL,
    "sd": REAL, "low": REAL, "high": REAL, "no_interval": TEXT, "texts": WHOLE, "status": TEXT, "evaluator_id": TEXT,
}  # fmt: skip
_LATER = {"created_after": DAY} | {
    name: _BOARD[name]
    for name in (
        "model", "decoder", "run_id", "prompts", "seen_share", "metric", "mean", "sd", "low", "high", "no_interval",
        "texts", "status", "evaluator_id",
    )
}  # fmt: skip


def write_snapshot(writer: Writer, contents: Contents, parts: SnapshotParts) -> None:
    name = file_name(parts.snapshot.snapshot_id)
    main, folder, data = snapshot_file(parts.snapshot.snapshot_id), f"snapshots/{name}", f"data/{name}"
    cut = [piece for table in parts.tables for piece in pieces(table)]
    board = {"parts": parts, "downloads": f"{data}/leaderboard", "days": _days(parts, folder), "main": main}
    addresses = [main, *(f"{folder}/board-{number}.html" for number in range(2, len(cut) + 1))]
    strata = _write_strata(writer, contents, parts, folder, data)
    writer.table(f"{data}/leaderboard", table_of(_BOARD, _rows(contents, parts.material)))
    writer.table(f"{data}/funnel", table_of({"verdict": TEXT, "pages": WHOLE}, _named(parts.funnel, "verdict")))
    writer.table(f"{data}/topics", table_of({"topic": TEXT, "pages": WHOLE}, _named(parts.topics, "topic")))
    if parts.later:
        later = [
            {"created_after": one.day, **row} for one in parts.later for row in _rows(contents, one.material)
        ]
        writer.table(f"{data}/created-after", table_of(_LATER, later))
    for number, piece in enumerate(cut or [None]):
        shown = {
            **board, "piece": piece, "addresses": addresses, "number": number, "day": None,
            "numbers": numbers(piece, parts.later) if piece and parts.later else None,
        }  # fmt: skip
        if number:
            writer.page(addresses[number], "board_page.html", **shown)
        else:
            writer.page(main, "snapshot_page.html", strata=strata, data=data, **shown)
    for one in parts.later:
        cut = [piece for table in parts.tables for piece in pieces(again(one.material, table))]
        stem = f"{folder}/after-{one.day}"
        addresses = [f"{stem}.html", *(f"{stem}-{number}.html" for number in range(2, len(cut) + 1))]
        for number, piece in enumerate(cut):
            writer.page(
                addresses[number], "board_page.html", piece=piece, addresses=addresses, number=number, day=one,
                numbers=None, **board | {"downloads": f"{data}/created-after"},
            )  # fmt: skip


def _days(parts: SnapshotParts, folder: str) -> list[tuple[Any, str]]:
    return [(one, f"{folder}/after-{one.day}.html") for one in parts.later]


def _named(rows: Sequence[tuple[Any, ...]], name: str) -> list[dict[str, Any]]:
    return [{name: row[0], "pages": row[1]} for row in rows]


def _rows(contents: Contents, material: Material) -> list[dict[str, Any]]:
    """A row a run and metric, the articles' own among them."""
    found = []
    for record in material.board.records:
        run = contents.runs.get(record["run_id"])
        about = {name: record[name] for name in ("model", "decoder", "run_id", "prompts", "completions")} | {
            "snapshot_id": material.snapshot.snapshot_id,
            "model_sha256": run and run.model_sha256,
            "protocol": protocol_of(contents, record["run_id"]),
            "knowledge_cutoff": record["knowledge_cutoff"],
            "seen_share": record["seen_share"],
        }
        for column in material.board.columns:
            of = numbers_of(record, column.name)
            if of["mean"] is not None or of["status"] is not None:
                told = {name: of[name] for name in ("mean", "sd", "low", "high", "no_interval", "status")}
                found.append(
                    about
                    | told
                    | {"metric": column.metric, "texts": of["scored"], "evaluator_id": of["evaluator_id"]}
                )
    return found


def protocol_of(contents: Contents, run_id: str) -> str | None:
    """How the run was asked, in words; None for articles."""
    if run_id not in contents.settings:
        return None
    [group] = groups([{"run_id": run_id}], contents.settings)
    return group.words


def _write_strata(
    writer: Writer, contents: Contents, parts: SnapshotParts, folder: str, data: str
) -> list[tuple[Cut, str | None]]:
    """Gives each cut with its page, if there is something to see."""
    found: list[tuple[Cut, str | None]] = []
    for cut in parts.cuts:
        if not cut.rows:
            found.append((cut, None))
            continue
        path = f"{folder}/by-{cut.stratum}"
        pages = [*_stratum_tables(parts, cut)]
        addresses = [f"{path}.html", *(f"{path}-{number}.html" for number in range(2, len(pages) + 1))]
        writer.table(f"{data}/by-{cut.stratum}", table_of(_STRATUM, _stratum_rows(cut, parts)))
        for number, (table, rows, reference) in enumerate(pages):
            writer.page(
                addresses[number], "stratum_page.html", parts=parts, cut=cut, table=table, rows=rows,
                reference=reference, addresses=addresses, number=number, main=snapshot_file(parts.snapshot.snapshot_id),
                downloads=f"{data}/by-{cut.stratum}",
            )  # fmt: skip
        found.append((cut, addresses[0]))
    return found


_STRATUM = {
    "stratum": TEXT, "part": TEXT, "model": TEXT, "decoder": TEXT, "run_id": TEXT, "metric": TEXT, "mean": REAL,
    "sd": REAL, "low": REAL, "high": REAL, "no_interval": TEXT, "evaluator_id": TEXT,
}  # fmt: skip


def _stratum_tables(parts: SnapshotParts, cut: Cut) -> list[tuple[BoardTable, Sequence[Row], Row | None]]:
    """The rows of each protocol by themselves, as many as a page has room for, and the articles' own."""
    rows: Mapping[str, Row] = {row.record["run_id"]: row for row in cut.rows}
    reference = next((row for run_id, row in rows.items() if run_id.startswith("reference:")), None)
    each = max(1, _CELLS // len(cut.parts))
    found = []
    for table in parts.tables:
        those = [rows[one["run_id"]] for one in table.group.records if one["run_id"] in rows]
        found += [(table, those[first : first + each], reference) for first in range(0, len(those), each)]
    return found


def _stratum_rows(cut: Cut, parts: SnapshotParts) -> list[dict[str, Any]]:
    column = parts.cut_column
    assert column is not None
    return [
        {
            "stratum": cut.stratum,
            "part": part.value,
            "metric": column.metric,
            "evaluator_id": column.evaluator_id,
            **{name: row.record[name] for name in ("model", "decoder", "run_id")},
            **{name: getattr(cell, name) for name in ("mean", "sd", "low", "high", "no_interval")},
        }
        for row in cut.rows
        for part, cell in zip(cut.parts, row.cells, strict=True)
    ]
