"""Measure how often the interval of a calibrated number covers the truth, for models with a known share of true
sentences.

    python benchmarks/calibration_coverage.py [--draws 1000] [--into docs/anchors.md]

Made-up articles have sentences of words from a vocabulary of their own topic, and common words. A model writes each
article with a share of its sentences from the article, and the others from another article, chosen at random for each
text. Two metrics score the text against the whole article: the share of its words that the article has, and the square
of this share, on which half of the sentences is not half of the way. The truth is the calibrated number over all
articles with many texts each; months are drawn from these articles. Texts, anchors and numbers come from the product's
own functions.
"""

import argparse
from pathlib import Path

import numpy as np
from page_tables import table, written_into

from evaluators.calibration import calibrated
from evaluators.perturbations import derangement, replaced
from evaluators.statistics import Array

ARTICLES, SENTENCES, WRITTEN = 2_000, 24, 8
COMMON, OWN, PER_SENTENCE = 400, 60, 14
SHARES = (0.0, 0.25, 0.5, 0.75, 0.9)
MONTHS = (20, 100, 250)
TRUE_TEXTS = 40  # texts of each article behind the truth


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=1000)
    parser.add_argument("--into", type=Path)
    options = parser.parse_args()
    random = np.random.default_rng(0)
    articles = [_article(random) for _ in range(ARTICLES)]
    others = derangement(dict.fromkeys(range(ARTICLES)), 0)
    rows = []
    for power, name in ((1, "share of words"), (2, "its square")):
        article, other = (
            np.array([_score(articles[page], articles[page if same else others[page]][:WRITTEN]) for page in others])
            ** power
            for same in (True, False)
        )
        for share in SHARES:
            texts = np.array([_texts(articles, page, others[page], share, random) for page in others]) ** power
            truth = calibrated(texts.mean(1), article, other).mean
            assert truth is not None
            covered = [_covered(texts, article, other, truth, size, options.draws, random) for size in MONTHS]
            rows.append([f"{name}, {share:.0%} true", f"{truth:.1f}", *(f"{100 * part:.1f}" for part in covered)])
    heads = ["metric and share of true sentences", "truth", *(f"{size} articles" for size in MONTHS)]
    lines = table(heads, rows)
    print(lines)
    if options.into:
        page = options.into.read_text("utf-8")
        options.into.write_text(written_into(page, "calibration_coverage", {"coverage": lines}), "utf-8")


def _article(random: np.random.Generator) -> list[str]:
    """Return sentences whose share of common words differs from article to article."""
    own, common = random.integers(0, 10**9), random.uniform(0.2, 0.7)
    words = [
        f"c{random.integers(COMMON)}" if random.random() < common else f"{own}w{random.integers(OWN)}"
        for _ in range(SENTENCES * PER_SENTENCE)
    ]
    return [" ".join(words[start : start + PER_SENTENCE]) for start in range(0, len(words), PER_SENTENCE)]


def _texts(articles: list[list[str]], page: int, other: int, share: float, random: np.random.Generator) -> Array:
    """Return the scores of texts that have this share of the article's sentences, in random places."""
    scores = []
    for _ in range(TRUE_TEXTS):
        order, foreign = random.permutation(SENTENCES)[:WRITTEN], random.permutation(SENTENCES)[:WRITTEN]
        text = replaced([articles[page][i] for i in order], [articles[other][i] for i in foreign], 1 - share)
        scores.append(_score(articles[page], [text]))
    return np.array(scores)


def _score(article: list[str], text: list[str]) -> float:
    known = set(" ".join(article).split())
    words = " ".join(text).split()
    return sum(word in known for word in words) / len(words)


def _covered(
    texts: Array, article: Array, other: Array, truth: float, size: int, draws: int, random: np.random.Generator
) -> float:
    """Return the share of months of `size` articles, with one text each, whose interval covers the truth."""
    covered = 0
    for _ in range(draws):
        pages = random.integers(ARTICLES, size=size)
        found = calibrated(texts[pages, random.integers(TRUE_TEXTS, size=size)], article[pages], other[pages])
        assert found.low is not None and found.high is not None
        covered += found.low <= truth <= found.high
    return covered / draws


if __name__ == "__main__":
    main()
