"""Make a database publishable by removing the paths and addresses of this machine."""

import shutil
from pathlib import Path

import pyarrow as pa

from storage.database import Database
from storage.public_rows import public_columns
from storage.queries import query

Changes = dict[tuple[str, str], dict[str, str]]  # by table and column, the public text for each private text


def public_copy(database: Database, folder: Path) -> Database:
    """Return the database itself if it holds no private path, or else a copy in `folder` with public names.

    The names of models, decoders and judges change. Ids stay, so not all ids can be recomputed from the copy.
    """
    with database.read():  # no process can write to the file meanwhile
        changes = _changes(database)
        if not changes:
            return database
        folder.mkdir(parents=True, exist_ok=True)
        copy = Database(folder / "newwiki.duckdb")
        for ending in ("", ".wal"):
            if (file := database.path.with_name(database.path.name + ending)).exists():
                shutil.copyfile(file, copy.path.with_name(copy.path.name + ending))
    with copy.write() as connection:
        for (table, column), public in changes.items():
            connection.register("public_texts", pa.table({"private": [*public], "public": [*public.values()]}))
            connection.execute(query("make_public", table=table, column=column))
            connection.unregister("public_texts")
    return copy


def _changes(database: Database) -> Changes:
    changes: Changes = {}
    for table, columns in database.rows("text_columns"):
        for column, public in public_columns(columns).items():
            texts = database.table("texts_of_column", table=table, column=column).column(0).to_pylist()
            if changed := {text: public_text for text in texts if (public_text := public(text)) != text}:
                changes[table, column] = changed
    return changes
