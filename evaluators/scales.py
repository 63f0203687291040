"""Scales that many metrics have, so that each is declared in a line."""

from newwiki.records import Direction, Metric


def ratio(name: str, definition: str, source: str, direction: Direction = "higher") -> Metric:
    """From 0 to 1."""
    return Metric(name, "ratio", 0.0, 1.0, direction, definition, source)


def cosine(name: str, definition: str, source: str) -> Metric:
    """From -1 to 1, higher is nearer."""
    return Metric(name, "cosine", -1.0, 1.0, "higher", definition, source)


def amount(name: str, unit: str, definition: str, source: str, direction: Direction = "higher") -> Metric:
    """From 0 up, without a bound."""
    return Metric(name, unit, 0.0, None, direction, definition, source)
