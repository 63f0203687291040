"""Measure how often a verdict that stops when it is sure is wrong, how many texts it saves, and what a gate lets pass.

    python benchmarks/until_sure.py [--draws 400] [--into docs/verdict.md]

Scores of 247 prompts are drawn in pairs, with a known true difference, and go through the product's own functions: a
look after every ten prompts (`flows.evaluating.until_sure`), the fixed test of all prompts, and the gate.

- `null`: the share of evaluations without a difference in which any metric was called better or worse at any look.
- `saved`: the share of right and wrong verdicts at several true differences, the median number of prompts, the share of
  texts that this saves, and how often the fixed test of all 247 prompts sees the difference.
- `gate`: the share of gates that are green, by the true loss of the candidate.
"""

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
from page_tables import table, written_into

from evaluators import statistics
from flows.comparing import bounds
from flows.evaluating.until_sure import ROUND, Scale, is_settled, look

PROMPTS = 247
Random = np.random.Generator
Array = statistics.Array
Draw = Callable[[Random, float, int], Array]


@dataclass(frozen=True)
class Scores:
    """A way to draw scores: an array of 2 runs × metrics × prompts, of which the second is higher by an effect.

    `spans` are the largest possible differences of the metrics, or None without bounds.
    """

    words: str
    spans: Sequence[float | None]
    draw: Draw


def _similarities(metrics: int, low: float = 0.0) -> Draw:
    """Draw numbers like those of S-BERT: what an article adds to both runs, and 0.1 of each run's own."""

    def draw(random: Random, effect: float, prompts: int) -> Array:
        shared = random.normal(0.5, 0.15, size=(1, metrics, prompts))
        own = random.normal(0, 0.1 / np.sqrt(2), size=(2, metrics, prompts))
        common = random.normal(0, 0.05, size=(2, 1, prompts))  # metrics agree on a good text
        values = shared + own + (common if metrics > 1 else 0.0)
        values[1] += effect
        return np.clip(values, low, 1.0)

    return draw


def _loops(random: Random, effect: float, prompts: int) -> Array:
    """Draw shares of repetition: most texts have none, and some are one long loop."""
    rates = np.array([0.05, 0.05 + effect])[:, None, None]
    return np.where(random.random((2, 1, prompts)) < rates, random.uniform(0.5, 1, (2, 1, prompts)), 0.0)


def _bits(random: Random, effect: float, prompts: int) -> Array:
    """Draw bits per byte: a normal part that an article adds to both models, and 0.1 of each model's own."""
    values = random.normal(1.2, 0.3, size=(1, 1, prompts)) + random.normal(0, 0.1 / np.sqrt(2), size=(2, 1, prompts))
    values[1] += effect
    return values


def _skewed(random: Random, effect: float, prompts: int) -> Array:
    """Draw differences that are exponential about their mean, with a deviation of 0.1."""
    values = np.zeros((2, 1, prompts))
    values[1] = effect + random.exponential(0.1, size=(1, prompts)) - 0.1
    return values


SCORES = (
    Scores("one metric, 0 to 1", (1.0,), _similarities(1)),
    Scores("one metric, −1 to 1", (2.0,), _similarities(1, low=-1.0)),
    Scores("four metrics, 0 to 1, that agree", (1.0,) * 4, _similarities(4)),
    Scores("loops in 5 % of the texts, 0 to 1", (1.0,), _loops),
    Scores("bits per byte, no bounds", (None,), _bits),
    Scores("skewed, no bounds", (None,), _skewed),
)
EFFECTS = (0.02, 0.05, 0.1, 0.2)


def evaluated(scores: Scores, effect: float, random: Random) -> tuple[str, int]:
    """Return the outcome of an evaluation that stops when it is sure, and its number of prompts."""
    values = scores.draw(random, effect, PROMPTS)
    scales = [Scale(f"m{place}", "higher", span) for place, span in enumerate(scores.spans)]
    for end in range(ROUND, PROMPTS + ROUND, ROUND):
        outcomes = look(scales, values[0, :, :end], values[1, :, :end])
        if is_settled(outcomes):
            sides = {one.outcome for one in outcomes} - {"cannot tell"}
            return ("better" if sides == {"better"} else "worse"), min(end, PROMPTS)
    return "cannot tell", PROMPTS


def fixed(scores: Scores, effect: float, random: Random) -> bool:
    """Return whether the test of all prompts, looked at once, sees a difference by any metric."""
    values = scores.draw(random, effect, PROMPTS)
    return bool(statistics.different((values[1] - values[0]).T, 0).any())


def null_rows(draws: int) -> list[list[str]]:
    rows = []
    for scores in SCORES:
        random = np.random.default_rng(1)
        found = [evaluated(scores, 0.0, random)[0] != "cannot tell" for _ in range(draws)]
        rows.append([scores.words, f"{np.mean(found):.3f}"])
    return rows


def saved_rows(draws: int) -> list[list[str]]:
    rows = []
    for scores in SCORES:
        for effect in EFFECTS:
            random = np.random.default_rng(2)
            ended = [evaluated(scores, effect, random) for _ in range(draws)]
            median = float(np.median([prompts for _, prompts in ended]))
            seen = np.mean([fixed(scores, effect, random) for _ in range(min(draws, 40))])
            shares = [np.mean([outcome == side for outcome, _ in ended]) for side in ("better", "worse")]
            saved = f"{1 - median / PROMPTS:.0%}"
            rows.append([scores.words, f"{effect}", *(f"{share:.2f}" for share in shares), f"{median:.0f}", saved,
                         f"{seen:.2f}"])  # fmt: skip
    return rows


LOSSES = (0.0, 0.01, 0.02, 0.03, 0.05)
MAX_LOSS = 0.02


def gate_rows(draws: int) -> list[list[str]]:
    """Return the shares of green gates with --max-loss 0.02, and with the default of --fail-if, by prompts and loss."""
    rows = []
    for prompts in (10, 40, 100, PROMPTS):
        for loss in LOSSES:
            random = np.random.default_rng(3)
            draw = _similarities(1)
            green = {"fail": 0, None: 0}
            for _ in range(draws):
                result = _gate(draw(random, -loss, prompts))
                for doubt in green:
                    green[doubt] += not result.fails(cast(Any, doubt))
            rows.append([str(prompts), f"{loss}", *(f"{count / draws:.3f}" for count in green.values())])
    return rows


def _gate(values: Array) -> bounds.GateResult:
    apart = (values[1] - values[0]).T
    found = statistics.differences_estimate(apart).at()
    row = SimpleNamespace(
        difference=found.mean,
        low=found.low,
        high=found.high,
        no_interval=found.lacking,
        effect_size=float(statistics.effect_size(apart)[0]),
    )
    [result] = bounds.results([bounds.Bound("m", "<", -MAX_LOSS)], {"m": cast(Any, row)})
    return result


HEADS = {
    "null": ["scores", "false verdicts"],
    "saved": ["scores", "true difference", "better", "worse", "prompts", "texts saved", "fixed test sees it"],
    "gate": ["prompts", "true loss", "green with `--max-loss 0.02`", "green with `--fail-if` at −0.02"],
}
ROWS = {"null": null_rows, "saved": saved_rows, "gate": gate_rows}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--draws", type=int, default=400)
    parser.add_argument("--into", type=Path)
    asked = parser.parse_args()
    tables = {}
    for name, rows in ROWS.items():
        tables[name] = table(HEADS[name], rows(asked.draws))
        sys.stdout.write(f"{name}\n{tables[name]}\n\n")
        sys.stdout.flush()
    if asked.into:
        page = asked.into.read_text("utf-8")
        asked.into.write_text(written_into(page, "until-sure", tables), "utf-8")


if __name__ == "__main__":
    main()
