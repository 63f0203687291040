"""Group runs by the value of one parameter, with all other parameters equal."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from flows.statements.numbers import Numbers, ReadRun

PENALTY = "penalty"
_PENALTIES = ("presence_penalty", "frequency_penalty")


class CannotTell(Exception):
    """The reason why a statement cannot be tested."""


@dataclass(frozen=True)
class Ladder:
    """The values of a parameter in ascending order, and the places of runs as values × combinations.

    A combination is a model with one choice of all other parameters, which has a run for every value.
    """

    parameter: str
    values: Sequence[float]
    places: NDArray[np.int64]

    @property
    def runs(self) -> list[int]:
        return [int(place) for place in np.unique(self.places)]

    @property
    def slope(self) -> NDArray[np.float64]:
        """The weights that turn the numbers at the values into their change from the first to the last value.

        The change is the slope on the values' ranks, times the number of values minus one.
        """
        ranks = np.arange(len(self.values)) - (len(self.values) - 1) / 2
        return np.asarray((len(ranks) - 1) * ranks / (ranks**2).sum())


def ladder(numbers: Numbers, parameter: str) -> Ladder:
    """Return the ladder of `top_p`, `top_k`, `temperature`, or the two penalties together.

    Raises CannotTell if there are no runs that differ in at least two values of the parameter and share all other
    choices.
    """
    by_choice: dict[tuple[object, ...], dict[float, int]] = {}
    for place in numbers.written:
        run = numbers.runs[place]
        if (value := value_of(run, parameter)) is not None:
            by_choice.setdefault(_others(run, parameter), {})[value] = place
    values = _values(list(by_choice.values()))
    whole = [choice for choice in by_choice.values() if choice.keys() >= set(values)]
    if len(values) < 2 or not whole:
        raise CannotTell(f"needs runs that differ in {_words(parameter)} and in nothing else")
    return Ladder(parameter, values, np.array([[choice[value] for choice in whole] for value in values]))


def _values(choices: Sequence[dict[float, int]]) -> list[float]:
    """Return the sorted values of the combination that has the most values."""
    return max((sorted(choice) for choice in choices), key=len, default=[])


def value_of(run: ReadRun, parameter: str) -> float | None:
    """Return the run's value of a parameter, or None if it has none.

    With top_k=0 all tokens are candidates, so it is the largest value. A run whose two penalties differ has no value on
    the ladder of both.
    """
    if parameter == PENALTY:
        presence, frequency = (run.parameters.get(name) for name in _PENALTIES)
        return float(presence) if presence is not None and presence == frequency else None
    value = run.parameters.get(parameter)
    return None if value is None else float("inf") if parameter == "top_k" and value == 0 else float(value)


def _others(run: ReadRun, parameter: str) -> tuple[object, ...]:
    left_out = _PENALTIES if parameter == PENALTY else (parameter,)
    parameters = sorted((name, value) for name, value in run.parameters.items() if name not in left_out)
    return run.identity, run.decoder.partition(":")[0], *parameters


def _words(parameter: str) -> str:
    return "presence and frequency penalty alike" if parameter == PENALTY else parameter


def value_words(value: float) -> str:
    return "off" if value == float("inf") else f"{value:g}"
