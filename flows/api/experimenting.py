"""A question to models and snapshots."""

import json
from typing import Any

import pyarrow as pa

from flows.api.arguments import asks
from flows.api.opening import PathLike, opened, rows_of, say
from flows.experiments.experiment import Experiment, named
from flows.progress import reporter
from newwiki.experiment_request import ExperimentRequest
from newwiki.settings import Settings
from storage.database import Database

ANSWER = "answer"  # in a table's metadata


def experiment(
    name: str, *models: str, db: PathLike | None = None, quiet: bool = False, runner: str | None = None, **asked: Any
) -> pa.Table:
    """The answer of an experiment by its name, as the rows of its first table: `experiment("leakage", "gpt2",
    control="opt")`. Its verdict in words goes to stderr; the tables `experiments` and its own have all. Its findings,
    its methods and a BibTeX entry are JSON in the table's metadata: `json.loads(table.schema.metadata[b"answer"])`.

    `asked` are the fields of its request (those of `evaluate` among them) and settings, as its command has options.
    """
    from flows.experiments.record import record
    from storage.experiments import stored

    one = named(name)

    def ask(request: ExperimentRequest, **settings: str) -> pa.Table:
        force, database = opened(db, settings)
        experiment_id = run_experiment(one, request, force, runner=runner, quiet=quiet)
        answer, shown = stored(database, experiment_id), one.show(database, experiment_id)
        say([f"{name}: {answer.headline}", *answer.words], quiet)
        records = [dict(zip(shown.heads, cells, strict=True)) for cells in shown.records]
        whole = {field: value for field, value in record(one, answer, shown).items() if field != "rows"}
        return rows_of(records, shown.heads).replace_schema_metadata({ANSWER: json.dumps(whole, ensure_ascii=False)})

    return asks(one.request)(ask)(*models, **asked)


def run_experiment(
    experiment: Experiment,
    request: ExperimentRequest,
    settings: Settings,
    *,
    runner: str | None = None,
    prefect: bool = False,
    quiet: bool = False,
) -> str:
    """Makes the runs that are missing, and gives the answer's id. With `prefect` or a runner a flow does it."""
    if prefect or runner:
        from flows.experiments.flow import flow_of

        experiment_id: str = flow_of(experiment)(request, settings, runner=runner, quiet=quiet)
        return experiment_id
    from flows.experiments.answering import answer
    from flows.experiments.evaluations import Evaluations

    return answer(experiment, Evaluations(Database(settings.db), settings, reporter(quiet)), request)
