"""Charts as SVG that stands in a page: the palette, the signs of a page's series, and the shapes of its figures.

Text and axes take the page's color, so a chart is legible on light and on dark pages.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from newwiki.visible import in_markup

if TYPE_CHECKING:
    import altair

_INK, _FONT = "currentColor", "system-ui, sans-serif"
# Each has a contrast of at least 3:1 with the light and the dark background of every page, and any two are told apart
# under each of the three color blindnesses (tests/flows/presenting/test_charts.py measures both).
PALETTE = ("#0072B2", "#C87500", "#009E73", "#D000A0", "#8580F0", "#6F6F2E")
BLUE, ORANGE, GREEN = PALETTE[:3]
GREY = "#858A93"  # for what is not compared: published numbers, undecided verdicts, the articles
SHAPES = {"circle": "●", "square": "■", "triangle-up": "▲", "diamond": "◆", "triangle-down": "▼", "cross": "✚"}
_DASHES = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [4, 2], [1, 3])
MOST_SERIES = len(PALETTE)  # of a chart
_SIZE = {"labelFontSize": 12}
CROSSES = (460, 320)  # pixels
_MARGIN = 60  # pixels by which words may leave the plot on its right
_CORNERS: dict[str, dict[str, Any]] = {
    "upper right": {"align": "left", "dx": 8, "dy": -8},
    "lower right": {"align": "left", "dx": 8, "dy": 14},
    "upper left": {"align": "right", "dx": -8, "dy": -8},
    "lower left": {"align": "right", "dx": -8, "dy": 14},
}

_SHOWN: ContextVar[Callable[[str], str]] = ContextVar("names_shown_as", default=str)
_CONFIG = {
    "aria": False,  # the label describes the whole chart
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
    "range": {"category": list(PALETTE), "ramp": [BLUE, ORANGE], "heatmap": [BLUE, ORANGE]},
}


@dataclass(frozen=True)
class Sign:
    """How a series is drawn: its color, the name of its shape in Vega, and its dashes."""

    color: str
    shape: str
    dash: Sequence[int]

    @property
    def mark(self) -> str:
        """The shape as a character, for a key."""
        return SHAPES[self.shape]


SIGNS = tuple(Sign(color, shape, dash) for color, shape, dash in zip(PALETTE, SHAPES, _DASHES, strict=True))
ARTICLES_SIGN = Sign(GREY, "cross", [1, 3])


@dataclass(frozen=True)
class Key:
    """What a sign stands for."""

    sign: Sign
    text: str


class PageSigns:
    """Gives each model of a page one color, and each of its series a shape and dashes of its own.

    On a page with a single model, color tells its series apart instead. A seventh model has the color of the first
    with another shape. `aliases` are other names of models.
    """

    def __init__(self, models: Iterable[str] = (), aliases: Mapping[str, str] = MappingProxyType({})) -> None:
        self._models = list(dict.fromkeys(models))
        self._aliases = aliases
        self._signs: dict[tuple[str, str], Sign] = {}
        self._has_one_model = len(self._models) == 1

    def of(self, model: str, series: str = "") -> Sign:
        """Return the sign of a model, or of one of its series; the same for the same names."""
        model = self._aliases.get(model, model)
        if (model, series) not in self._signs:
            self._signs[model, series] = self._new(model)
        return self._signs[model, series]

    def _new(self, model: str) -> Sign:
        if model not in self._models:
            self._models.append(model)
        place = self._models.index(model)
        if self._has_one_model and len(self._models) == 1:
            return SIGNS[sum(name == model for name, _ in self._signs) % MOST_SERIES]
        color = PALETTE[place % MOST_SERIES]
        before = sum(sign.color == color for sign in self._signs.values())
        form = SIGNS[(place + before) % MOST_SERIES]
        return Sign(color, form.shape, form.dash)


@contextmanager
def names_shown_as(shown: Callable[[str], str]) -> Iterator[None]:
    """Pass every text of the charts that are rendered inside through `shown`, which shortens the names of models.

    The renderer cuts long texts, so a name cannot be shortened in its output.
    """
    before = _SHOWN.set(shown)
    try:
        yield
    finally:
        _SHOWN.reset(before)


def svg(chart: "altair.TopLevelMixin", label: str) -> Markup:
    """Render the chart; `label` describes in words what it shows, for readers who cannot see it."""
    import vl_convert

    drawn: str = vl_convert.vegalite_to_svg(_in_markup(chart.to_dict()) | {"config": _CONFIG})
    labelled = Markup('<svg role="img" aria-label="{}" ').format(_in_markup(label))
    return Markup(drawn.replace("<svg ", labelled, 1))


def _in_markup(part: Any) -> Any:
    """Return the same specification with all its texts as `names_shown_as` and `in_markup` give them.

    At a character that XML does not allow, the renderer ends the whole process.
    """
    if isinstance(part, str):
        return in_markup(_SHOWN.get()(part))
    if isinstance(part, dict):
        return {_in_markup(name): _in_markup(value) for name, value in part.items()}
    return [_in_markup(value) for value in part] if isinstance(part, list) else part


def lines(
    values: list[dict[str, Any]],
    order: list[str],
    words: str | None,
    signs: Sequence[Sign],
    ends: tuple[float, float] | None = None,
) -> "altair.LayerChart":
    """Draw a line with its band for each series, from `mean`, `low` and `high` at each `x`. `who` is the place of the
    series in `signs`; `ends` are always in sight."""
    import altair as alt

    scale = alt.Scale(zero=False)
    if ends:
        reached = [value[end] for value in values for end in ("low", "high")]
        scale = alt.Scale(domain=[min(ends[0], *reached), max(ends[1], *reached)], nice=False)
    base = alt.Chart(alt.Data(values=values)).encode(
        x=alt.X(
            "x:O",
            sort=order,
            axis=alt.Axis(title=words, labelAngle=0, labelOverlap=True, **_SIZE, titleFontWeight="normal"),
        ),
        y=alt.Y("mean:Q", scale=scale, axis=alt.Axis(title=None, tickCount=4, format=".3~g", **_SIZE)),
        color=_color(signs),
    )
    bands = base.mark_area(opacity=0.16, line=False).encode(y=alt.Y("low:Q", scale=scale, title=None), y2="high:Q")
    lines = base.mark_line(strokeWidth=2).encode(strokeDash=alt.StrokeDash(
        "who:N", legend=None, scale=alt.Scale(domain=_places(signs), range=[sign.dash for sign in signs])
    ))  # fmt: skip
    points = base.mark_point(size=55, filled=True, opacity=1).encode(shape=_shape(signs))
    return (bands + lines + points).properties(width=230, height=150)


def curves(values: list[dict[str, Any]], signs: Sequence[Sign]) -> "altair.LayerChart":
    """Draw a line with its band for each series against the `step`, from `mean`, `low` and `high`; `who` is the place
    of the series in `signs`."""
    import altair as alt

    scale = alt.Scale(zero=False)
    base = alt.Chart(alt.Data(values=values)).encode(
        x=alt.X("step:Q", axis=alt.Axis(title="training step", tickCount=5, **_SIZE, titleFontWeight="normal")),
        y=alt.Y("mean:Q", scale=scale, axis=alt.Axis(title=None, tickCount=4, format=".3~g", **_SIZE)),
        color=_color(signs),
    )
    bands = base.mark_area(opacity=0.16, line=False).encode(y=alt.Y("low:Q", scale=scale, title=None), y2="high:Q")
    points = base.mark_point(size=55, filled=True, opacity=1).encode(shape=_shape(signs))
    return (bands + base.mark_line(strokeWidth=2) + points).properties(width=230, height=150)


def dots(values: list[dict[str, Any]], order: list[str], signs: Sequence[Sign]) -> "altair.Chart":
    """Draw a row of points for each `metric`: the `sd` of each series; `who` is its place in `signs`."""
    import altair as alt

    return (
        alt.Chart(alt.Data(values=values))
        .mark_point(size=75, filled=True, opacity=0.9)
        .encode(
            x=alt.X("sd:Q", axis=alt.Axis(title="standard deviation / range", tickCount=5, **_SIZE)),
            y=alt.Y(
                "metric:N",
                sort=order,
                axis=alt.Axis(title=None, **_SIZE, grid=True, labelLimit=200, minExtent=115),
            ),
            yOffset=alt.YOffset("who:N", scale=alt.Scale(domain=_places(signs))),
            color=_color(signs),
            shape=_shape(signs),
        )
        .properties(width=270, height=alt.Step(max(7, 24 // len(signs))))
    )


def arms(values: list[dict[str, Any]], order: list[str], signs: Sequence[Sign], title: str) -> "altair.LayerChart":
    """Draw a point for each series above each `x`: its `mean`, and an arm from `low` to `high`; `who` is the place of
    the series in `signs`."""
    import altair as alt

    scale = alt.Scale(zero=False)
    base = alt.Chart(alt.Data(values=values)).encode(
        x=alt.X("x:O", sort=order, axis=alt.Axis(title=None, labelAngle=0, **_SIZE)),
        xOffset=alt.XOffset("who:N", scale=alt.Scale(domain=_places(signs))),
        color=_color(signs),
    )
    axis = alt.Axis(title=title, tickCount=5, format=".3~g", **_SIZE, titleFontWeight="normal")
    points = base.mark_point(size=55, filled=True, opacity=1).encode(
        y=alt.Y("mean:Q", scale=scale, axis=axis), shape=_shape(signs)
    )
    rules = base.mark_rule(strokeWidth=2).encode(y=alt.Y("low:Q", scale=scale, axis=axis), y2="high:Q")
    widest = 7 * max(map(len, order))
    return (rules + points).properties(width=alt.Step(max(11, 100 // len(signs), widest // len(signs))), height=190)


def forest(
    base: "altair.Chart", title: str, *, shape: "altair.Shape | None" = None, zero: bool = True
) -> "altair.LayerChart":
    """Draw the point `at` of each row with its interval from `low` to `high`, and a dashed line at zero; `base` has the
    rows' values, places and colors."""
    import altair as alt

    axis = alt.Axis(title=title, titleFontWeight="normal", tickCount=5, **_SIZE)
    bars = base.mark_rule(strokeWidth=2).encode(x=alt.X("low:Q", axis=axis), x2="high:Q")
    points = base.mark_point(filled=True, size=60, opacity=1).encode(x="at:Q", **({"shape": shape} if shape else {}))
    line = alt.Chart(alt.Data(values=[{"zero": 0}])).mark_rule(strokeDash=[4, 3], opacity=0.6).encode(x="zero:Q")
    return alt.layer(*([line] if zero else []), bars, points)


def corners(values: Sequence[Mapping[str, Any]], *, downwards: bool, size: tuple[int, int] = CROSSES) -> list[str]:
    """Return the corner of each point of `crosses` in which its words hide no other points and words.

    The corner is empty for a point without such a corner.
    """
    at = [_pixels(values, "x", size[0]), _pixels(values, "y", size[1])]
    places = [(x, size[1] - y if not downwards else y) for x, y in zip(*at, strict=True)]
    occupied = [(x - 6, y - 6, x + 6, y + 6) for x, y in places]
    chosen = []
    for (x, y), value in zip(places, values, strict=True):
        wide = 6.3 * len(value["words"])
        boxes = {
            corner: (
                x + beside["dx"] - wide * (beside["dx"] < 0),
                y + beside["dy"] - 10,
                x + beside["dx"] + wide * (beside["dx"] > 0),
                y + beside["dy"] + 2,
            )
            for corner, beside in _CORNERS.items()
        }
        free = [
            corner
            for corner, box in boxes.items()
            if box[0] >= 0
            and box[2] <= size[0] + _MARGIN
            and box[3] <= size[1]
            and not any(_meet(box, other) for other in occupied)
        ]
        chosen.append(free[0] if free else "")
        occupied += [boxes[corner] for corner in free[:1]]
    return chosen


def _pixels(values: Sequence[Mapping[str, Any]], axis: str, length: int) -> list[float]:
    """Return about how far along its axis each point stands."""
    low, high = min(value[f"{axis}_low"] for value in values), max(value[f"{axis}_high"] for value in values)
    return [length * ((value[axis] - low) / (high - low) if high > low else 0.5) for value in values]


def _meet(box: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return box[0] < other[2] and other[0] < box[2] and box[1] < other[3] and other[1] < box[3]


def crosses(
    values: list[dict[str, Any]],
    x_title: str,
    y_title: str,
    *,
    downwards: bool,
    level: float | None,
    ends: Sequence[float] = (),
    size: tuple[int, int] = CROSSES,
) -> "altair.LayerChart":
    """Draw a point at each `x` and `y`, in its own `color`, `fill` and `shape` and with its `words` in its `corner`.

    An arm goes from `x_low` to `x_high`, and another from `y_low` to `y_high`. With `downwards`, the y axis is
    reversed. With `level`, there is a dashed line at this y; `ends` are dotted grey lines at these x.
    """
    import altair as alt

    scales = {"x": alt.Scale(zero=False), "y": alt.Scale(zero=False, reverse=downwards)}
    titles = {"x": x_title, "y": y_title}
    axes = {
        name: alt.Axis(title=titles[name], tickCount=5, format=".3~g", **_SIZE, titleFontWeight="normal")
        for name in titles
    }

    def place(name: str, field: str) -> Any:
        kind = {"x": alt.X, "y": alt.Y}[name]
        return kind(f"{field}:Q", scale=scales[name], axis=axes[name])

    color = alt.Color("color:N", scale=None)
    base = alt.Chart(alt.Data(values=values))
    across = base.mark_rule(strokeWidth=1.5, opacity=0.7).encode(
        x=place("x", "x_low"), x2="x_high", y=place("y", "y"), color=color
    )
    along = base.mark_rule(strokeWidth=1.5, opacity=0.7).encode(
        x=place("x", "x"), y=place("y", "y_low"), y2="y_high", color=color
    )
    points = base.mark_point(size=70, strokeWidth=1.5, opacity=1).encode(
        x=place("x", "x"),
        y=place("y", "y"),
        stroke=alt.Stroke("color:N", scale=None),
        fill=alt.Fill("fill:N", scale=None),
        shape=alt.Shape("shape:N", scale=None),
    )
    layers = [across, along, points]
    for corner, beside in _CORNERS.items():
        labels = alt.Chart(alt.Data(values=[value for value in values if value["corner"] == corner]))
        layers.append(
            labels.mark_text(fontSize=11, **beside).encode(x=place("x", "x"), y=place("y", "y"), text="words:N")
        )
    if level is not None:
        at = alt.Chart(alt.Data(values=[{"y": level}])).mark_rule(strokeDash=[5, 4], opacity=0.6)
        layers.insert(0, at.encode(y=place("y", "y")))
    if ends:
        at = alt.Chart(alt.Data(values=[{"x": end} for end in ends]))
        layers.insert(0, at.mark_rule(strokeDash=[1, 4], color=GREY).encode(x=place("x", "x")))
    return alt.layer(*layers).properties(width=size[0], height=size[1])


def _places(signs: Sequence[Sign]) -> list[str]:
    return [str(place) for place in range(len(signs))]


def _color(signs: Sequence[Sign]) -> "altair.Color":
    import altair as alt

    colors = [sign.color for sign in signs]
    return alt.Color("who:N", legend=None, scale=alt.Scale(domain=_places(signs), range=colors))


def _shape(signs: Sequence[Sign]) -> "altair.Shape":
    import altair as alt

    shapes = [sign.shape for sign in signs]
    return alt.Shape("who:N", legend=None, scale=alt.Scale(domain=_places(signs), range=shapes))
