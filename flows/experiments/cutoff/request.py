"""`newwiki experiment cutoff`: find the month up to which a model has seen text."""

from dataclasses import dataclass

from flows.experiments.experiment import Experiment
from newwiki.experiment_request import ControlledRequest
from newwiki.fields import field
from newwiki.request import EvaluationRequest


@dataclass(frozen=True, kw_only=True)
class CutoffRequest(ControlledRequest):
    """The models that read all articles of a wiki, grouped by the age of the articles."""

    snapshot: str = field(
        EvaluationRequest.snapshot, "Snapshot of the newest articles; all snapshots of its wiki are read.", metavar="ID"
    )


EXPERIMENT = Experiment(
    name="cutoff",
    version="3",
    title="Knowledge cutoff by month",
    question="Up to which month has a model seen what was written?",
    source="Andrews 1993 (a change at an unknown time), Worsley 1986 (its interval)",
    help="Find the month from which a model does worse because it was not trained on later text: over all snapshots "
    "of a wiki, by the month of creation of the articles (old ones by year). Without --decoder the models only "
    "read the articles. An effect that a --control shows as well comes from the articles themselves.",
    example="newwiki experiment cutoff gpt2 --control distilgpt2 --out cutoff.html",
    request=CutoffRequest,
)
