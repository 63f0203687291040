"""How numbers look: digits by scale, signs, intervals, p values and columns."""

from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from flows.presenting.numbers import (
    AlignedNumber,
    align,
    counted,
    decimals,
    digits,
    estimate,
    fixed,
    p_value,
    percent,
    signed,
)

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize(
    ("number", "shown"),
    [
        (12.345, "12.3"),
        (1234.5, "1,234.5"),
        (0.12345, "0.123"),
        (0.0034, "0.0034"),
        (-0.00034, "−0.00034"),
        (0.0000012, "0.000001"),
        (1e-9, "0.000"),
        (0.0, "0.000"),
        (-0.5, "−0.500"),
        (None, "–"),
    ],
)
def test_digits_follow_the_scale_of_the_number(number: float | None, shown: str) -> None:
    assert digits(number) == shown


def test_an_interval_has_the_digits_of_its_number() -> None:
    assert [digits(end, 12.0) for end in (9.0, 13.25)] == ["9.0", "13.2"]


def test_a_rounded_zero_has_no_minus() -> None:
    assert fixed(-0.0001, 2) == "0.00"
    assert fixed(-0.0001, 2, signed=True) == "+0.00"


def test_a_number_without_an_interval_says_why() -> None:
    assert estimate(0.25, -0.125, 0.5) == "0.250 [−0.125, 0.500]"
    assert estimate(0.25, None, None, lacking="too few prompts") == "0.250 [too few prompts]"
    assert estimate(-0.25, None, None, signed) == "−0.250"
    assert estimate(None, None, None) == "–"


def test_p_values_shares_and_counts() -> None:
    assert [p_value(p) for p in (0.0004, 0.04, None)] == ["< 0.001", "0.040", "–"]
    assert [percent(0.4126), percent(0.4126, 0), percent(None)] == ["41.3%", "41%", "–"]
    assert [counted(1, "prompt"), counted(1200, "prompt")] == ["1 prompt", "1,200 prompts"]


@dataclass(frozen=True)
class Number:
    mean: float | None
    sd: float | None = None
    low: float | None = None
    high: float | None = None


def test_the_numbers_of_a_column_have_the_same_digits_and_their_points_line_up() -> None:
    shown = align([Number(9.876, 1.2, 9.5, 10.5), Number(-12.04, 11.25, -13, -11), Number(None), Number(4.0)])
    assert [one and replace(one, sd=marked(one.sd), interval=marked(one.interval)) for one in shown] == [
        AlignedNumber("9.9", "_1.2", "[__9.5, _10.5]"),
        AlignedNumber("−12.0", "11.2", "[−13.0, −11.0]"),
        None,
        AlignedNumber("4.0", "", ""),
    ]


def marked(text: str) -> str:
    """Replace each blank that is as wide as a digit by an underscore."""
    return text.replace("\u2007", "_")


@pytest.mark.parametrize(("arms", "places"), [([0.01], 3), ([0.0004], 4), ([1e-9], 3), ([1e-9, 0.0004], 4)])
def test_rounding_of_a_computation_asks_for_no_decimals(arms: list[float], places: int) -> None:
    """S-BERT of an article beside itself is 1 but for the last bits."""
    assert decimals([1.0, 0.53], arms) == places


def test_the_sign_of_plus_or_minus_stands_for_an_interval_only() -> None:
    """Standard deviations and errors have a column of their own: no other file of what people read has the sign."""
    files = [file for kind in ("*.py", "*.html", "*.js") for file in (ROOT / "flows").rglob(kind)]
    assert {file.name for file in files if "±" in file.read_text("utf-8")} == {"show_board.py"}
