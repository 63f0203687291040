"""`newwiki watch`: evaluates each checkpoint of a training run as it appears."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from flows.commands.evaluate import evaluate
from flows.options import Input, open_database, settings_in_force
from flows.progress import reporter
from newwiki.registry import load_plugin

_SHARED = [option for option in evaluate.params if option.name != "models"]  # all but the model is the same


@click.command(params=_SHARED)
@click.argument("folder", type=Input(path_type=Path, file_okay=False), metavar="DIR")
@click.option("--once", is_flag=True, help="Evaluate what is there, and end.")
@click.option("--poll", type=click.FloatRange(0.1), default=30.0, show_default=True, metavar="SECONDS")
@click.option(
    "--settle", type=click.FloatRange(0), default=10.0, show_default=True, metavar="SECONDS",
    help="A checkpoint that has not changed for so long is whole.",
)  # fmt: skip
@click.pass_context
def watch(context: click.Context, /, folder: Path, once: bool, poll: float, settle: float, **options: Any) -> None:
    """Evaluate each checkpoint in DIR (checkpoint-500, step_1000, …) when it is whole, until Ctrl-C.

    DIR is where a training run writes them. What was evaluated before is not done again.
    """
    from flows.evaluating.evaluate_all import model_arguments
    from flows.training.checkpoints import Watch
    from storage.snapshots import resolve

    # One snapshot for the whole curve, though another may be published meanwhile.
    database = open_database(settings_in_force(options["config"], db=options["db"]))
    options["snapshot"] = resolve(database, options["snapshot"]).snapshot_id
    given = model_arguments(options.pop("model_args"), options["dtype"])
    for plugin in options.pop("plugin"):
        load_plugin(plugin)

    def evaluate_one(checkpoint: Path, arguments: Mapping[str, str]) -> None:
        words = ",".join(f"{name}={value}" for name, value in arguments.items())
        context.invoke(evaluate, models=(str(checkpoint),), model_args=words, **options)

    watching = Watch(folder, evaluate_one, reporter(options["quiet"]), settle, given)
    if once:
        watching.once()
    else:
        watching.forever(poll)
