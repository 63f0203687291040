"""Show the verdicts as a table, table 3 with the row of the articles, and figure 5 of the paper."""

from flows.experiments.experiment import Shown
from flows.statements import beside_paper, drawn, shown
from storage.database import Database


def show(database: Database, experiment_id: str) -> Shown:
    stored = shown.stored(database, experiment_id)
    tables = [shown.verdicts(stored), shown.settings(stored)]
    return shown.made(
        stored,
        tables,
        lambda signs: [
            *drawn.effects(stored.verdicts),
            *beside_paper.means(stored.settings, signs),
            *drawn.spreads(stored.settings, signs),
        ],
    )
