"""The kinds of verdict that the product gives, and the units that each generalizes over.

A verdict on drawn units says something of units that were not drawn: of other prompts, models or months. Which units
these are is declared once, beside the rows or the function that gives the verdict, and every page and answer takes it
from there. `benchmarks/verdict_units.py` simulates a null at that unit for each kind, and a test fails where a kind has
no declaration or no null.
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
    """Verdicts of one kind: `units` are what varies in its errors, `over` names them in words, and `counted` is the
    column of a row, or else of a run, that counts them.

    `given` is what the verdict takes as it is and says nothing beyond: these models, decoders, seeds, judges. `family`
    names the tests of which any is wrong in at most 5 of 100 cases.
    """

    name: str
    units: tuple[Unit, ...]
    over: str
    given: str
    family: str
    counted: str

    @property
    def sentence(self) -> str:
        """What a reader must know of every verdict of this kind."""
        return (
            f"verdicts generalize over {self.over}, and are about these {self.given} only; at most 5 of 100 cases have "
            f"a wrong verdict among {self.family}"
        )


def gives_verdicts(
    name: str, *units: Unit, given: str, family: str, over: str | None = None, counted: str | None = None
) -> Callable[[T], T]:
    """Declare the units of the verdicts that rows of a class hold, or that a function gives.

    `name` is that of the table where there is one; `counted` is the first of the units unless it is said. Raises
    ValueError for a name that is taken.
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
    """The kinds of all modules that are imported, by name."""
    return _DECLARED


def kind_of(target: object) -> VerdictKind | None:
    """The kind of verdict that a row, its class or a function gives; None where it gives none."""
    return getattr(target, _ATTRIBUTE, None)


def kinds_of(tables: Iterable[Iterable[object]]) -> list[VerdictKind]:
    """The kinds of verdict in an answer's tables, each once, in the order of the tables."""
    firsts = (next(iter(rows), None) for rows in tables)
    return list(dict.fromkeys(kind for row in firsts if (kind := kind_of(row))))
