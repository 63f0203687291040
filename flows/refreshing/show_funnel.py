"""Print the candidates, the holes and the requests of a refresh."""

from flows.presenting import tables
from storage.database import Database


def show_funnel(database: Database, snapshot: str, form: str) -> None:
    """Print the number of candidates of the snapshot by verdict, and the holes in its articles by template."""
    rows = database.rows("funnel", snapshot)
    tables.show(["verdict", "pages", "share", "example"], rows, form, title=f"{snapshot}: what became of every page")
    if holes := database.rows("frequent_holes", snapshot):
        heads = ["template", "holes", "articles"]
        tables.show(heads, holes, form, title=f"{snapshot}: templates whose text is missing from the articles")


def show_requests(database: Database, snapshot: str) -> None:
    """Print the requests of the refresh to the wiki. Prints nothing for a dump, which needs no requests."""
    if rows := database.rows("requests", snapshot):
        heads = ["kind", "requests", "retries", "bytes", "seconds"]
        tables.show(heads, rows, "table", title=f"{snapshot}: what the wiki was asked for")
