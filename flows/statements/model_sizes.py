"""How a number changes with the size of models, and how sure that is of models in general.

A statement such as "the larger the model, the higher the score" is about models, so models are its units: however many
articles there are, two models cannot support it. The change is the slope of an ordinary regression of the models'
numbers on the logarithm of their parameters; its error is that of models scattering around the line.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from flows.statements.numbers import Numbers
from flows.statements.settings import CannotTell

Array = NDArray[np.float64]

FEWEST_SIZES = 4
APART = 1.5  # sizes nearer to each other than this ratio count as one


@dataclass(frozen=True)
class ErrorOverModels:
    """The standard error of a slope over models, with its degrees of freedom."""

    error: float
    freedom: int


@dataclass(frozen=True)
class ModelSizes:
    """The models of known size, the smallest first: the places of each one's runs, and its number of parameters."""

    models: list[list[int]]
    sizes: list[float]

    @classmethod
    def of(cls, numbers: Numbers) -> "ModelSizes":
        """Raises CannotTell for fewer than four sizes that are at least 1.5 times apart."""
        by_model: dict[str, list[int]] = {}
        for place in numbers.written:
            if numbers.runs[place].size:
                by_model.setdefault(numbers.runs[place].identity, []).append(place)
        listed = sorted((float(numbers.runs[places[0]].size or 0), places) for places in by_model.values())
        distinct: list[float] = []
        for size, _ in listed:
            if not distinct or size >= APART * distinct[-1]:
                distinct.append(size)
        if len(distinct) < FEWEST_SIZES:
            raise CannotTell(
                f"needs runs of models of {FEWEST_SIZES} known sizes, each at least {APART:g} times the one before; "
                f"{len(distinct)} of them {'is' if len(distinct) == 1 else 'are'} there"
            )
        return cls([places for _, places in listed], [size for size, _ in listed])

    @property
    def runs(self) -> list[int]:
        return [place for places in self.models for place in places]

    @property
    def slope(self) -> Array:
        """The weights that turn the models' numbers into the change from the smallest to the largest model."""
        logs = np.log(self.sizes)
        apart = logs - logs.mean()
        return np.asarray((logs[-1] - logs[0]) * apart / (apart**2).sum())

    @property
    def words(self) -> str:
        return f"{self.sizes[0]:.3g} to {self.sizes[-1]:.3g} parameters, {len(self.models)} models"

    def of_models(self, values: Array, runs: Sequence[int]) -> Array:
        """The mean over each model's runs, models × (1 + articles), of values that are `runs` × (1 + articles)."""
        return np.stack([values[np.searchsorted(runs, places)].mean(axis=0) for places in self.models])

    def error(self, of_models: Array) -> ErrorOverModels:
        """The standard error of the change from the smallest to the largest model, by ordinary least squares.

        Two degrees of freedom go to the line.
        """
        values, logs, freedom = of_models[:, 0], np.log(self.sizes), len(self.models) - 2
        line = np.polynomial.Polynomial.fit(logs, values, 1)
        residual = float(((values - line(logs)) ** 2).sum()) / freedom
        return ErrorOverModels(math.sqrt(residual * float((self.slope**2).sum())), freedom)
