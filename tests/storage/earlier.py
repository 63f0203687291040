"""A database as an earlier version left it."""

import re
from importlib.resources import files

_MADE = re.compile(r"^(create table (?P<table>\w+)|alter table (?P<of>\w+) add column (?P<column>\w+))", re.MULTILINE)


def undoing(version: int) -> list[str]:
    """Statements that take away the tables and columns that the migrations from this version on have made, the newest
    first, and the record of them. What these changed otherwise is for the test to undo."""
    folder = files("storage") / "sql" / "migrations"
    newer = sorted((file for file in folder.iterdir() if int(file.name[:4]) >= version), key=lambda file: file.name)
    made = [one for file in reversed(newer) for one in _MADE.finditer(file.read_text("utf-8"))]
    return [*map(_undone, made), f"delete from schema_migrations where version >= {version}"]  # noqa: S608 (a number)


def _undone(made: re.Match[str]) -> str:
    if made["table"]:
        return f"drop table if exists {made['table']}"
    return f"alter table {made['of']} drop column {made['column']}"
