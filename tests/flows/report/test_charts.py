"""Charts as SVG, seen as a browser sees them."""

import altair
import pytest

from flows.charts import svg
from tests.browser import chromium, watched


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
