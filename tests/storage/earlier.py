"""A database as an earlier version left it."""

import re
from importlib.resources import files

_MADE = re.compile(r"^(create table (?P<table>\w+)|alter table (?P<of>\w+) add column (?P<column>\w+))", re.MULTILINE)


def undoing(version: int) -> list[str]:
    """Statements that take away the tables and columns that the migrations from this version on have made, the newest
    first, and the record of them. What these changed otherwise is for the test to undo."""
    statements = []
    for file in sorted((files("storage") / "sql" / "migrations").iterdir(), key=lambda one: one.name, reverse=True):
        if int(file.name[:4]) >= version:
            made = _MADE.finditer(file.read_text("utf-8"))
            statements += [
                f"drop table if exists {one['table']}"
                if one["table"]
                else f"alter table {one['of']} drop column {one['column']}"
                for one in made
            ]
    return [*statements, f"delete from schema_migrations where version >= {version}"]
