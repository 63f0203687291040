"""Neutralized cells run no formula and come back unchanged."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newwiki.spreadsheet_cells import neutralized, restored

_CELLS = st.text(max_size=20) | st.text("'=+-@\t\r\n a1", max_size=8)


@given(_CELLS)
def test_neutralized_cell_begins_with_no_formula_character_and_is_restored(cell: str) -> None:
    sent = neutralized(cell)
    assert sent[:1] not in ("=", "+", "-", "@", "\t", "\r")
    assert restored(sent) == cell


@pytest.mark.parametrize(
    ("cell", "sent"),
    [
        ("=1+1", "'=1+1"),
        ("+49", "'+49"),
        ("-2", "'-2"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("\t=1", "'\t=1"),
        ("\r=1", "'\r=1"),
        ("'=1", "''=1"),
        ("''-x", "'''-x"),
        ("'tis", "'tis"),
        ("a=1", "a=1"),
        ("", ""),
        ("'", "'"),
    ],
)
def test_only_cells_that_could_be_formulas_get_an_apostrophe(cell: str, sent: str) -> None:
    assert (neutralized(cell), restored(sent)) == (sent, cell)


@given(_CELLS.filter(lambda cell: not cell.startswith("'")))
def test_cell_that_was_never_neutralized_is_restored_as_it_is(cell: str) -> None:
    assert restored(cell) == cell
