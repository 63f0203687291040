"""Print a later edition of a snapshot: the outcomes of its articles, and the new scores of its runs."""

from collections.abc import Mapping
from typing import Any

from flows.presenting import tables
from newwiki.decoding.grammar import short_form
from storage.database import Database

SHOWN = 20  # maximum number of terms in the table of things that came true

_EACH = ["run", "model", "decoder"]


def show_edition(database: Database, edition: str) -> None:
    """Print tables of the articles, of the reasons for deletions, of the runs' scores and of what came true.

    Leaves out empty tables, and prints nothing if the database does not contain the first edition.
    """
    for record in database.records(dict[str, Any], "edition_one", edition):
        _show(database, record)


def _show(database: Database, record: Mapping[str, Any]) -> None:
    edition = record["edition"]
    tables.show(
        ["outcome", "articles", "share", "example"],
        database.rows("edition_outcomes", edition),
        "table",
        title=f"{edition}: what became of the {record['articles']:,} articles of {record['snapshot_id']}",
    )
    if deleted := database.rows("edition_deletions", edition):
        tables.show(
            ["route", "criterion", "kinds", "articles", "example"],
            deleted,
            "table",
            title=f"{edition}: why articles were deleted, as far as the wiki's deletion log says so",
        )
    if scores := database.records(dict[str, Any], "edition_differences", edition):
        tables.show(
            [*_EACH, "metric", "prompts", "first", "later", "difference", "95 % interval"],
            [
                [*_named(row), row["metric"], row["prompts"], row["first_mean"], row["later_mean"], row["difference"],
                 interval(row)]
                for row in scores
            ],
            "table",
            title=f"{edition}: the runs beside both editions of the articles",
        )  # fmt: skip
    if rows := database.records(dict[str, Any], "came_true_by_run", edition):
        tables.show(
            [*_EACH, "kind", "texts", "came true", "by chance", "excess a text", "95 % interval"],
            [
                [*_named(row), row["kind"], row["texts"], row["came_true"], row["chance"], row["excess"],
                 interval(row)]
                for row in rows
            ],
            "table",
            title=f"{edition}: what texts on changed articles said that these said only later",
        )  # fmt: skip
    if things := database.records(dict[str, Any], "came_true_first", edition, SHOWN):
        tables.show(
            ["article", "kind", "came true", "texts", "runs"],
            [[row["title"], row["kind"], row["text"], row["texts"], row["runs"]] for row in things],
            "table",
            title=f"{edition}: what most texts said first",
        )


def interval(row: Mapping[str, Any]) -> str:
    """Return both ends of the interval, or the reason for its absence."""
    if row["low"] is None:
        return str(row["no_interval"] or row.get("unknown_because") or "")
    return f"{tables.short(row['low'])} … {tables.short(row['high'])}"


def _named(row: Mapping[str, Any]) -> list[str]:
    return [row["run_id"], row["model"], short_form(row["decoder"])]
