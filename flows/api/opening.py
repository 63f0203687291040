"""Settings and database of a function of the API."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from flows.settings_in_force import settings_in_force
from newwiki.errors import UsageError
from newwiki.settings import Settings
from storage.database import Database

PathLike = str | Path


def opened(db: PathLike | None, settings: Mapping[str, str]) -> tuple[Settings, Database]:
    """Return the settings in force, with these among them, and the database that they name. Raises UsageError."""
    force = settings_in_force(None, db=str(db) if db else None, **settings)
    return force, Database(force.db)


def database_at(db: PathLike | None) -> Database:
    """Return the database at a path, or that of the settings."""
    return opened(db, {})[1]


def known(form: str, forms: Iterable[str]) -> str:
    """Return the format. Raises UsageError for an unknown one."""
    if form not in forms:
        raise UsageError(f"there is no format '{form}'; there are: {', '.join(forms)}")
    return form
