"""`newwiki metrics`: the metrics of texts and runs."""

import click

from flows.jobs.field_options import setting_options
from flows.listing import GroupedCommand, listed
from flows.options import common, form_option
from flows.presenting import tables
from newwiki.settings import Settings


@listed("look", "List metrics of texts and runs.", examples=("newwiki metrics --format csv",))
@click.command(cls=GroupedCommand)
@setting_options(("scorers",))
@common
@form_option
def metrics(settings: Settings, quiet: bool, form: str) -> None:
    """List all metrics: units, ranges, better directions, evaluators, definitions, sources and pitfalls, and what they
    see according to the newest answers of `newwiki experiment metrics` in the database."""
    from flows import pieces
    from storage.database import Database

    seen = pieces.sights(Database(settings.db))
    tables.show(pieces.COLUMNS, pieces.rows(settings.pair_scorer, seen), form)
