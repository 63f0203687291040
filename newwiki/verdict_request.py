"""The request of a verdict on two runs (see `newwiki.request`)."""

from dataclasses import dataclass

from newwiki.fields import field
from newwiki.request import ComparisonRequest, Request


@dataclass(frozen=True, kw_only=True)
class VerdictRequest(Request):
    """The run to judge, the run to judge it against, and the metrics that decide."""

    candidate: str = field(
        help="Run to judge: the beginning of its id, or the end of MODEL/DECODER.", argument=True, metavar="A"
    )
    baseline: str = field(help="Run to judge it against.", argument=True, metavar="B")
    metrics: str = field(
        ComparisonRequest.metrics,
        "Metrics that decide (content: those that tell an article from another on the snapshot, where that is known).",
        metavar="content|all|NAME,…",
        names=True,
    )
    seed: int = field(0, "Random seed for the sign flips.")
