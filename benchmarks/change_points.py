"""Measure how often a true cutoff is found, how often a false one, and how often the interval contains the month.

    python benchmarks/change_points.py [--draws 2000] [--into docs/cutoff.md]

Every number comes from simulated articles of months with a known cutoff, through the product's own functions. A month
has 20 articles, whose values have a standard deviation of 1 within a month; the change is in that unit. With `--into`
the tables are written into that page, between its marks.
"""

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from page_tables import table, written_into

from evaluators.change_point import UNFINISHED, ChangePoint, change_point, monthly_means
from evaluators.statistics import LEVEL, Array

ARTICLES = 20


@dataclass(frozen=True)
class Months:
    """A design of months.

    `cutoff` is the last month that was seen, or None. `differ` is the standard deviation of the months' own means, and
    `persist` the correlation of such a mean with that of the month before.
    """

    words: str
    count: int = 16
    cutoff: int | None = None
    change: float = 0.0
    width: int = 1
    differ: float = 0.1
    persist: float = 0.0
    line: float = 0.0
    skewed: bool = False
    longer_from: int | None = None
    compared: str = "nothing"
    missing: tuple[int, ...] = ()

    @property
    def named(self) -> int:
        """The correct month: the last month with articles up to the cutoff."""
        return max(month for month in self.there if month <= (self.cutoff or 0))

    @property
    def there(self) -> list[int]:
        return [month for month in range(self.count) if month not in self.missing]

    def draw(self, random: np.random.Generator) -> tuple[Array, ...]:
        """Draw months, articles, values, the control's values, and lengths."""
        months = np.repeat(self.there, ARTICLES)
        own = random.normal(size=self.count)
        for month in range(1, self.count):
            own[month] = self.persist * own[month - 1] + np.sqrt(1 - self.persist**2) * own[month]
        size = len(months)
        values = (random.lognormal(size=size) - np.exp(0.5)) / 2.16 if self.skewed else random.normal(size=size)
        values += self.differ * own[months] + self.line * months
        if self.cutoff is not None:
            values -= self.change * np.clip((self.cutoff + 1 - months) / self.width, 0, 1)
        lengths = random.lognormal(6.5, 0.5, size)
        if self.longer_from is not None:
            lengths *= np.where(months >= self.longer_from, 0.5, 1.0)
        owed = -np.log(lengths)
        return months, np.arange(size), values + owed, random.normal(size=size) + owed, lengths


UNSEEN = (
    Months("8 months", count=8),
    Months("16 months"),
    Months("48 months", count=48),
    Months("months do not differ", differ=0.0),
    Months("months differ by as much as articles", differ=1.0),
    Months("a straight line", line=0.2),
    Months("skewed values", skewed=True),
    Months("a month is like the one before (0.5)", differ=0.3, persist=0.5),
    Months("length halves in a month", longer_from=8),
    Months("length halves in a month, control", longer_from=8, compared="control"),
    Months("length halves in a month, lengths given", longer_from=8, compared="lengths"),
)
SEEN = (
    Months("middle, change 0.5", cutoff=7, change=0.5, compared="lengths"),
    Months("middle, change 1", cutoff=7, change=1.0, compared="lengths"),
    Months("middle, change 2", cutoff=7, change=2.0, compared="lengths"),
    Months("second month, change 1", cutoff=1, change=1.0, compared="lengths"),
    Months("last but two, change 1", cutoff=13, change=1.0, compared="lengths"),
    Months("8 months, change 2", count=8, cutoff=3, change=2.0, compared="lengths"),
    Months("48 months, change 0.5", count=48, cutoff=30, change=0.5, compared="lengths"),
    Months("over 6 months, change 2", cutoff=9, change=2.0, width=6, compared="lengths"),
    Months("skewed values, change 1", cutoff=7, change=1.0, skewed=True, compared="lengths"),
    Months("months differ by 0.3, change 1", cutoff=7, change=1.0, differ=0.3, compared="lengths"),
    Months("first month, change 1", cutoff=0, change=1.0, compared="lengths"),
    Months("first month, change 2", cutoff=0, change=2.0, compared="lengths"),
    Months("last but one, change 2", cutoff=14, change=2.0, compared="lengths"),
    Months("over 6 months, two after the last, change 3", cutoff=17, change=3.0, width=6, compared="lengths"),
    Months("over 12 months, change 3", cutoff=11, change=3.0, width=12, compared="lengths"),
    Months("in a gap of 4 months, change 2", cutoff=8, change=2.0, missing=(6, 7, 8, 9), compared="lengths"),
    Months("every second month missing, change 2", cutoff=7, change=2.0, missing=tuple(range(1, 16, 2)),
           compared="lengths"),
    Months("3 months, change 2", count=3, cutoff=1, change=2.0, compared="lengths"),
    Months("6 months, change 2", count=6, cutoff=2, change=2.0, compared="lengths"),
)  # fmt: skip


def judged(design: Months, rows: tuple[Array, ...], seed: int) -> ChangePoint:
    months, articles, values, controls, lengths = rows
    more = {"control": (controls, None), "lengths": (None, lengths), "nothing": (None, None)}[design.compared]
    return change_point(monthly_means(months, articles, values, *more), seen_is_lower=True, seed=seed)


def verdicts(design: Months, draws: int) -> list[ChangePoint]:
    random = np.random.default_rng([design.count, draws])
    return [judged(design, design.draw(random), draw) for draw in range(draws)]


def unseen_table(draws: int) -> str:
    rows = []
    for design in UNSEEN:
        found = verdicts(design, draws)
        called = [sum(one.p <= LEVEL for one in found), sum(one.why is None for one in found)]
        rows.append([design.words, *(f"{count / draws:.3f}" for count in called)])
    return table(["nothing was seen", "p ≤ 0.05", "a month is named"], rows)


def seen_table(draws: int) -> str:
    rows = []
    for design in SEEN:
        made = verdicts(design, draws)
        named = [one for one in made if one.month is not None]
        spans = [span(one) for one in named]
        shares = [
            f"{np.mean([one.p <= LEVEL for one in made]):.3f}",
            f"{np.mean([one.why == UNFINISHED for one in made]):.3f}",
            f"{len(named) / draws:.3f}",
            _share([one.month == design.named for one in named]),
            _share([low <= (design.cutoff or 0) <= high for low, high in spans]),
            _share([one.low is None for one in named]),
        ]
        length = f"{np.median([high - low + 1 for low, high in spans]):g}" if spans else "–"
        rows.append([design.words, *shares, length])
    heads = [
        "a cutoff", "a change is found", "it may go on after the last month", "a month is named",
        "it is the right one", "the interval holds it", "the interval begins with the first month",
        "months in the interval",
    ]  # fmt: skip
    return table(heads, rows)


def span(one: ChangePoint) -> tuple[int, int]:
    """Return the interval of a found month; an interval that is open to earlier months begins with the first month."""
    assert one.high is not None
    return one.low or 0, one.high


def _share(held: list[bool]) -> str:
    return f"{np.mean(held):.3f}" if held else "–"


TABLES: dict[str, Callable[[int], str]] = {
    "unseen": unseen_table,
    "seen": seen_table,
}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=2_000, metavar="N", help="Of each row (%(default)s).")
    parser.add_argument("--into", type=Path, metavar="PAGE", help="Write the tables into it.")
    asked = parser.parse_args()
    made = {name: make(asked.draws) for name, make in TABLES.items()}
    for name, lines in made.items():
        print(f"\n{name}\n\n{lines}")
    if asked.into:
        asked.into.write_text(written_into(asked.into.read_text("utf-8"), "cutoff", made), "utf-8")
