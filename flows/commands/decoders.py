"""`newwiki decoders`: the ways in which a model can be made to write."""

import click

from flows import tables
from flows.listing import listed
from flows.options import common, form_option
from newwiki.settings import Settings


@listed("look", "How a model can be made to write.", example="newwiki decoders")
@click.command()
@common
@form_option
def decoders(settings: Settings, quiet: bool, form: str) -> None:
    """The decoders with their parameters, defaults, ranges and sources."""
    from flows import catalogue

    rows = catalogue.decoders()
    if form == "table":
        heads, source = catalogue.DECODER_COLUMNS[:-1], catalogue.DECODER_COLUMNS[-1]
        tables.show(heads, _without_repetition([row[:-1] for row in rows]), form)
        tables.show((heads[0], source), [*dict.fromkeys((row[0], row[-1]) for row in rows)], form)
    else:
        tables.show(catalogue.DECODER_COLUMNS, rows, form)


def _without_repetition(rows: list[list[object]]) -> list[list[object]]:
    """A decoder's name stands in its first row alone."""
    above = [None, *(row[0] for row in rows)]
    return [["" if row[0] == name else row[0], *row[1:]] for name, row in zip(above, rows, strict=False)]
