"""Measure how often a statement of the paper is said to hold or to fail, in simulations with a known truth.

    python benchmarks/statement_verdicts.py [--draws 1000] [--into docs/decoder-grid.md]

Simulated scores go through the product's own functions: 4 texts of each of 30 articles under 8 settings (four of top-p,
two of temperature). An article has an effect that all settings share (standard deviation 1), and one for each setting
(0.5); its texts vary by 1. Claims about the size of models are simulated with models that differ whatever their size,
and with families that differ. Claims about named models are simulated with models that are alike. With `--into` the
table is written into that page, between its marks.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from page_tables import table, written_into

from flows.statements.numbers import Array, Numbers, ReadRun, sum_up
from flows.statements.statement import Statement, Test, paper
from flows.statements.verdicts import FAILS, HOLDS, verdicts

TOP_P, TEMPERATURES, TEXTS = (0.5, 0.9, 0.95, 1.0), (0.1, 0.9), 4
_VARIANCE = 1 + 0.5**2 + 1  # variance of a text under one setting
_MARGINS = paper().margins


def _stated(test: Test, *metrics: str, name: str = "stated", **more: str | Sequence[str]) -> Statement:
    return Statement(name=name, section="", quote="", says="", test=test, metrics=metrics, **more)  # type: ignore[arg-type]


RISES = _stated("trend", "A", parameter="top_p")
SMALL = _stated("small", "A", parameter="top_p")
LARGEST = _stated("largest", "A", "B", parameter="top_p", than=("temperature",))
SPREAD = _stated("spread", parameter="top_p", of="all texts")
SPREAD_OF_PROMPT = replace(SPREAD, of="each prompt")
LARGER = _stated("size", "A", direction="up")
LARGER_VARY = _stated("size_spread", direction="up")
WEAK, NO_OTHER = _stated("weak", share="most"), _stated("no_other")
ABOVE = _stated("models", "A", models=("GPT-3",), than=("GPT-2",))
ABOVE_A_LEVEL = _stated("level", "A", models=("GPT-3",))
VARIES_MORE = _stated("model_spread", models=("GPT-2", "GPT-3"))
RELATED = _stated("correlation", "A", "B")


@dataclass(frozen=True)
class Truth:
    """A simulated truth about decoders.

    `is_so` says whether the statement is true. `top_p` and `temperature` are the changes of both metrics from the first
    to the last value, in standard deviations of texts. `widens` is the factor by which top-p changes the spread of
    texts. The truth also has the correlation of the two metrics.
    """

    words: str
    is_so: bool
    statements: Sequence[Statement] = field(default=(RISES,))
    top_p: float = 0.0
    temperature: float = 0.0
    widens: float = 1.0
    r: float = 0.0
    articles: int = 30
    skewed: bool = False

    def draw(self, random: np.random.Generator) -> Numbers:
        runs, of_runs = [], []
        pages = np.repeat(np.arange(self.articles), TEXTS)
        shared = self._two(random, self.articles)[:, pages]
        for place, top_p in enumerate(TOP_P):
            share = place / (len(TOP_P) - 1)
            for temperature in TEMPERATURES:
                moved = self.top_p * share + self.temperature * (temperature > 0.5)
                own = 0.5 * self._two(random, self.articles)[:, pages]
                made = (shared + own + self._two(random, len(pages))) * self.widens**share
                of_runs.append((pages, made + moved * np.sqrt(_VARIANCE)))
                parameters = {"top_p": top_p, "temperature": temperature}
                runs.append(ReadRun(f"{parameters}", "simulated", "simulated", "sample", parameters))
        return sum_up(runs, ["A", "B"], of_runs)

    def _two(self, random: np.random.Generator, count: int) -> Array:
        """Return the scores of both metrics, each with variance 1."""
        drawn = random.lognormal(size=(2, count)) if self.skewed else random.normal(size=(2, count))
        apart = (drawn - np.exp(0.5)) / np.sqrt((np.e - 1) * np.e) if self.skewed else drawn
        return np.stack([apart[0], self.r * apart[0] + np.sqrt(1 - self.r**2) * apart[1]])


@dataclass(frozen=True)
class TruthOfModels:
    """A simulated truth about models.

    Each model has its own level (`scatter` standard deviations of texts). The largest model lies `grows` standard
    deviations above the smallest, and the others lie between them by the logarithm of their size. There are several
    `families`, each with larger models than the family before and with a level of its own (`apart`). The spread of a
    model's texts has a factor of its own (`uneven` in its logarithm).
    """

    words: str
    is_so: bool
    models: int
    grows: float = 0.0
    scatter: float = 0.3
    families: int = 1
    apart: float = 0.0
    uneven: float = 0.0
    articles: int = 100
    statements: Sequence[Statement] = (LARGER,)

    def draw(self, random: np.random.Generator) -> Numbers:
        runs, of_runs = [], []
        pages = np.repeat(np.arange(self.articles), TEXTS)
        shared = random.normal(size=self.articles)[pages]
        families = self.apart * random.normal(size=self.families)
        for place in range(self.models):
            family = place * self.families // self.models
            level = families[family] + self.scatter * random.normal() + self.grows * place / (self.models - 1)
            own = 0.5 * random.normal(size=self.articles)[pages]
            made = shared + own + random.normal(size=len(pages))
            made = made * np.exp(self.uneven * random.normal()) + level * np.sqrt(_VARIANCE)
            of_runs.append((pages, made[None]))
            name = f"family{family}-{place}m" if self.families > 1 else f"m{place}"
            runs.append(ReadRun(f"r{place}", name, f"m{place}", "sample", {"top_p": 0.9}, 124e6 * 2**place))
        return sum_up(runs, ["A"], of_runs)


@dataclass(frozen=True)
class TruthOfNames:
    """A simulated truth about two named models.

    One model is `higher` by this number of standard deviations of texts, and its texts vary by a larger factor
    (`widens`).
    """

    words: str
    is_so: bool
    statements: Sequence[Statement]
    higher: float = 0.0
    widens: float = 1.0
    articles: int = 30

    def draw(self, random: np.random.Generator) -> Numbers:
        runs, of_runs = [], []
        pages = np.repeat(np.arange(self.articles), TEXTS)
        shared = random.normal(size=self.articles)[pages]
        for name, more, factor in (("gpt2-xl", 0.0, 1.0), ("davinci-002", self.higher, self.widens)):
            own = 0.5 * random.normal(size=self.articles)[pages]
            made = (shared + own + random.normal(size=len(pages))) * factor + more * np.sqrt(_VARIANCE)
            of_runs.append((pages, made[None]))
            runs.append(ReadRun(name, name, name, "sample", {"top_p": 0.9}))
        return sum_up(runs, ["A"], of_runs)


AnyTruth = Truth | TruthOfModels | TruthOfNames
TRUTHS: Sequence[AnyTruth] = (
    Truth("“grows”: no effect", False),
    Truth("“grows”: no effect, 13 articles", False, articles=13),
    Truth("“grows”: no effect, 100 articles", False, articles=100),
    Truth("“grows”: no effect, skewed", False, skewed=True),
    Truth("“grows”: it falls by 0.3", False, top_p=-0.3),
    Truth("“grows”: it grows by 0.1, as little as counts", True, top_p=_MARGINS["nothing"]),
    Truth("“grows”: it grows by 0.5", True, top_p=0.5),
    Truth("“grows”: no effect, 400 articles", False, articles=400),
    Truth(
        "any of ten “grows”: no effect",
        False,
        [replace(RISES, name=f"{one}", metrics="AB"[one % 2]) for one in range(10)],
    ),
    Truth("“small”: 0.2, no longer small", False, [SMALL], top_p=_MARGINS["small"], articles=100),
    Truth("“small”: no effect, 400 articles", True, [SMALL], articles=400),
    Truth("“small”: 0.5", False, [SMALL], top_p=0.5, articles=100),
    Truth("“largest”: neither has an effect", False, [LARGEST]),
    Truth("“largest”: both are 0.5", False, [LARGEST], top_p=0.5, temperature=0.5),
    Truth("“largest”: 0.8 against 0.2", True, [LARGEST], top_p=0.8, temperature=0.2),
    Truth("“varies more”: alike", False, [SPREAD]),
    Truth("“varies more”: alike, skewed", False, [SPREAD], skewed=True),
    Truth("“varies more”: by half", True, [SPREAD], widens=1.5),
    Truth("“varies more” within a prompt: alike", False, [SPREAD_OF_PROMPT]),
    Truth("“correlated”: not", False, [RELATED]),
    Truth("“correlated”: not, skewed", False, [RELATED], skewed=True),
    Truth("“correlated”: r = 0.5", True, [RELATED], r=0.5),
    Truth(
        "“strongly correlated”: r = 0.5, where strong begins",
        False,
        [replace(RELATED, by="strong")],
        r=_MARGINS["strong"],
    ),
    TruthOfModels("“larger is higher”: 2 models, no effect", False, 2),
    TruthOfModels("“larger is higher”: 4 models, no effect", False, 4),
    TruthOfModels("“larger is higher”: 4 models, no effect, 500 articles", False, 4, articles=500),
    TruthOfModels("“larger is higher”: 8 models, no effect", False, 8),
    TruthOfModels("“larger is higher”: 6 models, two families apart", False, 6, families=2, apart=2.0),
    TruthOfModels("“larger is higher”: 9 models, three families apart", False, 9, families=3, apart=2.0),
    TruthOfModels("“larger is higher”: 5 families of one size each", False, 5, families=5, apart=2.0),
    TruthOfModels("“larger is higher”: 4 models, by 2", True, 4, grows=2.0),
    TruthOfModels("“larger is higher”: 8 models, by 1", True, 8, grows=1.0),
    TruthOfModels("“larger is higher”: 8 models, by 2", True, 8, grows=2.0),
    TruthOfModels("“larger is higher”: 9 models, three families apart, by 2", True, 9, 2.0, families=3, apart=2.0),
    TruthOfModels("“larger varies more”: 8 models, alike", False, 8, uneven=0.2, statements=(LARGER_VARY,)),
    Truth("“most correlate weakly”: r = 0.3, no longer weak", False, [WEAK], r=_MARGINS["weak"]),
    Truth("“no other correlates strongly”: r = 0.5, where strong begins", False, [NO_OTHER], r=_MARGINS["strong"]),
    TruthOfNames("“GPT-3 above GPT-2”: alike", False, [ABOVE]),
    TruthOfNames("“GPT-3 above GPT-2”: by 0.5", True, [ABOVE], higher=0.5),
    TruthOfNames("“GPT-3 above a level”: at it", False, [ABOVE_A_LEVEL]),
    TruthOfNames("“GPT-3 varies more than GPT-2”: alike", False, [VARIES_MORE]),
    TruthOfNames("“GPT-3 varies more than GPT-2”: by half", True, [VARIES_MORE], widens=1.5),
)


def called(truth: AnyTruth, draws: int) -> Counter[str]:
    """Return in how many draws any of the statements is said to hold, and in how many any is said to fail."""
    random, found = np.random.default_rng(0), Counter[str]()
    for _ in range(draws):
        found.update({one.verdict for one in verdicts(truth.draw(random), truth.statements)})
    return found


def verdicts_table(draws: int) -> str:
    rows = []
    for truth in TRUTHS:
        found = called(truth, draws)
        rows.append([truth.words, *(f"{found[verdict] / draws:.3f}" for verdict in (HOLDS, FAILS))])
        # so that an interrupted benchmark shows its partial results
        print(" | ".join(rows[-1]), file=sys.stderr, flush=True)
    return table(["stated: true is", "holds", "does not hold"], rows)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=1_000, metavar="N", help="Of each row (%(default)s).")
    parser.add_argument("--into", type=Path, metavar="PAGE", help="Write the table into it.")
    asked = parser.parse_args()
    made = {"verdicts": verdicts_table(asked.draws)}
    print(made["verdicts"])
    if asked.into:
        asked.into.write_text(written_into(asked.into.read_text("utf-8"), "statements", made), "utf-8")
