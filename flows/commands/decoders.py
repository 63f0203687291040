"""`newwiki decoders`: the decoders and their parameters."""

import click

from flows.listing import GroupedCommand, listed
from flows.options import common, form_option
from flows.presenting import tables
from newwiki.settings import Settings


@listed("look", "List decoders and their parameters.", examples=("newwiki decoders",))
@click.command(cls=GroupedCommand)
@common
@form_option
def decoders(settings: Settings, quiet: bool, form: str) -> None:
    """List the decoders with their parameters, defaults, ranges and sources."""
    from flows import pieces

    rows = pieces.decoders()
    if form == "table":
        heads, source = pieces.DECODER_COLUMNS[:-1], pieces.DECODER_COLUMNS[-1]
        tables.show(heads, _without_repetition([row[:-1] for row in rows]), form)
        tables.show((heads[0], source), [*dict.fromkeys((row[0], row[-1]) for row in rows)], form)
    else:
        tables.show(pieces.DECODER_COLUMNS, rows, form)


def _without_repetition(rows: list[list[object]]) -> list[list[object]]:
    """Name each decoder in its first row only."""
    above = [None, *(row[0] for row in rows)]
    return [["" if row[0] == name else row[0], *row[1:]] for name, row in zip(above, rows, strict=False)]
