"""Common scales of metrics, each declared in one line."""

from newwiki.records import Direction, Metric


def ratio(name: str, definition: str, source: str, direction: Direction = "higher") -> Metric:
    """Create a metric from 0 to 1."""
    return Metric(name, "ratio", 0.0, 1.0, direction, definition, source)


def cosine(name: str, definition: str, source: str) -> Metric:
    """Create a metric from -1 to 1, higher is closer."""
    return Metric(name, "cosine", -1.0, 1.0, "higher", definition, source)


def amount(name: str, unit: str, definition: str, source: str, direction: Direction = "higher") -> Metric:
    """Create a metric from 0 up, without a bound."""
    return Metric(name, unit, 0.0, None, direction, definition, source)
