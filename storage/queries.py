"""The SQL that is asked, by name."""

import functools
from importlib.resources import files


@functools.cache
def query(name: str) -> str:
    """The text of `sql/queries/NAME.sql`."""
    return (files("storage") / "sql" / "queries" / f"{name}.sql").read_text("utf-8")
