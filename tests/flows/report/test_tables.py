"""How the report's tables stand: digits, and what fits beside each other."""

from dataclasses import dataclass, replace

from flows.report.aligned import Numerals, numerals
from flows.report.blocks import ROOM, blocks
from flows.report.paper_tables import Cell, Row, together


@dataclass(frozen=True)
class Number:
    mean: float | None
    sd: float | None = None
    low: float | None = None
    high: float | None = None


def test_the_numbers_of_a_column_have_the_same_digits_and_their_points_below_each_other() -> None:
    shown = numerals([Number(9.876, 1.2, 9.5, 10.5), Number(-12.04, 11.25, -13, -11), Number(None), Number(4.0)])
    assert [one and replace(one, sd=seen(one.sd), interval=seen(one.interval)) for one in shown] == [
        Numerals("9.9", "± _1.2", "[__9.5, _10.5]"),
        Numerals("−12.0", "± 11.2", "[−13.0, −11.0]"),
        None,
        Numerals("4.0", "_____", ""),
    ]


def seen(text: str) -> str:
    """With a mark for each blank that is as wide as a digit."""
    return text.replace("\u2007", "_")


def test_digits_are_those_of_all_rows_of_a_table() -> None:
    runs, articles = [Row({}, [Cell(0.5)])], [Row({}, [Cell(12.25)])]
    shown = [row.cells[0].shown for row in [row for group in together(runs, articles) for row in group]]
    assert [one.mean for one in shown if one] == ["0.5", "12.2"]


def test_columns_stand_in_blocks_that_fit_and_each_in_one() -> None:
    [row] = together([Row({}, [Cell(0.5, 0.1, 0.45, 0.55)] * 30)])[0]
    made = blocks(["metric"] * 30, [row])
    assert [place for block in made for place in block] == list(range(30))
    assert [len(block) for block in made] == [10, 10, 10]
    assert len(blocks(["metric"] * 30, [row], beside=60)[0]) < len(made[0])
    assert [*blocks(["m" * 2 * ROOM], [row])] == [range(1)]  # what is wider than the screen stands alone
