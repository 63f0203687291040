"""Charts as SVG: their palette, the signs of a page's series, and how a browser sees them."""

import re
from itertools import combinations, product
from pathlib import Path

import altair
import numpy as np
import pytest

from flows.presenting.charts import GREY, MOST_SERIES, PALETTE, PageSigns, svg
from tests.browser import chromium, watched

ROOT = Path(__file__).parents[3]
STYLES = (
    "flows/report/templates/report.css",
    "flows/report/browser/static/style.css",
    "flows/report/judging_page/static/judging.css",
)
# Machado, Oliveira and Fernandes (2009), severity 1: protanopia, deuteranopia, tritanopia; linear RGB
BLINDNESSES = {
    "none": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "tritanopia": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}


def linear(color: str) -> np.ndarray:
    digits = color[1:] if len(color) == 7 else "".join(digit * 2 for digit in color[1:])
    channels = np.array([int(digits[place : place + 2], 16) for place in (0, 2, 4)]) / 255
    return np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)


def contrast(one: str, other: str) -> float:
    """WCAG 2.2: the ratio of the relative luminances."""
    darker, lighter = sorted(linear(color) @ (0.2126, 0.7152, 0.0722) + 0.05 for color in (one, other))
    return float(lighter / darker)


def backgrounds() -> set[str]:
    """The backgrounds that pages put charts on, light and dark."""
    found = {
        color
        for style in STYLES
        for color in re.findall(r"--(?:paper|card|raised): (#[0-9a-f]{3,6});", (ROOT / style).read_text())
    }
    assert len(found) > 3
    return found


@pytest.mark.parametrize("color", [*PALETTE, GREY])
def test_a_color_stands_out_from_every_background(color: str) -> None:
    assert {paper: ratio for paper in backgrounds() if (ratio := contrast(color, paper)) < 3} == {}


@pytest.mark.parametrize("blindness", BLINDNESSES)
def test_colors_are_told_apart_under_color_blindness(blindness: str) -> None:
    seen = [BLINDNESSES[blindness] @ linear(color) for color in PALETTE]
    distances = [np.linalg.norm(oklab(one) - oklab(other)) for one, other in combinations(seen, 2)]
    assert min(distances) > 0.07


def oklab(channels: np.ndarray) -> np.ndarray:
    """Ottosson (2020), from linear RGB."""
    cones = np.array(
        [
            [0.4122214708, 0.5363325363, 0.0514459929],
            [0.2119034982, 0.6806995451, 0.1073969566],
            [0.0883024619, 0.2817188376, 0.6299787005],
        ]
    )
    axes = np.array(
        [
            [0.2104542553, 0.7936177850, -0.0040720468],
            [1.9779984951, -2.4285922050, 0.4505937099],
            [0.0259040371, 0.7827717662, -0.8086757660],
        ]
    )
    return np.array(axes @ np.cbrt(cones @ np.clip(channels, 0, 1)))


def test_a_model_has_one_color_on_a_page_and_its_series_have_shapes_of_their_own() -> None:
    page = PageSigns(["gpt2", "opt"])
    signs = {
        (model, series): page.of(model, series) for model, series in product(("opt", "gpt2"), ("", "greedy", "beam"))
    }
    assert {model: {sign.color for (name, _), sign in signs.items() if name == model} for model in ("gpt2", "opt")} == {
        "gpt2": {PALETTE[0]},
        "opt": {PALETTE[1]},
    }
    assert len({(sign.color, sign.shape) for sign in signs.values()}) == len(signs)
    assert page.of("gpt2", "beam") == signs["gpt2", "beam"]


def test_a_model_of_two_names_has_one_color() -> None:
    page = PageSigns(["opt", "gpt2"], {"/models/gpt2": "gpt2"})
    assert page.of("/models/gpt2").color == page.of("gpt2", "greedy").color == PALETTE[1]


def test_on_a_page_with_one_model_colors_tell_its_series_apart() -> None:
    page = PageSigns(["gpt2"])
    assert len({page.of("gpt2", series).color for series in "abcdef"}) == MOST_SERIES


def test_more_models_than_colors_differ_in_shape() -> None:
    page = PageSigns()
    signs = [page.of(str(model)) for model in range(2 * MOST_SERIES)]
    assert len({(sign.color, sign.shape) for sign in signs}) == len(signs)


@pytest.mark.slow
def test_the_ink_is_the_colour_of_the_page_and_the_label_is_only_text() -> None:
    points = altair.Data(values=[{"top_p": 0.5, "sbert": 0.6}, {"top_p": 0.9, "sbert": 0.7}])
    chart = altair.Chart(points).mark_line().encode(x="top_p:Q", y="sbert:Q")
    drawn = svg(chart, 'S-BERT by top_p "><script>console.error(1)</script>')
    with chromium() as browser, watched(browser, allowed="about:") as page:
        page.set_content(f'<body style="background: #111; color: rgb(1, 200, 3)">{drawn}')
        image = page.get_by_role("img")
        assert image.get_attribute("aria-label") == 'S-BERT by top_p "><script>console.error(1)</script>'
        ink = "element => getComputedStyle(element).fill"
        assert image.get_by_text("sbert").evaluate(ink) == "rgb(1, 200, 3)"
