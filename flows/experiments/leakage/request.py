"""`newwiki experiment leakage`: test if a model is better on old articles, which it may have read, than on new ones."""

from dataclasses import dataclass

from flows.experiments.experiment import Experiment
from newwiki.experiment_request import ControlledRequest
from newwiki.fields import field
from newwiki.request import EvaluationRequest


@dataclass(frozen=True, kw_only=True)
class LeakageRequest(ControlledRequest):
    """The models, the old articles and the new articles."""

    snapshot: str = field(EvaluationRequest.snapshot, "Snapshot of new articles.", metavar="ID")
    old: str | None = field(
        None, "Snapshot of old articles (default: the newest of --kind old of the same wiki).", metavar="ID"
    )


EXPERIMENT = Experiment(
    name="leakage",
    version="2",
    title="Old articles against new ones",
    question="Does a model do better on old articles, which it may have read, than on new ones?",
    source="New-Wiki Eval paper, experiment 3 (table 4)",
    help="Test whether models do better on old articles, which may be in their training data, than on new articles, "
    "matched by length, citations and topic. A gap that a --control shows as well comes from the articles "
    "themselves.",
    example="newwiki experiment leakage gpt2 --old enwiki-2026-08 --snapshot enwiki-2026-09 --control distilgpt2",
    request=LeakageRequest,
)
