"""Print the candidates and the requests of a refresh."""

from flows.presenting import tables
from storage.database import Database


def show_funnel(database: Database, snapshot: str, form: str) -> None:
    """Print the number of candidates of the snapshot by verdict."""
    rows = database.rows("funnel", snapshot)
    tables.show(["verdict", "pages", "share", "example"], rows, form, title=f"{snapshot}: what became of every page")


def show_requests(database: Database, snapshot: str) -> None:
    """Print the requests of the refresh to the wiki. Prints nothing for a dump, which needs no requests."""
    if rows := database.rows("requests", snapshot):
        heads = ["kind", "requests", "retries", "bytes", "seconds"]
        tables.show(heads, rows, "table", title=f"{snapshot}: what the wiki was asked for")
