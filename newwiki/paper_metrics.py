"""The metrics of the New-Wiki Eval paper, in its order and under its names, and what they are called here."""

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from newwiki.papers.published import PaperMetric

PAPER = "New-Wiki Eval: An Evolving Wikipedia Multi-metric Evaluation for Large Language Models"


@cache
def paper_metrics() -> "tuple[PaperMetric, ...]":
    """Those of the paper's table 3. Read when they are asked for, as the command line only tells the paper's name."""
    from newwiki.papers.published import papers

    paper = papers()["003"]
    return tuple(paper.metric(title) for title in paper.table("3").columns)
