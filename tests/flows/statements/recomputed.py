"""A run's mean and spreads once more, by plain loops over its texts' numbers: nothing of `flows` is used."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev, variance


@dataclass(frozen=True)
class Spreads:
    """The mean of the articles' means, the standard deviation of all texts, and that of the texts of one article (the
    root of the articles' mean variance), NaN where no article has two."""

    articles: int
    texts: int
    mean: float
    sd: float
    sd_of_prompt: float


def spreads(texts: Iterable[tuple[int, float]]) -> Spreads:
    """Of the numbers of texts, each with its article."""
    by_page: dict[int, list[float]] = {}
    for page, value in texts:
        by_page.setdefault(page, []).append(value)
    each = [value for values in by_page.values() for value in values]
    several = [variance(values) for values in by_page.values() if len(values) > 1]
    return Spreads(
        articles=len(by_page),
        texts=len(each),
        mean=fmean(map(fmean, by_page.values())),
        sd=stdev(each),
        sd_of_prompt=math.sqrt(fmean(several)) if several else math.nan,
    )


def distinct_2(text: str) -> float:
    """Different word bigrams over words."""
    words = text.split()
    return len({(words[at], words[at + 1]) for at in range(len(words) - 1)}) / len(words)


def rep_4(text: str) -> float | None:
    """One less the share of word 4-grams that are different; None where there is none."""
    words = text.split()
    grams = [tuple(words[at : at + 4]) for at in range(len(words) - 3)]
    return 1 - len(set(grams)) / len(grams) if grams else None


def mean_of(texts: Iterable[tuple[int, float]]) -> float:
    return spreads(texts).mean


def effect(low: Sequence[tuple[int, float]], high: Sequence[tuple[int, float]]) -> float:
    """How much higher one run's mean is than another's, in standard deviations of a text under one of them."""
    one, other = spreads(low), spreads(high)
    return (other.mean - one.mean) / math.sqrt((one.sd**2 + other.sd**2) / 2)
