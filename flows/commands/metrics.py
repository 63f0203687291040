"""`newwiki metrics`: what a text, or a run, can be measured by."""

import click

from flows import tables
from flows.listing import listed
from flows.options import common, form_option, scorer_option
from newwiki.settings import Settings


@listed("look", "What a text, or a run, can be measured by.", example="newwiki metrics --format csv")
@click.command()
@scorer_option
@common
@form_option
def metrics(settings: Settings, quiet: bool, form: str) -> None:
    """The metrics of a text or a run: units, ranges, better directions, evaluators, definitions, sources, pitfalls."""
    from flows import catalogue

    tables.show(catalogue.COLUMNS, catalogue.rows(settings.pair_scorer), form)
