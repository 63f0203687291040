"""What the functions of the API share: settings, the database, and rows as a table."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from flows.progress import reporter
from flows.settings_in_force import settings_in_force
from newwiki.errors import UsageError
from newwiki.settings import Settings
from storage.database import Database

PathLike = str | Path


def opened(db: PathLike | None, settings: Mapping[str, str]) -> tuple[Settings, Database]:
    """The settings in force with these among them, and the database that they name. Raises UsageError."""
    force = settings_in_force(None, db=str(db) if db else None, **settings)
    return force, Database(force.db)


def database_at(db: PathLike | None) -> Database:
    return opened(db, {})[1]


def known(form: str, forms: Iterable[str]) -> str:
    """Raises UsageError for a form that there is none of."""
    if form not in forms:
        raise UsageError(f"there is no format '{form}'; there are: {', '.join(forms)}")
    return form


def say(notes: Iterable[str], quiet: bool) -> None:
    """Notes to stderr, each once."""
    for note in dict.fromkeys(notes):
        reporter(quiet).note(note)


def rows_of(records: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> pa.Table:
    return pa.table({column: [record[column] for record in records] for column in columns})
