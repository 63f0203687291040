"""`newwiki train-scorer`: a scorer of one's own, fitted to texts that somebody has graded."""

from pathlib import Path
from typing import Any

import click

from flows.options import Input, Output, common
from flows.progress import reporter
from newwiki.errors import UsageError
from newwiki.settings import Settings
from newwiki.visible import visible


@click.command("train-scorer")
@click.argument("table", type=Input(path_type=Path), metavar="CSV")
@click.option("--out", required=True, type=Output(path_type=Path), help="The folder to write, a new one.")
@click.option("--kind", type=click.Choice(["lstm", "transformer"]), default="lstm", show_default=True)
@click.option("--base", metavar="NAME[@REVISION]", help="A checkpoint that a transformer begins with (from nothing).")
@click.option("--name", default="quality", show_default=True, help="The metric's name.")
@click.option("--reads", type=click.Choice(["text", "sentence"]), default="text", show_default=True)
@click.option("--held-out", type=float, default=0.1, show_default=True, help="The share of texts to test it with.")
@click.option("--epochs", type=click.IntRange(1), default=10, show_default=True)
@click.option("--width", type=click.IntRange(4), help="Of the widest layer (300 for lstm, 256 for transformer).")
@click.option("--vocabulary", type=click.IntRange(10), default=20_000, show_default=True, help="Words at most.")
@click.option("--seed", type=int, default=0, show_default=True)
@common
def train_scorer(
    settings: Settings,
    quiet: bool,
    table: Path,
    out: Path,
    kind: str,
    base: str | None,
    name: str,
    reads: str,
    held_out: float,
    **rest: Any,
) -> None:
    """Fit a scorer to a CSV of text,score, and test it on texts held out.

    What it writes is used by --scorer OUT/scorer.toml --metrics NAME.
    """
    from flows.training.scorer_training import read_graded
    from flows.training.scorer_training import train_scorer as train

    if base and kind != "transformer":
        raise UsageError("--base goes with --kind transformer")
    graded = read_graded(table)

    # torch takes seconds to import: not before the table is known to be right.
    from evaluators.networks.fit_scorer import Plan

    plan = Plan(kind, base=base, **rest)
    found = train(graded, plan, out, reporter(quiet), name=name, reads=reads, held_out=held_out)
    click.echo(visible(f"{found.texts} texts held out: {found}"))
    click.echo(visible(f"newwiki evaluate … --scorer {out}/scorer.toml --metrics {name}"))
