"""What a refresh looked at and asked for, laid out for people."""

from flows import tables
from storage.database import Database


def show_funnel(database: Database, snapshot: str, form: str) -> None:
    """What became of every page that was considered for the snapshot."""
    found = database.rows("funnel", snapshot)
    tables.show(["verdict", "pages", "share", "example"], found, form, title=f"{snapshot}: what became of every page")


def show_requests(database: Database, snapshot: str) -> None:
    """What the refresh asked the wiki for, if it asked at all (a dump is asked for nothing)."""
    if found := database.rows("requests", snapshot):
        heads = ["kind", "requests", "retries", "bytes", "seconds"]
        tables.show(heads, found, "table", title=f"{snapshot}: what the wiki was asked for")
