"""`newwiki demo`: the whole road once, on the sample wiki."""

from pathlib import Path

import click

from flows.listing import listed
from flows.options import Output, common, scoring_options
from flows.progress import reporter
from newwiki.settings import Settings


@listed(
    "make",
    "The whole road once, on a sample wiki and a toy model.",
    example="newwiki demo --out demo --entities rules-v1",
)
@click.command()
@click.option("--out", default="demo", show_default=True, type=Output(path_type=Path), help="The folder to work in.")
@click.option("--claims", is_flag=True, help="Train a toy pair scorer, too, which checks what texts claim.")
@scoring_options
@common
def demo(settings: Settings, quiet: bool, out: Path, claims: bool) -> None:
    """The whole road once: the sample wiki, a toy checkpoint, the monthly flow, the leaderboard, the report."""
    from flows.demonstration import run

    run(out, settings, reporter(quiet), claims=claims)
