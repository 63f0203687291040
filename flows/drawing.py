"""The shapes of the figures: lines with bands, and points in rows. Who is who is told by colour and shape."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from flows.charts import PALETTE

if TYPE_CHECKING:
    import altair

SHAPES = {"circle": "●", "square": "■", "triangle-up": "▲", "diamond": "◆", "triangle-down": "▼", "cross": "✚"}
_DASHES = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [4, 2], [1, 3])
_SIZE = {"labelFontSize": 12}
CROSSES = (460, 320)  # pixels
_MARGIN = 60  # pixels by which words may leave the plot on its right
_CORNERS: dict[str, dict[str, Any]] = {
    "upper right": {"align": "left", "dx": 8, "dy": -8},
    "lower right": {"align": "left", "dx": 8, "dy": 14},
    "upper left": {"align": "right", "dx": -8, "dy": -8},
    "lower left": {"align": "right", "dx": -8, "dy": 14},
}


def lines(
    values: list[dict[str, Any]], order: list[str], words: str | None, ends: tuple[float, float] | None = None
) -> "altair.LayerChart":
    """A line with its band for each `who`, from `mean`, `low` and `high` at each `x`; `ends` are always in sight."""
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
        color=_colour(),
    )
    bands = base.mark_area(opacity=0.16, line=False).encode(y=alt.Y("low:Q", scale=scale, title=None), y2="high:Q")
    lines = base.mark_line(strokeWidth=2).encode(strokeDash=alt.StrokeDash(
        "who:N", legend=None, scale=alt.Scale(domain=_places(), range=list(_DASHES))
    ))  # fmt: skip
    points = base.mark_point(size=55, filled=True, opacity=1).encode(shape=_shape())
    return (bands + lines + points).properties(width=230, height=150)


def curves(values: list[dict[str, Any]]) -> "altair.LayerChart":
    """A line with its band for each `who` against the `step`, from `mean`, `low` and `high` in the metric's unit."""
    import altair as alt

    scale = alt.Scale(zero=False)
    base = alt.Chart(alt.Data(values=values)).encode(
        x=alt.X("step:Q", axis=alt.Axis(title="training step", tickCount=5, **_SIZE, titleFontWeight="normal")),
        y=alt.Y("mean:Q", scale=scale, axis=alt.Axis(title=None, tickCount=4, format=".3~g", **_SIZE)),
        color=_colour(),
    )
    bands = base.mark_area(opacity=0.16, line=False).encode(y=alt.Y("low:Q", scale=scale, title=None), y2="high:Q")
    points = base.mark_point(size=55, filled=True, opacity=1).encode(shape=_shape())
    return (bands + base.mark_line(strokeWidth=2) + points).properties(width=230, height=150)


def dots(values: list[dict[str, Any]], order: list[str], count: int) -> "altair.Chart":
    """A row of points for each `metric`: the `sd` of each `who`, of whom there are `count`."""
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
            yOffset=alt.YOffset("who:N", scale=alt.Scale(domain=_places()[:count])),
            color=_colour(),
            shape=_shape(),
        )
        .properties(width=270, height=alt.Step(max(7, 24 // count)))
    )


def arms(values: list[dict[str, Any]], order: list[str], count: int, title: str) -> "altair.LayerChart":
    """Above each `x` a point for each `who`, of whom there are `count`: its `mean`, and an arm from `low` to `high`."""
    import altair as alt

    scale = alt.Scale(zero=False)
    base = alt.Chart(alt.Data(values=values)).encode(
        x=alt.X("x:O", sort=order, axis=alt.Axis(title=None, labelAngle=0, **_SIZE)),
        xOffset=alt.XOffset("who:N", scale=alt.Scale(domain=_places()[:count])),
        color=_colour(),
    )
    axis = alt.Axis(title=title, tickCount=5, format=".3~g", **_SIZE, titleFontWeight="normal")
    points = base.mark_point(size=55, filled=True, opacity=1).encode(
        y=alt.Y("mean:Q", scale=scale, axis=axis), shape=_shape()
    )
    rules = base.mark_rule(strokeWidth=2).encode(y=alt.Y("low:Q", scale=scale, axis=axis), y2="high:Q")
    widest = 7 * max(map(len, order))
    return (rules + points).properties(width=alt.Step(max(11, 100 // count, widest // count)), height=190)


def corners(values: Sequence[Mapping[str, Any]], *, downwards: bool, size: tuple[int, int] = CROSSES) -> list[str]:
    """Where the words of each of these points of `crosses` hide nothing of other points and words; empty where
    nowhere."""
    at = [_pixels(values, "x", size[0]), _pixels(values, "y", size[1])]
    places = [(x, size[1] - y if not downwards else y) for x, y in zip(*at, strict=True)]
    taken = [(x - 6, y - 6, x + 6, y + 6) for x, y in places]
    found = []
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
            and not any(_meet(box, one) for one in taken)
        ]
        found.append(free[0] if free else "")
        taken += [boxes[corner] for corner in free[:1]]
    return found


def _pixels(values: Sequence[Mapping[str, Any]], axis: str, length: int) -> list[float]:
    """How far along its axis each point stands, about."""
    low, high = min(value[f"{axis}_low"] for value in values), max(value[f"{axis}_high"] for value in values)
    return [length * ((value[axis] - low) / (high - low) if high > low else 0.5) for value in values]


def _meet(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def crosses(
    values: list[dict[str, Any]],
    x_title: str,
    y_title: str,
    *,
    downwards: bool,
    level: float | None,
    size: tuple[int, int] = CROSSES,
) -> "altair.LayerChart":
    """A point at each `x` and `y` in its own `colour`, `fill` and `shape`, an arm from `x_low` to `x_high` and one from
    `y_low` to `y_high`, and its `words` in the `corner` of it. The y axis may go `downwards`, and there may be a dashed
    line at a `level` of y."""
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

    colour = alt.Color("colour:N", scale=None)
    base = alt.Chart(alt.Data(values=values))
    across = base.mark_rule(strokeWidth=1.5, opacity=0.7).encode(
        x=place("x", "x_low"), x2="x_high", y=place("y", "y"), color=colour
    )
    along = base.mark_rule(strokeWidth=1.5, opacity=0.7).encode(
        x=place("x", "x"), y=place("y", "y_low"), y2="y_high", color=colour
    )
    points = base.mark_point(size=70, strokeWidth=1.5, opacity=1).encode(
        x=place("x", "x"),
        y=place("y", "y"),
        stroke=alt.Stroke("colour:N", scale=None),
        fill=alt.Fill("fill:N", scale=None),
        shape=alt.Shape("shape:N", scale=None),
    )
    layers = [across, along, points]
    for corner, beside in _CORNERS.items():
        there = alt.Chart(alt.Data(values=[value for value in values if value["corner"] == corner]))
        layers.append(
            there.mark_text(fontSize=11, **beside).encode(x=place("x", "x"), y=place("y", "y"), text="words:N")
        )
    if level is not None:
        at = alt.Chart(alt.Data(values=[{"y": level}])).mark_rule(strokeDash=[5, 4], opacity=0.6)
        layers.insert(0, at.encode(y=place("y", "y")))
    return alt.layer(*layers).properties(width=size[0], height=size[1])


def _places() -> list[str]:
    return [str(place) for place in range(len(PALETTE))]


def _colour() -> "altair.Color":
    import altair as alt

    return alt.Color("who:N", legend=None, scale=alt.Scale(domain=_places(), range=list(PALETTE)))


def _shape() -> "altair.Shape":
    import altair as alt

    return alt.Shape("who:N", legend=None, scale=alt.Scale(domain=_places(), range=list(SHAPES)))
