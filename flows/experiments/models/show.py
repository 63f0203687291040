"""Show the verdicts as a table, table 3 with the row of the articles, and figure 5 of the paper."""

from flows.experiments.experiment import Shown
from flows.statements import beside_paper, drawn, shown
from storage.database import Database


def show(database: Database, experiment_id: str) -> Shown:
    found = shown.stored(database, experiment_id)
    tables = [shown.verdicts(found), shown.settings(found)]
    return shown.made(
        found,
        tables,
        lambda signs: [
            *drawn.effects(found.verdicts),
            *beside_paper.means(found.settings, signs),
            *drawn.spreads(found.settings, signs),
        ],
    )
