"""Look up units of measure by the codes of enwiki's Module:Convert; the table is `units.toml`."""

import functools
import re
import tomllib
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

_SCALED = re.compile(r"e(3|6|9|12|15)(?=\D)(.+)")
_WORDS = {3: "thousand", 6: "million", 9: "billion", 12: "trillion", 15: "quadrillion"}
_POWERS = {"2": "square", "3": "cubic"}


@dataclass(frozen=True)
class Unit:
    """The text after a number: a symbol, or a singular or plural name; `scale` is the power of ten of `e6acre`."""

    symbol: str
    singular: str
    plural: str
    scale: int = 0

    @property
    def scale_word(self) -> str:
        return _WORDS.get(self.scale, "")


@functools.cache
def find_unit(code: str) -> Unit | None:
    """Return the unit with this code; None if the code is unknown."""
    if scaled := _SCALED.fullmatch(code):
        unit = find_unit(scaled[2])
        return unit and Unit(unit.symbol, unit.singular, unit.plural, int(scaled[1]))
    return _plain(code) or _rate(code)


def may_follow(larger: str, smaller: str) -> bool:
    """Tell whether a measure may continue in the second unit, as feet do in inches."""
    aliases = _table()["aliases"]
    return aliases.get(smaller, smaller) in _table()["divided"].get(aliases.get(larger, larger), [])


def _plain(code: str) -> Unit | None:
    table = _table()
    code = table["aliases"].get(code, code)
    if symbol := table["symbols"].get(code):
        return Unit(symbol, symbol, symbol)
    row = table["units"].get(code) or _prefixed(code)
    if row is None:
        return None
    symbol, singular, plural = row if len(row) == 3 else (*row, f"{row[1]}s")
    return Unit(symbol or plural, singular, plural)


def _prefixed(code: str) -> list[str] | None:
    """Build the row of `km2`: km², square kilometre."""
    for base, (symbol, name, *plural) in _table()["prefixed"].items():
        prefix = code.removesuffix(base)
        if code != f"{prefix}{base}" or (prefix and prefix not in _table()["prefixes"]):
            continue
        power = f"{_POWERS[base[-1]]} " if base[-1] in _POWERS else ""
        word = _table()["prefixes"].get(prefix, "")
        shown = "μ" if word == "micro" else prefix
        return [f"{shown}{symbol}", *(f"{power}{word}{each}" for each in (name, *plural))]
    return None


def _rate(code: str) -> Unit | None:
    """Read `kg/m3` as kilogram per cubic metre, and `/sqmi` as per square mile."""
    above, slash, below = code.rpartition("/")
    divisor = _plain(below) if slash else None
    divided = _plain(above) if above else Unit("", "", "")
    if divisor is None or divided is None:
        return None
    per = f"per {divisor.singular}"
    return Unit(
        f"{divided.symbol}/{divisor.symbol}", f"{divided.singular} {per}".strip(), f"{divided.plural} {per}".strip()
    )


@functools.cache
def _table() -> dict[str, dict[str, Any]]:
    return tomllib.loads((files(__package__) / "units.toml").read_text("utf-8"))
