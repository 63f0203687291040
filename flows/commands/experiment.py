"""`newwiki experiment`: a question to models and snapshots, asked by one command each."""

from pathlib import Path
from typing import Any

import click

from flows import tables
from flows.experiments.experiment import Experiment, Shown, every
from flows.listing import exemplified, listed
from flows.options import (
    Output,
    common,
    form_option,
    open_database,
    prefect_option,
    runner_option,
    scoring_options,
    template_option,
)
from flows.printing import say
from flows.progress import reporter
from flows.request_options import asks


@listed(
    "compare",
    "Ask what is behind a score: leakage, cutoffs, decoders.",
    example="newwiki experiment leakage gpt2 --decoder greedy",
)
@click.group()
def experiment() -> None:
    """Ask a question of models and snapshots. The runs that it needs and that are not there are made."""


def _command(one: Experiment) -> click.Command:
    @click.command(one.name, short_help=one.title, help=f"{one.help}\n\nSource: {one.source}.")
    @asks(one.request)
    @click.option("--out", type=Output(path_type=Path), help="Write the answer as a page, too.", metavar="FILE.html")
    @template_option
    @scoring_options
    @prefect_option
    @runner_option
    @common
    @form_option
    def ask(settings: Any, quiet: bool, request: Any, form: str, out: Path | None, **how: Any) -> None:
        from flows.api.experimenting import run_experiment
        from storage.experiments import stored

        experiment_id = run_experiment(one, request, settings, quiet=quiet, **how)
        database = open_database(settings)
        answer = stored(database, experiment_id)
        _print(one.show(database, experiment_id), form)
        told = [f"{one.name}: {answer.headline}", *answer.words]
        if out:
            from flows.report.experiments import write_answer

            told.append(str(write_answer(database, experiment_id, out)))
        for sentence in told:
            if form in ("csv", "json"):
                reporter(quiet).note(sentence)
            else:
                say(sentence)

    return exemplified(one.example)(ask)


def _print(shown: Shown, form: str) -> None:
    if form in ("csv", "json"):
        tables.show(shown.heads, shown.records, form)
        return
    for table in shown.tables:
        tables.show(table.heads, table.cells, form, table.caption)


for _one in every():
    experiment.add_command(_command(_one))
