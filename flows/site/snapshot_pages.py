"""The pages of a snapshot: its properties, its leaderboard, the leaderboard after each day, and by kind of article."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from flows.comparing.board import number_of
from flows.presenting.material import Material
from flows.site.board_tables import BoardTable, again, pieces
from flows.site.contents import Contents, snapshot_file
from flows.site.number_levels import claimed_by, level_words, levels_on
from flows.site.protocol_groups import groups
from flows.site.snapshot_parts import Kinds, KindTable, SnapshotParts, numbers
from flows.site.writing import DAY, REAL, TEXT, WHOLE, Writer, table_of
from newwiki.file_names import file_name

_CELLS = 480  # cells of a table by kind of article
_BOARD = {
    "snapshot_id": TEXT, "model": TEXT, "model_sha256": TEXT, "decoder": TEXT, "run_id": TEXT, "protocol": TEXT,
    "prompts": WHOLE, "completions": WHOLE, "knowledge_cutoff": DAY, "seen_share": REAL, "metric": TEXT, "mean": REAL,
    "sd": REAL, "low": REAL, "high": REAL, "no_interval": TEXT, "texts": WHOLE, "status": TEXT, "evaluator_id": TEXT,
    "level": TEXT, "level_words": TEXT, "seed": WHOLE, "claimed_by": TEXT,
}  # fmt: skip
_LATER = {"created_after": DAY} | {
    name: _BOARD[name]
    for name in (
        "model", "decoder", "run_id", "prompts", "seen_share", "metric", "mean", "sd", "low", "high", "no_interval",
        "texts", "status", "evaluator_id", "level", "level_words",
    )
}  # fmt: skip


def leaderboard_pages(contents: Contents, parts: SnapshotParts) -> list[dict[str, Any]]:
    """Return the values of each page of the leaderboard; one without a table if no run has scores."""
    main, folder, data = _places(parts)
    cut: list[BoardTable | None] = [piece for table in parts.tables for piece in pieces(table)]
    shared = {
        "parts": parts,
        "downloads": f"{data}/leaderboard",
        "days": [(articles, f"{folder}/after-{articles.day}.html") for articles in parts.later],
        "main": main,
        "levels": levels_on(contents, parts.material),
        "addresses": [main, *(f"{folder}/board-{number}.html" for number in range(2, len(cut) + 1))],
        "day": None,
        "most": None,
        "place": "",
    }
    return [
        shared
        | {"piece": piece, "number": number, "numbers": numbers(piece, parts.later) if piece and parts.later else None}
        for number, piece in enumerate(cut or [None])
    ]


def _places(parts: SnapshotParts) -> tuple[str, str, str]:
    """Return the main page of a snapshot, the folder of its other pages, and the folder of its tables."""
    name = file_name(parts.snapshot.snapshot_id)
    return snapshot_file(parts.snapshot.snapshot_id), f"snapshots/{name}", f"data/{name}"


def write_snapshot(writer: Writer, contents: Contents, parts: SnapshotParts) -> None:
    main, folder, data = _places(parts)
    leaderboard = leaderboard_pages(contents, parts)
    kinds = _write_kinds(writer, parts, folder, data)
    writer.files(f"{data}/leaderboard", table_of(_BOARD, _rows(contents, parts.material)))
    writer.files(f"{data}/funnel", table_of({"verdict": TEXT, "pages": WHOLE}, _named(parts.funnel, "verdict")))
    writer.files(f"{data}/topics", table_of({"topic": TEXT, "pages": WHOLE}, _named(parts.topics, "topic")))
    if parts.later:
        later = [
            {"created_after": articles.day, **row}
            for articles in parts.later
            for row in _rows(contents, articles.material)
        ]
        writer.files(f"{data}/created-after", table_of(_LATER, later))
    for shown in leaderboard:
        if shown["number"]:
            writer.page(shown["addresses"][shown["number"]], "board_page.html", **shown)
        else:
            writer.page(main, "snapshot_page.html", kinds=kinds, data=data, **shown)
    for articles in parts.later:
        cut = [piece for table in parts.tables for piece in pieces(again(articles.material, table))]
        stem = f"{folder}/after-{articles.day}"
        addresses = [f"{stem}.html", *(f"{stem}-{number}.html" for number in range(2, len(cut) + 1))]
        for number, piece in enumerate(cut):
            cut_board = {"piece": piece, "addresses": addresses, "number": number, "day": articles, "numbers": None}
            writer.page(
                addresses[number], "board_page.html",
                **leaderboard[0] | cut_board | {"downloads": f"{data}/created-after"},
            )  # fmt: skip


def _named(rows: Sequence[tuple[Any, ...]], name: str) -> list[dict[str, Any]]:
    return [{name: row[0], "pages": row[1]} for row in rows]


def _rows(contents: Contents, material: Material) -> list[dict[str, Any]]:
    """Return a row for each run and metric, including those of the articles."""
    rows = []
    for record in material.board.records:
        run = contents.runs.get(record["run_id"])
        about = {name: record[name] for name in ("model", "decoder", "run_id", "prompts", "completions")} | {
            "snapshot_id": material.snapshot.snapshot_id,
            "model_sha256": run and run.model_sha256,
            "protocol": protocol_of(contents, record["run_id"]),
            "knowledge_cutoff": record["knowledge_cutoff"],
            "seen_share": record["seen_share"],
            "seed": run and run.seed,
            "claimed_by": claimed_by(contents, record["run_id"]),
        }
        for column in material.board.columns:
            number = number_of(record, column.name)
            if number.mean is not None or number.status is not None:
                values = {
                    name: getattr(number, name) for name in ("mean", "sd", "low", "high", "no_interval", "status")
                }
                values |= {"level": number.level, "level_words": level_words(material.board, record["run_id"], number)}
                rows.append(
                    about
                    | values
                    | {"metric": column.metric, "texts": number.scored, "evaluator_id": number.evaluator_id}
                )
    return rows


def protocol_of(contents: Contents, run_id: str) -> str | None:
    """Return the run's protocol in words, or None for articles."""
    if run_id not in contents.settings:
        return None
    [group] = groups([{"run_id": run_id}], contents.settings)
    return group.words


def _write_kinds(writer: Writer, parts: SnapshotParts, folder: str, data: str) -> list[tuple[Kinds, str | None]]:
    """Write a page for each stratum that has a table; return each stratum with the address of its page."""
    addressed: list[tuple[Kinds, str | None]] = []
    for kinds in parts.kinds:
        if not kinds.tables:
            addressed.append((kinds, None))
            continue
        path = f"{folder}/by-{kinds.stratum}"
        pages = [*_kind_pieces(kinds)]
        addresses = [f"{path}.html", *(f"{path}-{number}.html" for number in range(2, len(pages) + 1))]
        writer.files(f"{data}/by-{kinds.stratum}", table_of(_KINDS, _kind_rows(kinds)))
        for number, table in enumerate(pages):
            writer.page(
                addresses[number], "kinds_page.html", parts=parts, kinds=kinds, table=table, addresses=addresses,
                number=number, main=snapshot_file(parts.snapshot.snapshot_id), downloads=f"{data}/by-{kinds.stratum}",
            )  # fmt: skip
        addressed.append((kinds, addresses[0]))
    return addressed


_KINDS = {
    "stratum": TEXT, "part": TEXT, "model": TEXT, "decoder": TEXT, "run_id": TEXT, "metric": TEXT, "mean": REAL,
    "sd": REAL, "low": REAL, "high": REAL, "no_interval": TEXT, "evaluator_id": TEXT, "level": TEXT,
}  # fmt: skip


def _kind_pieces(kinds: Kinds) -> Iterator[KindTable]:
    """Cut the tables into pieces that fit a page."""
    each = max(1, _CELLS // len(kinds.parts))
    for table in kinds.tables:
        for first in range(0, len(table.rows), each):
            yield replace(table, rows=table.rows[first : first + each])


def _kind_rows(kinds: Kinds) -> list[dict[str, Any]]:
    rows = {
        (row.record["run_id"], part.value): {
            "stratum": kinds.stratum,
            "part": part.value,
            "metric": table.column.metric,
            "evaluator_id": table.column.evaluator_id,
            **{name: row.record[name] for name in ("model", "decoder", "run_id")},
            **{name: getattr(cell, name) for name in ("mean", "sd", "low", "high", "no_interval", "level")},
        }
        for table in kinds.tables
        for row in [*table.rows, *filter(None, [table.reference])]
        for part, cell in zip(kinds.parts, row.cells, strict=True)
    }
    return [*rows.values()]
