"""How near a text is in meaning to the true article."""

import math

from evaluators.analysis import Analysis
from newwiki.records import Metric, Unscorable
from newwiki.registry import evaluator


@evaluator(
    metrics=[
        Metric(
            "sbert",
            unit="cosine",
            minimum=-1.0,
            maximum=1.0,
            direction="higher",
            definition="inner product of the unit embeddings of text and article, each pooled over all its chunks",
            source="Reimers and Gurevych 2019; New-Wiki Eval paper, Evaluation Metrics",
        )
    ],
    version="1",
    needs={"embedding"},
    core=True,
)
def sbert(analysis: Analysis, reference: Analysis) -> float | Unscorable:
    """The inner product of two unit embeddings, from -1 to 1, higher is nearer; unrelated articles give about 0.1.

    Source: Reimers and Gurevych 2019, Sentence-BERT; New-Wiki Eval paper, "Relevance". Pitfall: the paper's habit, to
    embed a text at once, sees only the first 256 tokens and cannot tell what comes after; here every token counts, so
    the numbers are not the paper's.
    """
    if analysis.wordless:
        return Unscorable("no words")
    if reference.wordless:
        return Unscorable("the reference has no words")
    product = float(analysis.embedded() @ reference.embedded())
    if math.isnan(product):
        return Unscorable("no tokens to embed")
    # Rounding may leave unit vectors a hair too long.
    return max(-1.0, min(product, 1.0))
