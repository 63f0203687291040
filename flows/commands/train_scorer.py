"""`newwiki train-scorer`: a scorer of one's own, fitted to texts that somebody has graded."""

from pathlib import Path

import click

from flows.listing import listed
from flows.options import Input, Output, common
from flows.printing import say
from flows.progress import reporter
from flows.request_options import asks
from newwiki.request import TrainScorerRequest
from newwiki.settings import Settings


@listed("make", "Train a scorer on texts with numbers.", example="newwiki train-scorer ratings.csv --out stars")
@click.command("train-scorer")
@click.argument("table", type=Input(path_type=Path), metavar="CSV")
@click.option("--out", required=True, type=Output(path_type=Path), help="The folder to write, a new one.")
@asks(TrainScorerRequest)
@common
def train_scorer(settings: Settings, quiet: bool, table: Path, out: Path, request: TrainScorerRequest) -> None:
    """Fit a scorer to a CSV of text,score, and test it on texts held out.

    What it writes is used by --scorer OUT/scorer.toml --metrics NAME.
    """
    from flows.training.scorer_training import read_graded
    from flows.training.scorer_training import train_scorer as train

    found = train(read_graded(table), request, out, reporter(quiet))
    say(f"{found.texts} texts held out: {found}")
    say(f"newwiki evaluate … --scorer {out}/scorer.toml --metrics {request.name}")
