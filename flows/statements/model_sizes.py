"""Measure how a number changes with model size, with an error that generalizes over models.

A statement such as "the larger the model, the higher the score" is about models, so models are its units: two models
cannot support it, however many articles there are. The change is the slope of a regression of the models' numbers on
the logarithm of their parameters. Each model has a random effect, which is its scatter around the line. Its family
(Pythia, OPT, Qwen3) is a factor. Sizes are therefore compared within families, and properties of a family, such as its
training data, are not mistaken for an effect of size. If families have too few sizes, families are the units, because
two models of one family are not independent.
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
APART = 1.5  # sizes whose ratio is smaller count as one size
MOST_MODELS = 1_000

_NUMBER = re.compile(r"\d+(?:[.p]\d+)?[mbt]\d?", re.IGNORECASE)  # such as 70m, 1.4b, 1b4
_WORDS = frozenset({"nano", "tiny", "mini", "small", "medium", "base", "large", "xl", "xxl"})


def family_of(model: str) -> str:
    """Return a model's family: the last part of its path or hub id without the parts that state its size.

    `EleutherAI/pythia-160m-deduped` belongs to `pythia-deduped`, `gpt2-xl` to `gpt2`, and `distilgpt2` to its own
    family.
    """
    parts = [part for part in re.split(r"[-_ ]", PurePath(model).name.lower().split(" (")[0]) if part]
    numbered = any(_NUMBER.fullmatch(part) for part in parts)
    sized: Callable[[str], object] = _NUMBER.fullmatch if numbered else _WORDS.__contains__
    return "-".join(part for part in parts if not sized(part)) or model


@dataclass(frozen=True)
class ErrorOverModels:
    """The standard error of a slope over `models` models of `families` families, with its degrees of freedom."""

    error: float
    models: int
    families: int

    @property
    def freedom(self) -> int:
        return self.models - self.families - 1

    def models_needed(self, effect: float, error: float, tests: int) -> int | None:
        """Return the smallest number of models that shows an effect of this size with a power of 80 %.

        `tests` is the number of tests to correct for. The models' sizes are assumed to be spread like the sizes of
        these models, with the same number of families and the same scatter. `error` is the error over articles, which
        stays the same. Return None if `MOST_MODELS` are too few. The power is that of the two-sided t test (Cohen 1988,
        Statistical power analysis for the behavioral sciences, chapter 2).
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
    """The units over which a number is compared, the smallest first.

    `models` has the places of each unit's runs, `sizes` its number of parameters, and `families` the number of its
    family. The units are models, compared within their families. If families have too few sizes, the units are the
    families themselves, each with the mean of its models, in one group. `words` describes the units.
    """

    models: list[list[int]]
    sizes: list[float]
    families: list[int]
    words: str

    @classmethod
    def of(cls, numbers: Numbers) -> "ModelSizes":
        """Choose the units for these numbers.

        Raises CannotTell if families with several sizes have fewer than three steps between sizes, and there are also
        fewer than four family sizes that are at least 1.5 times apart.
        """
        by_family = _by_family(numbers)
        several = {name: models for name, models in by_family.items() if _distinct(models) > 1}
        if sum(_distinct(models) - 1 for models in several.values()) >= FEWEST_SIZES - 1:
            listed = sorted(
                (size, place, runs) for place, models in enumerate(several.values()) for size, runs in models
            )
            others = sum(map(len, by_family.values())) - len(listed)
            left_out = f", without {others} of other families" if others else ""
            words = f"{len(listed)} models of {', '.join(several)}{left_out}"
        else:
            together = [_as_one(models) for models in by_family.values()]
            listed = sorted((size, 0, runs) for size, runs in together)
            if (distinct := _distinct(together)) < FEWEST_SIZES:
                raise CannotTell(_lacking(distinct, several))
            are_families = any(len(models) > 1 for models in by_family.values())
            words = f"{len(listed)} {'families of models' if are_families else 'models'}"
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
        """The base-10 logarithm of the ratio between the largest and the smallest model's parameters."""
        return self._range / math.log(10)

    def of_models(self, values: Array, runs: Sequence[int]) -> Array:
        """Average `values`, `runs` × (1 + articles), over each model's runs; the result is models × (1 + articles)."""
        return np.stack([values[np.searchsorted(runs, places)].mean(axis=0) for places in self.models])

    def error(self, model_values: Array) -> ErrorOverModels:
        """Return the standard error of the change from the smallest to the largest model, by ordinary least squares.

        The slope and each family use one degree of freedom.
        """
        values, families = self._within(model_values[:, 0]), len(set(self.families))
        left = values - self._apart * float(self._apart @ values) / float((self._apart**2).sum())
        residual = float((left**2).sum()) / (len(self.models) - families - 1)
        return ErrorOverModels(math.sqrt(residual * float((self.slope**2).sum())), len(self.models), families)

    @property
    def _range(self) -> float:
        return math.log(self.sizes[-1] / self.sizes[0])

    @property
    def _apart(self) -> Array:
        """The logarithms of the sizes minus the mean of their family."""
        return self._within(np.log(self.sizes))

    def _within(self, values: Array) -> Array:
        means = np.bincount(self.families, values) / np.bincount(self.families)
        return np.asarray(values - means[self.families])


Sized = tuple[float, list[int]]  # a model's parameters, and the places of its runs


def _by_family(numbers: Numbers) -> dict[str, list[Sized]]:
    """Return the models of known size by family."""
    by_model: dict[str, list[int]] = {}
    for place in numbers.written:
        if numbers.runs[place].size:
            by_model.setdefault(numbers.runs[place].identity, []).append(place)
    by_family: dict[str, list[Sized]] = {}
    for places in by_model.values():
        first = numbers.runs[places[0]]
        by_family.setdefault(family_of(first.model), []).append((float(first.size or 0), places))
    return by_family


def _distinct(models: Sequence[Sized]) -> int:
    """Return the number of distinct sizes, each at least 1.5 times the size before."""
    sizes: list[float] = []
    for size in sorted(size for size, _ in models):
        if not sizes or size >= APART * sizes[-1]:
            sizes.append(size)
    return len(sizes)


def _as_one(models: Sequence[Sized]) -> Sized:
    size = math.exp(sum(math.log(size) for size, _ in models) / len(models))
    return size, [place for _, places in models for place in places]


def _lacking(distinct: int, several: Mapping[str, Sequence[Sized]]) -> str:
    needs = f"needs runs of models of {FEWEST_SIZES} known sizes, each at least {APART:g} times the one before"
    are = f"{distinct} of them {'is' if distinct == 1 else 'are'} there"
    if not several:
        return f"{needs}; {are}"
    return (
        f"{needs}, in one family, or {FEWEST_SIZES - 1} steps from one size to the next in several families, or "
        f"{FEWEST_SIZES} families: of {', '.join(several)} there are too few sizes, and of families {distinct}"
    )
