"""The metrics as people read them."""

from collections.abc import Mapping

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
    """In the unit of its head."""
    return value * _TIMES.get(metric, 1)


def told(metric: str, value: float, *, signed: bool = False) -> str:
    sign = "+" if signed else ""
    return f"{shown(metric, value):{sign}.{_DIGITS.get(metric, 1)}f}".replace("-", "−")
