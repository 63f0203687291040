"""Estimate whether the evaluated model has seen an article, from the words that it expected least."""

from newwiki.models.engine.reading_windows import RULE
from newwiki.records import Metric, Reading, Unscorable
from newwiki.registry import reading_evaluator

SHARE = 0.2  # of the tokens


@reading_evaluator(
    metrics=[
        Metric(
            "min_k_percent",
            unit="standard deviations",
            minimum=None,
            maximum=None,
            direction="none",
            definition=f"Min-K%++: mean of (log p − μ) / σ over the {SHARE:.0%} of the article's tokens after the "
            "prompt where it is lowest; higher, the likelier the evaluated model was trained on it",
            source="Zhang et al. 2024 (Min-K%++), eq. 3 and 4",
        )
    ],
    version="1",
    parameters={**RULE, "k": SHARE},
    standardised=True,
)
def min_k_percent(reading: Reading) -> float | Unscorable:
    """Return the mean of the lowest k = 20 % of (log p(xₜ | x₍ₜ₋₎) − μₜ) / σₜ, higher if the model more likely saw it.

    μₜ and σₜ are the mean and the standard deviation of log p over the vocabulary, under the model's own distribution
    at t. Source: Zhang et al. 2024, Min-K%++, equations 3 and 4; k tokens, rounded down, at least one. Pitfall: text
    that is easy to guess scores high too, seen or not, so on its own the value proves nothing; compare with articles
    that the model cannot have seen.
    """
    if isinstance(reading.rest, Unscorable):
        return reading.rest
    lowest = sorted(reading.rest.standardised)
    if not lowest:
        return Unscorable("no token to score")
    count = max(1, int(len(lowest) * SHARE))
    return sum(lowest[:count]) / count
