"""Measure how often exposure bias is found although there is none, by the number of articles, stretches and seeds.

    python benchmarks/exposure_bias_null.py [--draws 120] [--into docs/exposure-bias.md]

Every text is drawn from a Markov chain of words, and scored and judged by the experiment's own functions. Under a null,
both prefixes of an article lead to texts of one distribution. The first two columns of a table show an earlier method
of the experiment: the mean of ratios over seeds, and Student's t over them. With `--into` the tables are written into
that page, between its marks.
"""

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import ttest_1samp

from evaluators.corpus import Words
from evaluators.statistics import LEVEL
from evaluators.token_scores import backward_bleu, bleus
from flows.experiments.exposure_bias.findings import trends
from flows.experiments.exposure_bias.leave_out import leave_out, page_groups
from flows.experiments.exposure_bias.measuring import Measured
from flows.experiments.exposure_bias.prefixes import MODEL, halves
from flows.experiments.exposure_bias.result_tables import ExposureScore, ExposureTrend

LENGTHS = (20, 60)  # lengths of prefixes
TOKENS, WORDS, USUAL = 20, 600, 15  # words per text, words of the language, and words that usually follow a word
MIDDLE = 0.45  # mean share of a text's words that usually follow the word before

Floats = NDArray[np.float64]
Texts = NDArray[np.int64]

_FREQUENCIES = 1 / np.arange(1, WORDS + 1) ** 1.1
_CUMULATED = np.cumsum(_FREQUENCIES / _FREQUENCIES.sum())
_FOLLOWING = np.random.default_rng(7).permuted(np.tile(np.arange(WORDS), (WORDS, 1)), axis=1)


@dataclass(frozen=True)
class Design:
    """A design of articles.

    `apart` is the standard deviation of how usual an article's texts are, across its stretches and lengths. `own` is
    the standard deviation of an article's effect after one kind of prefix, which all seeds share. After its own text a
    model loses `lost`.
    """

    articles: int
    stretches: int = 1
    seeds: int = 10
    apart: float = 0.15
    own: float = 0.0
    lost: float = 0.0
    backward: bool = False

    @property
    def words(self) -> str:
        kind = f"own {self.own:g}" if self.own else f"apart {self.apart:g}"
        effect = f", lost {self.lost:g}" if self.lost else ""
        metric = ", backward-BLEU" if self.backward else ""
        return f"{self.articles} articles × {self.stretches}, {self.seeds} seeds, {kind}{effect}{metric}"


NULLS = (
    Design(6),
    Design(10),
    Design(10, backward=True),
    Design(10, 4),
    Design(10, seeds=3),
    Design(40),
    Design(6, 4, apart=0.05, own=0.3),
    Design(10, apart=0.05, own=0.3),
    Design(10, 4, apart=0.05, own=0.3),
    Design(20, 4, apart=0.05, own=0.2),
    Design(40, 4, apart=0.05, own=0.2),
)
EFFECTS = (Design(10, 4, lost=0.1), Design(20, 4, lost=0.1), Design(40, 4, lost=0.1), Design(40, 4, lost=0.05))


@dataclass(frozen=True)
class Found:
    """The result of a draw: the mean ratio over seeds with p of Student's t over them, and the experiment's result."""

    before: float
    before_p: float
    now: ExposureTrend


def drawn(design: Design, draws: int, seed: int = 0) -> list[Found]:
    random = np.random.default_rng([seed, design.articles, design.stretches, design.seeds])
    found = [_found(_measured(design, random)) for _ in range(draws)]
    return [one for one in found if one is not None]


def _measured(design: Design, random: np.random.Generator) -> list[Measured]:
    """Draw the scores; the article's prefixes are the same for each seed, as in the experiment, the model's are not."""
    keys = [(page, place) for page in range(design.articles) for place in range(design.stretches)]
    groups = page_groups(keys)
    page = np.array([page for page, _ in keys])
    usual = random.normal(MIDDLE, design.apart, design.articles)[page]
    after_data, after_own = (usual + random.normal(0, design.own, design.articles)[page] for _ in range(2))
    kept = {length: after_data + random.normal(0, design.apart, len(keys)) for length in LENGTHS}
    whole = _texts(usual, random)
    found = []
    for seed in range(design.seeds):
        asked, _ = halves(keys, int(random.integers(1 << 30)))
        there = np.array([key in set(asked) for key in keys])
        references = _words(whole[~there])
        of_text = [groups[one] for one in page[there]]
        for length in LENGTHS:
            states = (kept[length], after_own - design.lost + random.normal(0, design.apart, len(keys)))
            data, own = (
                leave_out(_score(design, _words(_texts(state[there], random)), references), of_text, design.articles)
                for state in states
            )
            found.append(_ratio(length, seed, data, own))
    return found


def _score(design: Design, texts: list[Words], references: list[Words]) -> Callable[[Sequence[int]], float]:
    if design.backward:
        return lambda kept: backward_bleu([texts[place] for place in kept], references)
    each = bleus(texts, references)
    return lambda kept: float(np.mean([each[place] for place in kept]))


def _ratio(length: int, seed: int, data: tuple[float, Any], own: tuple[float, Any]) -> Measured:
    whole = ExposureScore(
        model="simulated", decoder="sample", metric="bleu", prefix=MODEL, rate=0.0, prefix_length=length, gap=0,
        seed=seed, texts=0, score=own[0], ratio=data[0] / own[0] if own[0] else None,
    )  # fmt: skip
    ratios = [of_data / of_own if of_own else None for of_data, of_own in zip(data[1], own[1], strict=True)]
    return Measured(whole, own[1], ratios)


def _found(measured: list[Measured]) -> Found | None:
    """Return the result of a draw, or None if a score is 0, because then there is no ratio."""
    [now] = trends(measured)
    if now.p is None:
        return None
    ratios = np.array([one.score.ratio for one in measured], float).reshape(-1, len(LENGTHS)).mean(axis=1)
    return Found(float(ratios.mean()), float(ttest_1samp(ratios, 1.0).pvalue), now)


def _texts(states: Floats, random: np.random.Generator) -> Texts:
    """Draw a text for each state, which is the share of its words that usually follow the word before."""
    states = np.clip(states, 0.02, 0.95)
    texts = np.empty((len(states), TOKENS), np.int64)
    texts[:, 0] = _frequent(random, len(states))
    for place in range(1, TOKENS):
        usual = _FOLLOWING[texts[:, place - 1], _frequent(random, len(states)) * USUAL // WORDS]
        texts[:, place] = np.where(random.random(len(states)) < states, usual, _frequent(random, len(states)))
    return texts


def _frequent(random: np.random.Generator, many: int) -> Texts:
    return np.minimum(np.searchsorted(_CUMULATED, random.random(many)), WORDS - 1)


def _words(texts: Texts) -> list[Words]:
    return [tuple(map(str, text)) for text in texts.tolist()]


def row(design: Design, draws: int) -> list[str]:
    found = drawn(design, draws)
    before = [one.before for one in found]
    now = [one.now.mean or 0.0 for one in found]
    judged = [(one.before, one.before_p) for one in found], [(one.now.mean or 0.0, one.now.p or 0.0) for one in found]
    shares = [
        f"{100 * np.mean([p <= LEVEL and (ratio > 1) is worse for ratio, p in of]):.1f}"
        for of in judged
        for worse in (True, False)
    ]
    return [design.words, f"{np.mean(before):.3f}", *shares[:2], f"{np.exp(np.mean(np.log(now))):.3f}", *shares[2:]]


def null_table(designs: Sequence[Design], draws: int) -> str:
    from page_tables import table  # type: ignore[import-not-found] # in the folder of this script

    heads = ["design", "before: ratio", "worse, %", "better, %", "now: ratio", "worse, %", "better, %"]
    lines: str = table(heads, [row(design, draws) for design in designs])
    return lines


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=120, metavar="N", help="Simulations of each design (%(default)s).")
    parser.add_argument("--into", type=Path, metavar="PAGE", help="Write the tables into this page.")
    request = parser.parse_args()
    made = {"null": null_table(NULLS, request.draws), "effects": null_table(EFFECTS, request.draws)}
    print("\n\n".join(made.values()))
    if request.into:
        from page_tables import written_into

        request.into.write_text(written_into(request.into.read_text("utf-8"), "exposure bias", made), "utf-8")
