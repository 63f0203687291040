"""Names, units and number formats of the metrics."""

from collections.abc import Mapping

from flows.presenting.numbers import fixed

HEADS: Mapping[str, str] = {
    "diversity": "diversity, %",
    "diversity_simctg": "diversity of all texts, %",
    "mauve": "MAUVE, %",
    "embedding_coherence": "coherence by embeddings",
    "likelihood_coherence": "coherence by likelihood, nats",
    "words": "words",
}
_TIMES: Mapping[str, int] = {"diversity": 100, "mauve": 100}
_DIGITS: Mapping[str, int] = {"embedding_coherence": 3, "likelihood_coherence": 2}


def shown(metric: str, value: float) -> float:
    """Convert a value to the unit in the metric's table head."""
    return value * _TIMES.get(metric, 1)


def formatted(metric: str, value: float, *, signed: bool = False) -> str:
    """Format a value with the unit and decimals of its metric."""
    return fixed(shown(metric, value), _DIGITS.get(metric, 1), signed=signed)


def in_sentence(metric: str) -> str:
    """Return the table head of the metric with its unit in parentheses."""
    name, _, unit = HEADS[metric].partition(", ")
    return f"{name} ({unit})" if unit else name
