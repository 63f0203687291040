"""Write the files of a site that programs read: every text of each run, and the newest month of each wiki."""

import io
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow.parquet as parquet

from flows.site.contents import Contents
from flows.site.writing import Writer
from newwiki.file_names import file_name
from storage.database import Database
from storage.push import push_snapshot
from storage.shared import SharedFolder

_BEGINNING = (1980, 1, 1, 0, 0, 0)  # the time of each file in a zip, so that the same data give the same bytes


@dataclass(frozen=True)
class DataFile:
    """A file of the site and its size in bytes."""

    path: str
    size: int


@dataclass(frozen=True)
class DataFiles:
    """The file with all texts of each run, by run id, and the file of each wiki's newest month, by snapshot id."""

    texts: Mapping[str, DataFile]
    snapshots: Mapping[str, DataFile]


def write_data_files(writer: Writer, contents: Contents, database: Database) -> DataFiles:
    texts = {run.run_id: _texts(writer, database, run.run_id) for run in contents.runs.values() if run.samples}
    newest = [months[-1].snapshot_id for wiki in contents.wikis if (months := contents.months(wiki))]
    return DataFiles(texts, {name: _snapshot(writer, database, name) for name in newest})


def _texts(writer: Writer, database: Database, run_id: str) -> DataFile:
    sink = io.BytesIO()
    parquet.write_table(database.table("site_texts", run_id), sink, compression="zstd")
    return _written(writer, f"texts/{file_name(run_id)}.parquet", sink.getvalue())


def _snapshot(writer: Writer, database: Database, name: str) -> DataFile:
    """Write the snapshot as `newwiki sync push` does, in one file, which `newwiki sync pull` reads."""
    sink = io.BytesIO()
    with TemporaryDirectory() as folder:
        push_snapshot(database, SharedFolder(Path(folder).as_uri()), name)
        with zipfile.ZipFile(sink, "w", zipfile.ZIP_STORED) as archive:
            for file in sorted(file for file in Path(folder).rglob("*") if file.is_file()):
                entry = zipfile.ZipInfo(file.relative_to(folder).as_posix(), _BEGINNING)
                archive.writestr(entry, file.read_bytes())
    return _written(writer, f"snapshots/{file_name(name)}.zip", sink.getvalue())


def _written(writer: Writer, path: str, content: bytes) -> DataFile:
    writer.data(path, content)
    return DataFile(path, len(content))
