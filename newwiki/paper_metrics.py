"""The metrics of the New-Wiki Eval paper, in its order and under its names, mapped to ours."""

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from newwiki.papers.published import PaperMetric

PAPER = "New-Wiki Eval: An Evolving Wikipedia Multi-metric Evaluation for Large Language Models"


@cache
def paper_metrics() -> "tuple[PaperMetric, ...]":
    """Return the metrics of the paper's table 3. They are read on demand, because most commands do not need them."""
    from newwiki.papers.published import papers

    paper = papers()["003"]
    return tuple(paper.metric(title) for title in paper.table("3").columns)
