"""A snapshot outside the database: as a manifest without texts, as Parquet, as JSON lines, as a `datasets` folder."""

import json
import os
from collections.abc import Callable
from datetime import datetime
from importlib.metadata import version
from pathlib import Path

import pyarrow as pa

from newwiki.errors import TerminalError
from newwiki.manifest import Entry, Manifest
from newwiki.records import Snapshot
from newwiki.text.prose import EXTRACTOR_VERSION
from storage import datasets_card
from storage.database import Database, query
from storage.snapshots import articles, resolve

_MANIFEST = "manifest.json"
_TABLES = ("articles", "candidates")


def export(database: Database, name: str, form: str, folder: Path) -> list[Path]:
    """Writes the snapshot into a folder in the form `manifest`, `parquet`, `jsonl` or `datasets`; gives the files.

    Every form comes with the manifest, by which a folder is known to hold this snapshot, and only then is written to
    again. Raises TerminalError for a folder that holds anything else.
    """
    snapshot = resolve(database, name)
    _require_ours(folder, snapshot)
    folder.mkdir(parents=True, exist_ok=True)
    files = {_MANIFEST: _manifest_bytes(database, snapshot), **FORMS[form](database, snapshot)}
    for place, content in files.items():
        _write(folder / place, content)
    return [folder / place for place in files]


def manifest(database: Database, name: str) -> Manifest:
    """The snapshot without its texts."""
    snapshot = resolve(database, name)
    bases = [base for (base,) in database.rows("permalink_bases", snapshot.snapshot_id)]
    base_url = bases[0] if len(bases) == 1 else None
    if base_url is None:
        raise TerminalError(f"{snapshot.snapshot_id} is not as it was published; see `newwiki snapshots verify`")
    entries = [
        Entry(
            article.page_id,
            article.rev_id,
            article.sha1,
            article.title,
            article.created_at,
            article.revised_at,
            article.revisions,
            article.words,
            article.text_sha256,
        )
        for article in articles(database, snapshot.snapshot_id)
    ]
    return Manifest(
        snapshot.snapshot_id,
        snapshot.wiki,
        base_url,
        snapshot.kind,
        snapshot.window_start,
        snapshot.window_end,
        snapshot.cutoff,
        json.loads(snapshot.parameters),
        snapshot.extractor_version,
        version("newwiki-eval") if snapshot.extractor_version == EXTRACTOR_VERSION else None,
        snapshot.content_sha256,
        tuple(sorted(entries, key=lambda entry: entry.page_id)),
    )


def _manifest_bytes(database: Database, snapshot: Snapshot) -> bytes:
    return manifest(database, snapshot.snapshot_id).to_json().encode()


def _nothing_more(database: Database, snapshot: Snapshot) -> dict[str, bytes]:
    return {}


def _parquet(database: Database, snapshot: Snapshot) -> dict[str, bytes]:
    return {f"{table}.parquet": _parquet_bytes(_table(database, snapshot, table)) for table in _TABLES}


def _jsonl(database: Database, snapshot: Snapshot) -> dict[str, bytes]:
    return {f"{table}.jsonl": _jsonl_bytes(_table(database, snapshot, table)) for table in _TABLES}


def _datasets(database: Database, snapshot: Snapshot) -> dict[str, bytes]:
    card = datasets_card.card(snapshot, database.rows("funnel", snapshot.snapshot_id))
    tables = {f"data/{place}": content for place, content in _parquet(database, snapshot).items()}
    return {"README.md": card.encode(), **tables}


FORMS: dict[str, Callable[[Database, Snapshot], dict[str, bytes]]] = {
    "manifest": _nothing_more,
    "parquet": _parquet,
    "jsonl": _jsonl,
    "datasets": _datasets,
}


def _table(database: Database, snapshot: Snapshot, name: str) -> pa.Table:
    with database.read() as connection:
        return connection.sql(query(f"export_{name}"), params=[snapshot.snapshot_id]).to_arrow_table()


def _parquet_bytes(table: pa.Table) -> bytes:
    import pyarrow.parquet as parquet

    sink = pa.BufferOutputStream()
    parquet.write_table(table, sink, compression="zstd")
    content: bytes = sink.getvalue().to_pybytes()
    return content


def _jsonl_bytes(table: pa.Table) -> bytes:
    rows = (json.dumps(row, default=datetime.isoformat, ensure_ascii=False) for row in table.to_pylist())
    return "".join(f"{row}\n" for row in rows).encode()


def _require_ours(folder: Path, snapshot: Snapshot) -> None:
    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        return
    if (folder / _MANIFEST).is_file():
        there = Manifest.read(folder / _MANIFEST)
        if (there.snapshot_id, there.content_sha256) == (snapshot.snapshot_id, snapshot.content_sha256):
            return
        raise TerminalError(f"'{folder}' holds snapshot {there.snapshot_id}, and another content; name a new folder")
    raise TerminalError(f"'{folder}' holds something else than a snapshot; name a new folder")


def _write(path: Path, content: bytes) -> None:
    """Whole or not at all, so that an interrupted export leaves no half of a file under its name."""
    path.parent.mkdir(exist_ok=True)
    part = path.with_name(f"{path.name}.part")
    part.write_bytes(content)
    os.replace(part, path)
