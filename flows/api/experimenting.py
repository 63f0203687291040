"""A question about models and snapshots."""

from typing import Any

import pyarrow as pa

from flows.api.opening import PathLike
from flows.commands.experiment import experiment_job
from flows.experiments.experiment import named
from flows.jobs.python_function import python_function


def experiment(
    name: str, *models: str, db: PathLike | None = None, quiet: bool = False, runner: str | None = None, **options: Any
) -> pa.Table:
    """Run an experiment, and return the rows of its first table: `experiment("leakage", "gpt2", control="opt")`.

    The verdict in words goes to stderr; the table `experiments` and those of the experiment hold everything. Findings,
    methods and a BibTeX entry are JSON in the table's metadata: `json.loads(table.schema.metadata[b"answer"])`.
    `options` are the fields of the experiment's request, including those of `evaluate`, and settings.
    """
    answer: pa.Table = python_function(experiment_job(named(name)))(
        *models, db=db, quiet=quiet, runner=runner, **options
    )
    return answer
