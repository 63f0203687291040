"""`newwiki demo`: the full pipeline on a sample wiki with toy models."""

from pathlib import Path

import click

from flows.jobs.field_options import setting_options
from flows.listing import GroupedCommand, listed
from flows.options import Output, common
from flows.progress import reporter
from newwiki.settings import SCORERS, Settings


@listed(
    "make",
    "Run the full pipeline on a sample wiki.",
    examples=("newwiki demo --out demo",),
)
@click.command(cls=GroupedCommand)
@click.option("--out", default="demo", show_default=True, type=Output(path_type=Path), help="Folder to work in.")
@click.option("--retrain", is_flag=True, help="Train the toy models instead of using those of the package.")
@click.option("--claims", is_flag=True, help="Train a toy pair scorer as well, which checks the claims of texts.")
@setting_options(SCORERS)
@common
def demo(settings: Settings, quiet: bool, out: Path, retrain: bool, claims: bool) -> None:
    """Run the full pipeline: import two months of a sample wiki, let toy models that have read the first month write
    the articles of the second, score them, and show leaderboard, report and two verdicts."""
    from flows.demonstration import run

    run(out, settings, reporter(quiet), claims=claims, retrain=retrain)
