"""How a number changes with the size of models, and how sure that is of models in general.

A statement such as "the larger the model, the higher the score" is about models, so models are its units: however many
articles there are, two models cannot support it. The change is the slope of a regression of the models' numbers on the
logarithm of their parameters. Each model has a random effect, which is what scatters around the line; its family
(Pythia, OPT, Qwen3) is a factor, so that sizes are compared within families and what a family has of its own, such as
its training data, is not taken for an effect of size. Where families have too few sizes for that, families are the
units, as two models of one family are no two independent models.
"""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePath

import numpy as np
from numpy.typing import NDArray
from scipy.special import nctdtr, stdtrit

from evaluators.power import POWER
from evaluators.statistics import LEVEL
from flows.statements.numbers import Numbers
from flows.statements.settings import CannotTell

Array = NDArray[np.float64]

FEWEST_SIZES = 4
APART = 1.5  # sizes nearer to each other than this ratio count as one
MOST_MODELS = 1_000

_NUMBER = re.compile(r"\d+(?:[.p]\d+)?[mbt]\d?", re.IGNORECASE)  # 70m, 1.4b, 1b4
_WORDS = frozenset({"nano", "tiny", "mini", "small", "medium", "base", "large", "xl", "xxl"})


def family_of(model: str) -> str:
    """A model's family: the last part of its path or hub id without what tells its size.

    `EleutherAI/pythia-160m-deduped` is of `pythia-deduped`, `gpt2-xl` of `gpt2`, `distilgpt2` of its own.
    """
    parts = [part for part in re.split(r"[-_ ]", PurePath(model).name.lower().split(" (")[0]) if part]
    numbered = any(_NUMBER.fullmatch(part) for part in parts)
    sized: Callable[[str], object] = _NUMBER.fullmatch if numbered else _WORDS.__contains__
    return "-".join(part for part in parts if not sized(part)) or model


@dataclass(frozen=True)
class ErrorOverModels:
    """The standard error of a slope over so many models of so many families, with its degrees of freedom."""

    error: float
    models: int
    families: int

    @property
    def freedom(self) -> int:
        return self.models - self.families - 1

    def models_needed(self, effect: float, error: float, tests: int) -> int | None:
        """The least number of models that would show an effect of this size in four of five cases, among so many tests.

        Their sizes are spread as those of these models, their families are as many, and their scatter is the same;
        `error` is that over articles, which stays. None where `MOST_MODELS` are too few. The power is that of the
        two-sided t test (Cohen 1988, Statistical power analysis for the behavioral sciences, chapter 2).
        """
        fewest = self.families + FEWEST_SIZES - 1
        for models in range(fewest, MOST_MODELS + 1):
            freedom = models - self.families - 1
            total = math.hypot(self.error * math.sqrt(self.models / models), error)
            edge = float(stdtrit(freedom, 1 - LEVEL / tests / 2))
            if total == 0 or 1 - float(nctdtr(freedom, abs(effect) / total, edge)) >= POWER:
                return models
        return None


@dataclass(frozen=True)
class ModelSizes:
    """What a number is compared over, the smallest first: the places of each one's runs, its number of parameters, and
    the number of its family.

    These are models, compared within their families, or where families have too few sizes the families themselves,
    each with the mean of its models, in one group. `words` says which.
    """

    models: list[list[int]]
    sizes: list[float]
    families: list[int]
    words: str

    @classmethod
    def of(cls, numbers: Numbers) -> "ModelSizes":
        """Raises CannotTell for fewer than four sizes that are at least 1.5 times apart, and where the families of
        several sizes have fewer than three steps from one size to the next."""
        found = _by_family(numbers)
        several = {name: models for name, models in found.items() if _distinct(models) > 1}
        if sum(_distinct(models) - 1 for models in several.values()) >= FEWEST_SIZES - 1:
            listed = sorted(
                (size, place, runs) for place, models in enumerate(several.values()) for size, runs in models
            )
            others = sum(map(len, found.values())) - len(listed)
            left_out = f", without {others} of other families" if others else ""
            words = f"{len(listed)} models of {', '.join(several)}{left_out}"
        else:
            together = [_as_one(models) for models in found.values()]
            listed = sorted((size, 0, runs) for size, runs in together)
            if (there := _distinct(together)) < FEWEST_SIZES:
                raise CannotTell(_lacking(there, several))
            of_several = any(len(models) > 1 for models in found.values())
            words = f"{len(listed)} {'families of models' if of_several else 'models'}"
        sizes = [size for size, _, _ in listed]
        ends = f"{sizes[0]:.3g} to {sizes[-1]:.3g} parameters"
        return cls([runs for _, _, runs in listed], sizes, [family for _, family, _ in listed], f"{ends}, {words}")

    @property
    def runs(self) -> list[int]:
        return [place for places in self.models for place in places]

    @property
    def slope(self) -> Array:
        """The weights that turn the models' numbers into the change from the smallest to the largest model."""
        return np.asarray(self._range * self._apart / (self._apart**2).sum())

    @property
    def tens(self) -> float:
        """How many times ten the largest model has of the smallest model's parameters."""
        return self._range / math.log(10)

    def of_models(self, values: Array, runs: Sequence[int]) -> Array:
        """The mean over each model's runs, models × (1 + articles), of values that are `runs` × (1 + articles)."""
        return np.stack([values[np.searchsorted(runs, places)].mean(axis=0) for places in self.models])

    def error(self, of_models: Array) -> ErrorOverModels:
        """The standard error of the change from the smallest to the largest model, by ordinary least squares.

        One degree of freedom goes to the slope, and one to each family.
        """
        values, families = self._within(of_models[:, 0]), len(set(self.families))
        left = values - self._apart * float(self._apart @ values) / float((self._apart**2).sum())
        residual = float((left**2).sum()) / (len(self.models) - families - 1)
        return ErrorOverModels(math.sqrt(residual * float((self.slope**2).sum())), len(self.models), families)

    @property
    def _range(self) -> float:
        return math.log(self.sizes[-1] / self.sizes[0])

    @property
    def _apart(self) -> Array:
        """The logarithms of the sizes less their family's mean."""
        return self._within(np.log(self.sizes))

    def _within(self, values: Array) -> Array:
        means = np.bincount(self.families, values) / np.bincount(self.families)
        return np.asarray(values - means[self.families])


Sized = tuple[float, list[int]]  # a model's parameters, and the places of its runs


def _by_family(numbers: Numbers) -> dict[str, list[Sized]]:
    """The models of known size."""
    by_model: dict[str, list[int]] = {}
    for place in numbers.written:
        if numbers.runs[place].size:
            by_model.setdefault(numbers.runs[place].identity, []).append(place)
    found: dict[str, list[Sized]] = {}
    for places in by_model.values():
        first = numbers.runs[places[0]]
        found.setdefault(family_of(first.model), []).append((float(first.size or 0), places))
    return found


def _distinct(models: Sequence[Sized]) -> int:
    """How many sizes there are, of which each is at least 1.5 times the one before."""
    kept: list[float] = []
    for size in sorted(size for size, _ in models):
        if not kept or size >= APART * kept[-1]:
            kept.append(size)
    return len(kept)


def _as_one(models: Sequence[Sized]) -> Sized:
    size = math.exp(sum(math.log(size) for size, _ in models) / len(models))
    return size, [place for _, places in models for place in places]


def _lacking(there: int, several: Mapping[str, Sequence[Sized]]) -> str:
    needs = f"needs runs of models of {FEWEST_SIZES} known sizes, each at least {APART:g} times the one before"
    are = f"{there} of them {'is' if there == 1 else 'are'} there"
    if not several:
        return f"{needs}; {are}"
    return (
        f"{needs}, in one family, or {FEWEST_SIZES - 1} steps from one size to the next in several families, or "
        f"{FEWEST_SIZES} families: of {', '.join(several)} there are too few sizes, and of families {there}"
    )
