"""`newwiki experiment`: a question about models and snapshots, one command each."""

import json
from pathlib import Path

import click

from flows.experiments.experiment import Experiment, Shown, every
from flows.jobs.job import Answer, Here, Job, arrow_table, job
from flows.jobs.running import PREFECT, RUNNER, check_runner
from flows.listing import CommandGroup, listed
from flows.presenting import tables
from flows.printing import say
from newwiki.experiment_request import AnyExperimentRequest
from newwiki.fields import field
from newwiki.settings import SCORERS

METADATA_KEY = "answer"  # key of the whole answer in the metadata of the table that Python gets


@listed(
    "compare",
    "Explain scores: contamination, cutoffs, decoders and more.",
    examples=("newwiki experiment leakage gpt2 --decoder greedy",),
)
@click.group(cls=CommandGroup)
def experiment() -> None:
    """Answer a question about models and snapshots. Runs that are missing are made first."""


def experiment_job(experiment: Experiment) -> Job:
    """Return the job of an experiment."""

    def ask(
        request: AnyExperimentRequest,
        here: Here,
        *,
        out: Path | None = field(
            None, "HTML page to write the answer to as well.", metavar="FILE.html", writes="path", shell_only=True
        ),
        prefect: bool = PREFECT,
        runner: str | None = RUNNER,
    ) -> Answer:
        return _answer(experiment, request, here, out=out, prefect=prefect, runner=runner)

    declare = job(
        experiment.request,
        summary=experiment.title,
        examples=(experiment.example,),
        settings=("template", *(SCORERS if experiment.scores else ())),
        name=experiment.name,
        help=f"{experiment.help}\n\nSource: {experiment.source}.",
    )
    return declare(ask)


def run_experiment(
    experiment: Experiment,
    request: AnyExperimentRequest,
    here: Here,
    *,
    prefect: bool = False,
    runner: str | None = None,
) -> str:
    """Make the runs that are missing, and return the id of the answer. Prefect or a runner does it on demand."""
    check_runner(runner)
    if prefect or runner:
        from flows.experiments.flow import flow_of

        experiment_id: str = flow_of(experiment)(request, here.settings, runner=runner, quiet=here.quiet)
        return experiment_id
    from flows.experiments.answering import answer
    from flows.experiments.evaluations import Evaluations

    return answer(experiment, Evaluations(here.database, here.settings, here.progress), request)


def _answer(
    experiment: Experiment,
    request: AnyExperimentRequest,
    here: Here,
    *,
    out: Path | None,
    prefect: bool,
    runner: str | None,
) -> Answer:
    from flows.experiments.record import record, summary
    from storage.experiments import stored

    experiment_id = run_experiment(experiment, request, here, prefect=prefect, runner=runner)
    database = here.database
    answer, shown = stored(database, experiment_id), experiment.show(database, experiment_id)
    headline = f"{experiment.name}: {answer.headline}"

    def value() -> object:
        here.note([headline, *answer.words])
        whole = {field: value for field, value in record(experiment, answer, shown).items() if field != "rows"}
        metadata = {METADATA_KEY: json.dumps(whole, ensure_ascii=False)}
        return arrow_table(shown.heads, shown.records).replace_schema_metadata(metadata)

    def show(form: str) -> None:
        tell = here.progress.note if form in tables.MACHINE_FORMATS else say
        tell(f"{experiment.question}\n{headline}")
        if form == "json":
            tables.write_record(record(experiment, answer, shown))
        elif form == "csv":
            tables.show(shown.heads, shown.records, form)
        else:
            _print(shown, form)
        for sentence in (*answer.words, *summary(experiment, answer)):
            tell(sentence)
        if out:
            from flows.report.experiments import write_answer

            tell(str(write_answer(database, experiment_id, out)))

    return Answer(value, show)


def _print(shown: Shown, form: str) -> None:
    """Print what holds, what does not hold, what is unknown, and the tables."""
    from flows.presenting.table_layout import wrapped

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


for _experiment in every():
    experiment.add_command(experiment_job(_experiment))
