"""`newwiki decoders`: the ways in which a model can be made to write."""

import click

from flows import tables
from flows.options import common, form_option
from newwiki.settings import Settings


@click.command()
@common
@form_option
def decoders(settings: Settings, quiet: bool, form: str) -> None:
    """The decoders with their parameters, defaults, ranges and sources."""
    from flows import catalogue

    rows = catalogue.decoders()
    if form == "table":
        above: list[list[object]] = [[""] * 5, *rows]
        rows = [_without_repetition(before, row) for before, row in zip(above, rows, strict=False)]
    tables.show(catalogue.DECODER_COLUMNS, rows, form)


def _without_repetition(before: list[object], row: list[object]) -> list[object]:
    """A decoder's name and source stand in its first row alone."""
    return ["", *row[1:4], ""] if before[0] == row[0] else row
