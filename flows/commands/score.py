"""`newwiki score`: scores for stored runs that lack them, and for texts that were written elsewhere."""

import click

from flows.listing import listed
from flows.options import common, form_option, open_database, runner_option, scoring_options
from flows.progress import reporter
from flows.request_options import asks
from newwiki.request import LeaderboardRequest, ScoringRequest
from newwiki.settings import Settings


@listed(
    "make",
    "Score stored runs, or texts written elsewhere.",
    example=("newwiki score --missing --metrics all", "newwiki score texts.jsonl --metrics rep_4,bleu"),
)
@click.command()
@asks(ScoringRequest)
@scoring_options
@runner_option
@common
@form_option
def score(settings: Settings, quiet: bool, form: str, runner: str | None, request: ScoringRequest) -> None:
    """Score stored runs, or texts that were written elsewhere. What is scored already is not scored again.

    FILE has a JSON object a line: a text and the page_id or title of its article, or a text with its own prompt and
    reference. Sample logs of lm-evaluation-harness are read as they are.
    """
    from flows.api.making import run_scoring
    from flows.comparing import show_board

    scorers = run_scoring(request, settings, runner=runner, quiet=quiet)
    for note in show_board.show(open_database(settings), LeaderboardRequest(), form, prefer=scorers):
        reporter(quiet).note(note)
