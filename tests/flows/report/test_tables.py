"""How the report's tables stand: digits, and what fits beside each other."""

from flows.presenting.page_tables import ROOM, Cell, Row, blocks, together


def test_digits_are_those_of_all_rows_of_a_table() -> None:
    runs, articles = [Row({}, [Cell(0.5)])], [Row({}, [Cell(12.25)])]
    shown = [row.cells[0].shown for row in [row for group in together(runs, articles) for row in group]]
    assert [one.mean for one in shown if one] == ["0.5", "12.2"]


def test_columns_stand_in_blocks_that_fit_and_each_in_one() -> None:
    [row] = together([Row({}, [Cell(0.5, 0.1, 0.45, 0.55)] * 30)])[0]
    made = blocks(["metric"] * 30, [row])
    assert [place for block in made for place in block] == list(range(30))
    assert [len(block) for block in made] == [7, 7, 7, 7, 2]
    assert len(blocks(["metric"] * 30, [row], beside=60)[0]) < len(made[0])
    assert [*blocks(["m" * 2 * ROOM], [row])] == [range(1)]  # what is wider than the screen stands alone
