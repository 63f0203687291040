"""`newwiki experiment linking`: estimate how hard each month is, to compare a model's numbers across months."""

from dataclasses import dataclass

from flows.experiments.experiment import Experiment
from newwiki.experiment_request import ExperimentRequest
from newwiki.fields import field
from newwiki.request import EvaluationRequest


@dataclass(frozen=True, kw_only=True)
class LinkingRequest(ExperimentRequest):
    """The months to put on the scale of the newest month, the anchors, and the models to run on all months first."""

    models: tuple[str, ...] = field(
        (), "Model to evaluate on all months first (default: read stored runs only).", argument=True, metavar="MODEL"
    )
    snapshot: str = field(EvaluationRequest.snapshot, "Snapshot of the month whose scale is used.", metavar="ID")
    earlier: tuple[str, ...] = field(
        (), "Snapshot of an earlier month (default: all earlier ones of the same wiki; may be repeated).", metavar="ID"
    )
    anchor: tuple[str, ...] = field(
        (),
        "Anchor (default: all that ran on two of the months; may be repeated); Wikipedia/reference are the articles.",
        metavar="MODEL/DECODER",
        example="gpt2/greedy",
    )


EXPERIMENT = Experiment(
    name="linking",
    version="2",
    title="Months on one scale",
    question="How hard is each month beside the newest?",
    source="Kolen & Brennan 2014, Test equating, scaling, and linking, chapters 4 and 7.3",
    help="Measure how hard each month is. Anchors (models that ran on two months under the same decoder, and the "
    "articles themselves) put each metric of one month on the scale of the other. `newwiki compare --across "
    "snapshot` and `newwiki leaderboard --linked` use the result. Each MODEL is run on all months first.",
    example="newwiki experiment linking gpt2 distilgpt2 gpt2-xl --decoder greedy",
    request=LinkingRequest,
)
