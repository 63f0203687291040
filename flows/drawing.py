"""The shapes of the figures: lines with bands, and points in rows. Who is who is told by colour and shape."""

from typing import TYPE_CHECKING, Any

from flows.charts import PALETTE

if TYPE_CHECKING:
    import altair

SHAPES = {"circle": "●", "square": "■", "triangle-up": "▲", "diamond": "◆", "triangle-down": "▼", "cross": "✚"}
_DASHES = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [4, 2], [1, 3])
_SIZE = {"labelFontSize": 12}


def lines(values: list[dict[str, Any]], order: list[str], words: str) -> "altair.LayerChart":
    """A line with its band for each `who`, from `mean`, `low` and `high` at each `x`; 0 and 1 are always in sight."""
    import altair as alt

    ends = [value[end] for value in values for end in ("low", "high")]
    scale = alt.Scale(domain=[min(0, *ends), max(1, *ends)], nice=False)
    base = alt.Chart(alt.Data(values=values)).encode(
        x=alt.X("x:O", sort=order, axis=alt.Axis(title=words, labelAngle=0, **_SIZE, titleFontWeight="normal")),
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


def _places() -> list[str]:
    return [str(place) for place in range(len(PALETTE))]


def _colour() -> "altair.Color":
    import altair as alt

    return alt.Color("who:N", legend=None, scale=alt.Scale(domain=_places(), range=list(PALETTE)))


def _shape() -> "altair.Shape":
    import altair as alt

    return alt.Shape("who:N", legend=None, scale=alt.Scale(domain=_places(), range=list(SHAPES)))
