"""Show the verdicts and the numbers of the settings as tables, and figures 1 to 4 of the paper."""

from flows.experiments.experiment import Shown
from flows.statements import drawn, shown
from storage.database import Database


def show(database: Database, experiment_id: str) -> Shown:
    found = shown.stored(database, experiment_id)
    tables = [shown.verdicts(found), shown.correlations(found), shown.settings(found)]
    return shown.made(
        found,
        tables,
        lambda _: [*drawn.effects(found.verdicts), *drawn.sweeps(found.settings), *drawn.matrix(found.correlations)],
    )
