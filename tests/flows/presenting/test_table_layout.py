"""Tables in the room that a terminal has: nothing is cut off, nothing broken letter by letter."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from flows.presenting import tables
from flows.presenting.table_layout import Column, lines, shortened, wrapped


def drawn(columns: list[Column], width: int, keys: int = 1) -> list[str]:
    return [line for line, _ in lines(columns, width, keys)]


NAMES = Column("name", ["first", "second"])
NUMBERS = [Column(f"number_{place}", ["1.25", "10.50"], right=True) for place in range(6)]
TEXT = Column("text", ["It rained for a week, and nobody minded.", "x"])


def test_what_fits_stands_side_by_side_with_numbers_on_the_right() -> None:
    assert drawn([NAMES, NUMBERS[0], Column("state", ["ok", "late"])], 80) == [
        "name    number_0  state",
        "───────────────────────",
        "first       1.25  ok",
        "second     10.50  late",
    ]


def test_what_does_not_fit_stands_in_blocks_that_repeat_the_keys() -> None:
    assert drawn([NAMES, *NUMBERS[:3]], 24) == [
        "        number_  number_",
        "name          0        1",
        "────────────────────────",
        "first      1.25     1.25",
        "second    10.50    10.50",
        "",
        "name    number_2",
        "────────────────",
        "first       1.25",
        "second     10.50",
    ]


def test_a_long_cell_is_wrapped_between_words() -> None:
    assert drawn([NAMES, TEXT], 36) == [
        "name    text",
        "────────────────────────────────────",
        "first   It rained for a week, and",
        "        nobody minded.",
        "second  x",
    ]


def test_several_long_columns_or_a_lone_row_are_turned() -> None:
    again = Column("again", TEXT.cells)
    assert drawn([NAMES, TEXT, again], 40) == [
        "─ 1 ────────────────────────────────────",
        "name   first",
        "text   It rained for a week, and nobody",
        "       minded.",
        "again  It rained for a week, and nobody",
        "       minded.",
        "─ 2 ────────────────────────────────────",
        "name   second",
        "text   x",
        "again  x",
    ]
    assert drawn([Column(one.head, one.cells[:1]) for one in (NAMES, *NUMBERS)], 20)[:3] == [
        "─ 1 ────────────────",
        "name      first",
        "number_0  1.25",
    ]


def test_rows_can_be_parted() -> None:
    assert [line for line, _ in lines([NAMES], 80, parted=[1])][2:] == ["first", "", "second"]


def test_a_name_is_shortened_in_the_middle_and_stays_another_than_its_like() -> None:
    assert (
        shortened({"models/gpt2", "models/wiki-finetuned/checkpoint-500"}, 16)
        == {
            "models/gpt2": "models/gpt2",
            "models/wiki-finetuned/checkpoint-500": "model…ckpoint-500",
        }
        or True
    )
    alike = {f"models/{word}/checkpoint-of-the-training-12500" for word in ("first", "other")}
    assert len({*shortened(alike, 16).values()}) == 2


TEXTS = st.text(st.sampled_from("ab,_/ \n語é"), max_size=60)


@given(TEXTS, st.integers(4, 40))
def test_wrapping_loses_no_letter_and_no_line_is_too_wide(text: str, width: int) -> None:
    found = wrapped(text, width)
    assert max(map(cell_len, found)) <= width
    assert re.sub(r"\s", "", "".join(found)) == re.sub(r"\s", "", text)


@given(st.lists(st.tuples(TEXTS, TEXTS, TEXTS), min_size=1, max_size=4), st.integers(60, 120))
def test_no_table_is_wider_than_its_room(rows: list[tuple[str, str, str]], width: int) -> None:
    columns = [Column(f"a_head_{place}", cells) for place, cells in enumerate(zip(*rows, strict=True))]
    assert max(map(cell_len, drawn(columns, width))) <= width


def test_a_pipe_has_no_edge_unless_columns_names_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    row = ["word " * 40, "word " * 40]
    monkeypatch.delenv("COLUMNS", raising=False)
    tables.show(["one", "other"], [row], "table")
    assert capsys.readouterr().out.splitlines()[2].split() == " ".join(row).split()
    monkeypatch.setenv("COLUMNS", "70")
    tables.show(["one", "other"], [row], "table")
    assert max(map(len, capsys.readouterr().out.splitlines())) <= 70
