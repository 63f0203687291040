"""The kinds of verdict, and the units that each kind generalizes over.

A verdict on a sample of units generalizes to other units of the population: other prompts, models or months. The
declaration is next to the rows or the function that gives the verdict, and every page and answer reads it from that
place. `benchmarks/verdict_units.py` simulates a null hypothesis at that unit for each kind. A test fails if a kind has
no declaration or no null hypothesis.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

Unit = Literal["articles", "prompts", "models", "months", "seeds", "settings"]
T = TypeVar("T", bound=Callable[..., Any])

_DECLARED: dict[str, "VerdictKind"] = {}
_ATTRIBUTE = "__verdict_kind__"


@dataclass(frozen=True, kw_only=True)
class VerdictKind:
    """A kind of verdict.

    - `units`: the sources of variation in the verdict's errors
    - `over`: the same units in words
    - `counted`: the column of a row, or of a run, that counts the units
    - `given`: the fixed conditions beyond which the verdict says nothing, such as models, decoders, seeds or judges
    - `family`: the tests among which at most 5 of 100 cases have any wrong verdict
    """

    name: str
    units: tuple[Unit, ...]
    over: str
    given: str
    family: str
    counted: str

    @property
    def sentence(self) -> str:
        """The caveat that applies to every verdict of this kind."""
        return (
            f"verdicts generalize over {self.over}, and are about these {self.given} only; at most 5 of 100 cases have "
            f"a wrong verdict among {self.family}"
        )


def gives_verdicts(
    name: str, *units: Unit, given: str, family: str, over: str | None = None, counted: str | None = None
) -> Callable[[T], T]:
    """Declare the units of the verdicts in the rows of a class, or in the results of a function.

    `name` is the name of the table, if there is a table. `counted` defaults to the first unit. Raises ValueError for a
    name that is already declared.
    """
    kind = VerdictKind(
        name=name,
        units=units,
        over=over or " and ".join(units),
        given=given,
        family=family,
        counted=counted or units[0],
    )

    def declare(target: T) -> T:
        if name in _DECLARED:
            raise ValueError(f"two kinds of verdict have the name {name}")
        _DECLARED[name] = kind
        setattr(target, _ATTRIBUTE, kind)
        return target

    return declare


def declared() -> Mapping[str, VerdictKind]:
    """Return the kinds of all imported modules by name."""
    return _DECLARED


def kind_of(target: object) -> VerdictKind | None:
    """Return the kind of verdict of a row, its class or a function, or None for an object without verdicts."""
    return getattr(target, _ATTRIBUTE, None)


def kinds_of(tables: Iterable[Iterable[object]]) -> list[VerdictKind]:
    """Return the distinct kinds of verdict in an answer's tables, in the order of the tables."""
    firsts = (next(iter(rows), None) for rows in tables)
    return list(dict.fromkeys(kind for row in firsts if (kind := kind_of(row))))
