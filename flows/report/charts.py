"""A chart as SVG that stands in a page: its text and axes take the page's colour, so it is legible light and dark."""

from typing import TYPE_CHECKING

from markupsafe import Markup

if TYPE_CHECKING:
    import altair

_INK, _FONT = "currentColor", "system-ui, sans-serif"
# Okabe and Ito's colours without black and yellow: told apart by the colour-blind too, on white and on near-black.
PALETTE = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9")
_CONFIG = {
    "aria": False,  # the label speaks for the whole
    "background": None,
    "font": _FONT,
    "view": {"stroke": None},
    "axis": {
        "labelColor": _INK,
        "titleColor": _INK,
        "tickColor": _INK,
        "domainColor": _INK,
        "gridColor": _INK,
        "gridOpacity": 0.15,
    },
    "legend": {"labelColor": _INK, "titleColor": _INK},
    "header": {"labelColor": _INK, "titleColor": _INK},
    "title": {"color": _INK, "subtitleColor": _INK},
    "text": {"color": _INK},
    "rule": {"color": _INK},
    "range": {"category": list(PALETTE)},
}


def svg(chart: "altair.TopLevelMixin", label: str) -> Markup:
    """The chart drawn; `label` says in words what it shows, for those who cannot see it."""
    import vl_convert

    drawn: str = vl_convert.vegalite_to_svg(chart.to_dict() | {"config": _CONFIG})
    return Markup(drawn.replace("<svg ", Markup('<svg role="img" aria-label="{}" ').format(label), 1))
