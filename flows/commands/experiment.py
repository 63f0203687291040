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
        from flows.experiments.record import record, summary
        from storage.experiments import stored

        experiment_id = run_experiment(one, request, settings, quiet=quiet, **how)
        database = open_database(settings)
        answer, shown = stored(database, experiment_id), one.show(database, experiment_id)
        tell = reporter(quiet).note if form in ("csv", "json") else say
        tell(f"{one.question}\n{one.name}: {answer.headline}")
        if form == "json":
            tables.write_record(record(one, answer, shown))
        elif form == "csv":
            tables.show(shown.heads, shown.records, form)
        else:
            _print(shown, form)
        for sentence in (*answer.words, *summary(one, answer)):
            tell(sentence)
        if out:
            from flows.report.experiments import write_answer

            tell(str(write_answer(database, experiment_id, out)))

    return exemplified(one.example)(ask)


def _print(shown: Shown, form: str) -> None:
    """What holds, what does not, what cannot be told, and the tables."""
    from flows.table_layout import wrapped

    say()
    for line in wrapped(f"{shown.findings.answer}.", tables.room()):
        say(line)
    for title, sentences in shown.findings.titled:
        say()
        say(title)
        for sentence in sentences:
            for line in wrapped(f"- {sentence}", tables.room()):
                say(line)
    say()
    for table in shown.tables:
        tables.show(table.heads, table.cells, form, table.caption)


for _one in every():
    experiment.add_command(_command(_one))
