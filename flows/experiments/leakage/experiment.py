"""`newwiki experiment leakage`: does a model do better on old articles, which it may have read, than on new ones?"""

from typing import TYPE_CHECKING

from flows.experiments.experiment import Answer, Experiment, Shown
from newwiki.experiment_request import LeakageRequest

if TYPE_CHECKING:
    from flows.experiments.evaluations import Evaluations
    from storage.database import Database


def _find(evaluations: "Evaluations", request: LeakageRequest) -> Answer:
    from flows.experiments.leakage.find import find

    return find(evaluations, request)


def _show(database: "Database", experiment_id: str) -> Shown:
    from flows.experiments.leakage.show import show

    return show(database, experiment_id)


EXPERIMENT = Experiment(
    name="leakage",
    version="1",
    title="Old articles against new ones",
    source="New-Wiki Eval paper, experiment 3 (table 4)",
    help="Whether models do better on old articles, which they may have read, than on new ones that are matched with "
    "them by length, citations and topic. A gap that a --control, which saw neither, shows too is the articles'.",
    request=LeakageRequest,
    find=_find,
    show=_show,
)
