"""Show the verdicts and the numbers of the settings as tables, and figures 1 to 4 of the paper."""

from flows.experiments.experiment import Shown
from flows.statements import drawn, shown
from storage.database import Database


def show(database: Database, experiment_id: str) -> Shown:
    stored = shown.stored(database, experiment_id)
    tables = [shown.verdicts(stored), shown.correlations(stored), shown.settings(stored)]
    return shown.made(
        stored,
        tables,
        lambda _: [*drawn.effects(stored.verdicts), *drawn.sweeps(stored.settings), *drawn.matrix(stored.correlations)],
    )
