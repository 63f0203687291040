"""`newwiki score`: scores for runs that lack them, and for texts that were written elsewhere."""

from pathlib import Path
from typing import Any

import click

from flows.options import Input, common, form_option, metrics_options, open_database, runner_option, scoring_options
from flows.progress import reporter
from newwiki.settings import Settings


@click.command()
@click.argument("files", nargs=-1, type=Input(path_type=Path), metavar="[FILE.jsonl]...")
@click.option("--run", "run_ids", multiple=True, metavar="ID", help="A stored run (may be repeated).")
@click.option("--missing", is_flag=True, help="Every stored run that lacks some of the scores.")
@click.option("--snapshot", default="latest", show_default=True, metavar="ID", help="What the files' texts are about.")
@click.option("--model", metavar="NAME", help="Who wrote the files' texts (the file's name).")
@click.option("--decoder", metavar="TEXT", help="How they were written (unknown).")
@metrics_options
@scoring_options
@runner_option
@common
@form_option
def score(
    settings: Settings,
    quiet: bool,
    form: str,
    runner: str | None,
    files: tuple[Path, ...],
    run_ids: tuple[str, ...],
    **asked: Any,
) -> None:
    """Score stored runs, or texts that were written elsewhere. What is scored already is not scored again.

    FILE has a JSON object a line: a text and the page_id or title of its article, or a text with its own prompt and
    reference. Sample logs of lm-evaluation-harness are read as they are.
    """
    from flows.comparing import show_board
    from flows.scoring.score_all import score_all

    database, progress = open_database(settings), reporter(quiet)
    asked |= {"files": files, "run_ids": run_ids}
    if runner:
        from flows.scoring.flow import score as flow

        scorers = flow(settings.db, settings=settings, runner=runner, asked=asked, quiet=quiet)
    else:
        scorers = score_all(database, settings, progress, **asked)
    for note in show_board.show(database, None, form, prefer=scorers):
        progress.note(note)
