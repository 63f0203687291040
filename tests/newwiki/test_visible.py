"""What a terminal would obey is shown, and what people write stays."""

import pytest
from hypothesis import given
from hypothesis import strategies as some

from newwiki.visible import visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred", "\\u001b[31mred"),
        ("\x9b31mred", "\\u009b31mred"),  # the same in one character of C1
        ("\x1b]0;title\x07", "\\u001b]0;title\\u0007"),
        ("over\rwritten", "over\\u000dwritten"),
        ("a\x00b\x7f", "a\\u0000b\\u007f"),
        ("evil\u202egpj.exe", "evil\\u202egpj.exe"),
        ("two\nlines\tand a tab", "two\nlines\tand a tab"),
        ("Zürich, 東京, القاهرة, 👩‍🚀", "Zürich, 東京, القاهرة, 👩‍🚀"),
    ],
)
def test_control_characters_are_written_out(text: str, shown: str) -> None:
    assert visible(text) == shown


@given(some.text())
def test_nothing_is_left_that_a_terminal_obeys(text: str) -> None:
    left = {ord(letter) for letter in visible(text)} - {ord("\n"), ord("\t")}
    assert not left & {*range(32), *range(127, 160)}
    assert visible(visible(text)) == visible(text)
