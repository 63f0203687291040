"""`newwiki experiment linking`: how hard each month is, so that a model's numbers of several months can be compared."""

from typing import TYPE_CHECKING

from flows.experiments.experiment import Answer, Experiment, Shown
from newwiki.experiment_request import LinkingRequest

if TYPE_CHECKING:
    from flows.experiments.evaluations import Evaluations
    from storage.database import Database


def _find(evaluations: "Evaluations", request: LinkingRequest) -> Answer:
    from flows.experiments.linking.find import find

    return find(evaluations, request)


def _show(database: "Database", experiment_id: str) -> Shown:
    from flows.experiments.linking.show import show

    return show(database, experiment_id)


EXPERIMENT = Experiment(
    name="linking",
    version="1",
    title="Over the months",
    source="Kolen & Brennan 2014, Test equating, scaling, and linking, chapters 4 and 7.3",
    help="How hard each month is: anchors, which are models that ran on two months under the same decoder, and the "
    "articles themselves, give each metric of one month its place on the scale of the other. `newwiki compare --across "
    "snapshot` and `newwiki leaderboard --linked` rest on it. A MODEL that is named is run on all months first.",
    request=LinkingRequest,
    find=_find,
    show=_show,
)
