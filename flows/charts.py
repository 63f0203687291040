"""A chart as SVG that stands in a page: its text and axes take the page's colour, so it is legible light and dark."""

from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from newwiki.visible import in_markup

if TYPE_CHECKING:
    import altair

_INK, _FONT = "currentColor", "system-ui, sans-serif"
# Okabe and Ito's colours without black and yellow: told apart by the colour-blind too, on white and on near-black.
PALETTE = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9")
_ENDS = (PALETTE[0], PALETTE[3])  # of a scale of numbers: what lies between them stands out on both likewise
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
    "range": {"category": list(PALETTE), "ramp": list(_ENDS), "heatmap": list(_ENDS)},
}


def svg(chart: "altair.TopLevelMixin", label: str) -> Markup:
    """The chart drawn; `label` says in words what it shows, for those who cannot see it."""
    import vl_convert

    drawn: str = vl_convert.vegalite_to_svg(_in_markup(chart.to_dict()) | {"config": _CONFIG})
    labelled = Markup('<svg role="img" aria-label="{}" ').format(_in_markup(label))
    return Markup(drawn.replace("<svg ", labelled, 1))


def _in_markup(part: Any) -> Any:
    """The same with all its texts as `in_markup` gives them; at a character that no XML may hold the renderer ends the
    whole process."""
    if isinstance(part, str):
        return in_markup(part)
    if isinstance(part, dict):
        return {_in_markup(name): _in_markup(value) for name, value in part.items()}
    return [_in_markup(value) for value in part] if isinstance(part, list) else part
