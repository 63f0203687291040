"""`newwiki experiment authorship`: measure how much articles with maintenance templates move the numbers."""

from dataclasses import dataclass
from typing import Literal

from flows.experiments.experiment import Experiment
from newwiki.experiment_request import ExperimentRequest
from newwiki.fields import field
from newwiki.request import EvaluationRequest

Mark = Literal["machine_generated", "tagged", "deleted", "any"]


@dataclass(frozen=True, kw_only=True)
class AuthorshipRequest(ExperimentRequest):
    """The articles to set apart, and the models that read the articles first."""

    models: tuple[str, ...] = field(
        (), "Model that reads the articles first (default: read stored runs only).", argument=True, metavar="MODEL"
    )
    snapshot: str = field(EvaluationRequest.snapshot, "Snapshot whose runs are read.", metavar="ID")
    mark: Mark = field(
        "machine_generated",
        "Articles to set apart: machine_generated (tagged as such at the cutoff, or deleted later as such), tagged "
        "(with any maintenance template), deleted (later, for any reason), or any (tagged or deleted).",
    )


EXPERIMENT = Experiment(
    name="authorship",
    version="1",
    title="Articles that editors suspect",
    question="How much do the articles that editors suspect, or deleted later, move the numbers?",
    source="Hanley & McNeil 1982 (AUC), Newcombe 2006 (its interval), Zou & Donner 2008 (difference of two means)",
    help="Measure a confound: some articles of a snapshot carry a template by which editors suspect that a language "
    "model wrote them, or were deleted later for this reason. The answer has the mean of every metric and run "
    "with and without these articles, and tells whether the articles' own likelihood (bits per byte of the models that "
    "read them) differs. It is no detector of machine-written text, and says nothing about the people who wrote them.",
    example="newwiki experiment authorship gpt2 distilgpt2 --snapshot enwiki-2026-10 --out answer.html",
    request=AuthorshipRequest,
)
