"""`newwiki leaderboard`: the scored runs beside the articles themselves."""

import click

from flows.options import common, form_option, open_database
from flows.progress import reporter
from newwiki.settings import Settings


@click.command()
@click.option("--snapshot", metavar="ID", help="Only this one, or latest (all).")
@common
@form_option
def leaderboard(settings: Settings, quiet: bool, form: str, snapshot: str | None) -> None:
    """Every scored run, and the articles themselves, with intervals."""
    from flows import leaderboard as board

    for note in board.show(open_database(settings), snapshot, form):
        reporter(quiet).note(note)
