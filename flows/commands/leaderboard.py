"""`newwiki leaderboard`: the scored runs beside the articles themselves."""

import click

from flows.options import across_option, by_option, common, form_option, open_database
from flows.progress import reporter
from newwiki.settings import Settings


@click.command()
@click.option("--snapshot", metavar="ID", help="Only this one, or latest (all).")
@click.option("--rank", metavar="METRIC", help="The best first, with groups of runs that cannot be told apart.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of the test that the groups rest on.")
@click.option("--by-evaluator", is_flag=True, help="A column for each evaluator that scored by a metric.")
@by_option
@across_option
@common
@form_option
def leaderboard(
    settings: Settings,
    quiet: bool,
    form: str,
    snapshot: str | None,
    rank: str | None,
    seed: int,
    by_evaluator: bool,
    by: str | None,
    across: tuple[str, ...],
) -> None:
    """Every scored run, and the articles themselves, with intervals.

    A metric's column holds the numbers of one evaluator: the newest that has scored all of the runs. A number that does
    not stand on all texts of its run says so. Settings in which the runs differ are columns; --rank refuses to rank
    across those of the protocol unless --across names them. --by has a row for each run and part of its snapshot, such
    as the short, medium and long articles.
    """
    from flows.comparing import show_board

    database = open_database(settings)
    for note in show_board.show(
        database, snapshot, form, by_evaluator=by_evaluator, rank=rank, seed=seed, across=across, by=by
    ):
        reporter(quiet).note(note)
