"""`newwiki leaderboard`: the scored runs beside the articles themselves."""

import click

from flows.listing import listed
from flows.options import common, form_option, open_database
from flows.progress import reporter
from flows.request_options import asks
from newwiki.request import LeaderboardRequest
from newwiki.settings import Settings


@listed(
    "look",
    "Every scored run beside the articles, with intervals.",
    example=(
        "newwiki leaderboard --snapshot latest --rank sbert",
        "newwiki leaderboard --metrics sbert,rep_4 --format csv",
    ),
)
@click.command()
@asks(LeaderboardRequest)
@common
@form_option
def leaderboard(settings: Settings, quiet: bool, form: str, request: LeaderboardRequest) -> None:
    """Every scored run, and the articles themselves, with intervals.

    A metric's column holds the numbers of one evaluator: the newest that has scored all of the runs. A number that does
    not stand on all texts of its run says so. Settings in which the runs differ are columns; --rank refuses to rank
    across those of the protocol unless --across names them. --by has a row for each run and part of its snapshot, such
    as the short, medium and long articles. --after-cutoff leaves out of each run the articles that its model can have
    seen; seen_share is how many these are, where the model's knowledge cutoff is known.
    """
    from flows.comparing import show_board

    for note in show_board.show(open_database(settings), request, form):
        reporter(quiet).note(note)
