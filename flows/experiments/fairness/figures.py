"""Draw the findings about groups: the undecided comparisons, and the paper's figures 1 to 5."""

from collections.abc import Iterator, Sequence
from statistics import fmean
from typing import TYPE_CHECKING, Any

from flows.experiments.experiment import Figure
from flows.experiments.fairness.findings import ALIKE, DIFFERENT, PROMPTS, TOO_FEW
from flows.experiments.fairness.material import Found
from flows.experiments.fairness.result_tables import GroupPair
from flows.presenting.charts import BLUE, GREY, ORANGE, PALETTE, svg
from flows.presenting.numbers import hundredths

if TYPE_CHECKING:
    import altair

_MAP = (
    "Where groups can be told apart: {metric} of {model} by {sweep}. A number is the difference of the shares in "
    "percentage points where it is more than chance after Holm's correction, and more than the prompts alone; ? is "
    "where the two groups cannot be told apart, P where the prompts decide, – where there are too few prompts to say. "
    "Orange: the first group's share is the greater; blue: the second's."
)
_RANGES = (
    "{metric} of {model}: the share of each group over the settings of a sweep, from the least to the greatest, the "
    "middle half thick, a dot at the median (figure 2 of the paper). A circle is the share of the prompts alone."
)
_LINES = (
    "{metric} of {model} by {sweep}, a line a group, with 95 % intervals by prompt (figures 3, 4, 9 and 10 of the "
    "paper)."
)
_DISPARITIES = (
    "The mean absolute difference of {metric} of {model} over the pairs of a category, with 95 % intervals (figure 5 "
    "of the paper)."
)
_SCATTER = (
    "{metric} of {model}, the mean over all groups, by the entropy of trigrams, a point a setting (figure 1 of the "
    "paper, bottom)."
)
# The sign is not an equals sign, because groups that cannot be distinguished are not shown to be alike
_SIGNS = {ALIKE: "?", PROMPTS: "P", TOO_FEW: "–"}
_SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")
_DASHES = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3])
_CELL = 22  # pixels


def figures(results: Found) -> list[Figure]:
    return [
        figure
        for model in results.models
        for metric in results.metrics
        for figure in _metric_figures(results, model, metric)
    ]


def _metric_figures(results: Found, model: str, metric: str) -> Iterator[Figure]:
    named = {"model": model, "metric": metric}
    swept = [sweep for sweep in results.sweeps if len(results.values(model, sweep)) > 1]
    for sweep in results.sweeps:
        pairs = [pair for pair in results.pairs if (pair.model, pair.metric, pair.sweep) == (model, metric, sweep)]
        drawn = _map(pairs, results.values(model, sweep), sweep)
        yield Figure(_MAP.format(sweep=sweep, **named), svg(drawn, _description(pairs, results)))
    if swept:
        ranges = _ranges(results, model, metric, swept)
        yield Figure(_RANGES.format(**named), svg(ranges, f"Ranges of {metric} by group; the table has them"))
    for sweep in swept:
        label = f"{metric} by {sweep} and group; the table fairness_shares has the numbers"
        yield Figure(_LINES.format(sweep=sweep, **named), svg(_lines(results, model, metric, sweep), label))
    if swept:
        label = f"Mean absolute differences of {metric} by category; the table has the first and the last"
        yield Figure(_DISPARITIES.format(**named), svg(_disparities(results, model, metric, swept), label))
        scatter = _scatter(results, model, metric)
        if scatter:
            label = f"{metric} by entropy of trigrams; the table has the correlations"
            yield Figure(_SCATTER.format(**named), svg(scatter, label))


def _description(pairs: Sequence[GroupPair], results: Found) -> str:
    verdicts = "; ".join(
        f"{pair.group_a} and {pair.group_b} at {results.value(pair.model, pair.sweep, pair.place)}: {pair.verdict}"
        for pair in pairs
    )
    return f"Which groups differ: {verdicts}"


def _map(pairs: Sequence[GroupPair], values: Sequence[str], sweep: str) -> "altair.LayerChart":
    import altair as alt

    rows = list(dict.fromkeys(pair_words(pair) for pair in pairs))
    cells: list[dict[str, Any]] = [
        {
            "pair": pair_words(pair),
            "setting": values[pair.place],
            "points": (pair.difference or 0.0) * 100,
            "sign": _SIGNS.get(pair.verdict) or signed(pair.difference or 0.0),
            "differs": pair.verdict == DIFFERENT,
        }
        for pair in pairs
    ]
    most = max([abs(cell["points"]) for cell in cells] + [1.0])
    base = alt.Chart(alt.Data(values=cells)).encode(
        x=alt.X("setting:N", sort=list(values), axis=_settings(sweep, values)),
        y=alt.Y("pair:N", sort=rows, axis=alt.Axis(title=None, labelLimit=200, labelFontSize=12, minExtent=140)),
    )
    squares = base.mark_rect(stroke="currentColor", strokeOpacity=0.25).encode(
        color=alt.Color(
            "points:Q",
            scale=alt.Scale(domain=[-most, 0, most], range=[BLUE, GREY, ORANGE]),
            legend=None,
        ),
        opacity=alt.condition("datum.differs", alt.value(0.55), alt.value(0.08)),
    )
    signs = base.mark_text(fontSize=12, fontWeight="bold", color="currentColor").encode(text="sign:N")
    width = max(200, min(380, 38 * len(values)))
    return (squares + signs).properties(width=width, height=_CELL * len(rows))


def pair_words(pair: GroupPair) -> str:
    return f"{pair.group_a} − {pair.group_b}"


def signed(difference: float) -> str:
    return hundredths(difference, 0, signed=True)


def _ranges(results: Found, model: str, metric: str, sweeps: Sequence[str]) -> "altair.LayerChart":
    import altair as alt

    shares = [
        {"group": share.group_name, "sweep": share.sweep, "share": share.share, "alone": share.prompt_share}
        for share in results.shares
        if (share.model, share.metric) == (model, metric) and share.sweep in sweeps and share.share is not None
    ]
    groups = list(dict.fromkeys(share["group"] for share in shares))
    base = alt.Chart(alt.Data(values=shares)).encode(
        y=alt.Y("group:N", sort=groups, axis=alt.Axis(title=None, labelFontSize=12, minExtent=80)),
        yOffset=alt.YOffset("sweep:N", scale=alt.Scale(domain=list(sweeps))),
        color=_colour("sweep", sweeps),
    )
    axis = alt.Axis(title=metric, titleFontWeight="normal", format="%", tickCount=5)
    whole = base.mark_rule(strokeWidth=2).encode(
        x=alt.X("min(share):Q", axis=axis, scale=alt.Scale(zero=False)), x2="max(share):Q"
    )
    half = base.mark_bar(height=7).encode(x=alt.X("q1(share):Q", scale=alt.Scale(zero=False)), x2="q3(share):Q")
    # A box has no size if all shares are equal, so a dot marks the median
    middle = base.mark_point(filled=True, size=45, opacity=1).encode(x="median(share):Q")
    alone = base.mark_point(filled=False, size=30).encode(x="mean(alone):Q")
    return (whole + half + middle + alone).properties(width=420, height=alt.Step(11))


def _lines(results: Found, model: str, metric: str, sweep: str) -> "altair.VConcatChart":
    import altair as alt

    values = results.values(model, sweep)
    shares = [share for share in results.shares if (share.model, share.metric, share.sweep) == (model, metric, sweep)]
    drawn = []
    for category in dict.fromkeys(share.category for share in shares):
        rows = [
            {
                "group": share.group_name,
                "setting": values[share.place],
                "share": share.share,
                "low": share.low,
                "high": share.high,
            }
            for share in shares
            if share.category == category and share.share is not None
        ]
        groups = list(dict.fromkeys(row["group"] for row in rows))
        drawn.append(series(rows, "group", groups, values, sweep).properties(title=category, width=420, height=120))
    return alt.vconcat(*drawn).resolve_scale(
        color="independent", shape="independent", strokeDash="independent", xOffset="independent"
    )


def _disparities(results: Found, model: str, metric: str, sweeps: Sequence[str]) -> "altair.VConcatChart":
    import altair as alt

    drawn = []
    for sweep in sweeps:
        values = results.values(model, sweep)
        rows = [
            {
                "category": disparity.category, "setting": values[disparity.place], "share": disparity.disparity,
                "low": disparity.low, "high": disparity.high,
            }
            for disparity in results.disparities
            if (disparity.model, disparity.metric, disparity.sweep) == (model, metric, sweep)
            and disparity.disparity is not None
        ]  # fmt: skip
        categories = list(dict.fromkeys(row["category"] for row in rows))
        drawn.append(series(rows, "category", categories, values, sweep).properties(width=420, height=120))
    return alt.vconcat(*drawn)


def series(
    rows: Sequence[dict[str, Any]],
    what: str,
    names: Sequence[Any],
    values: Sequence[str],
    sweep: str,
    published: Sequence[dict[str, Any]] = (),
) -> "altair.LayerChart":
    """Draw a line, a shape and a dash for each name over the settings in order; the paper's values are hollow."""
    import altair as alt

    none = alt.Axis(title=None)
    base = alt.Chart(alt.Data(values=list(rows))).encode(
        x=alt.X("setting:N", sort=list(values), axis=_settings(sweep, values)),
        xOffset=alt.XOffset(f"{what}:N", scale=alt.Scale(domain=list(names))),
        color=_colour(what, names),
    )
    axis = alt.Axis(title=None, format="%", tickCount=4)
    scale = alt.Scale(zero=False)
    lines = base.mark_line(strokeWidth=2).encode(
        y=alt.Y("share:Q", axis=axis, scale=scale),
        strokeDash=alt.StrokeDash(f"{what}:N", scale=alt.Scale(domain=list(names), range=list(_DASHES)), legend=None),
    )
    points = base.mark_point(filled=True, size=55, opacity=1).encode(
        y=alt.Y("share:Q", axis=none),
        shape=alt.Shape(f"{what}:N", scale=alt.Scale(domain=list(names), range=list(_SHAPES)), legend=_legend()),
    )
    bars = base.mark_rule(opacity=0.45).encode(y=alt.Y("low:Q", axis=none), y2="high:Q")
    behind = alt.Chart(alt.Data(values=list(published))).mark_point(shape="diamond", size=90)
    paper_points = behind.encode(
        x=alt.X("setting:N", sort=list(values)),
        xOffset=alt.XOffset(f"{what}:N", scale=alt.Scale(domain=list(names))),
        y=alt.Y("share:Q", axis=none),
        color=_colour(what, names),
    )
    return alt.layer(bars, lines, points, *([paper_points] if published else []))


def _scatter(results: Found, model: str, metric: str) -> "altair.Chart | None":
    import altair as alt

    rows = []
    for setting in results.settings:
        shares = [
            share.share
            for share in results.shares
            if (share.model, share.metric, share.sweep, share.place) == (model, metric, setting.sweep, setting.place)
            and share.share is not None
        ]
        if setting.model == model and setting.trigram_entropy is not None and shares:
            rows.append({"sweep": setting.sweep, "entropy": setting.trigram_entropy, "share": fmean(shares)})
    if not rows:
        return None
    sweeps = list(dict.fromkeys(row["sweep"] for row in rows))
    near = alt.Scale(zero=False)
    return (
        alt.Chart(alt.Data(values=rows))
        .mark_point(filled=True, size=70, opacity=1)
        .encode(
            x=alt.X(
                "entropy:Q", scale=near, axis=alt.Axis(title="entropy of trigrams, nats", titleFontWeight="normal")
            ),
            y=alt.Y(
                "share:Q", scale=near, axis=alt.Axis(title=metric, titleFontWeight="normal", format="%", tickCount=4)
            ),
            color=_colour("sweep", sweeps),
            shape=alt.Shape("sweep:N", scale=alt.Scale(domain=sweeps, range=list(_SHAPES)), legend=_legend()),
        )
        .properties(width=420, height=200)
    )


def _colour(what: str, names: Sequence[Any]) -> "altair.Color":
    import altair as alt

    domain = list(names)
    return alt.Color(f"{what}:N", scale=alt.Scale(domain=domain, range=list(PALETTE)), legend=_legend())


def _settings(sweep: str, values: Sequence[str]) -> "altair.Axis":
    """Return the x axis; it has no title if its only setting has the sweep's name."""
    import altair as alt

    title = None if list(values) == [sweep] else sweep
    return alt.Axis(title=title, titleFontWeight="normal", labelAngle=0, labelFontSize=12)


def _legend() -> "altair.Legend":
    import altair as alt

    return alt.Legend(title=None, orient="bottom", symbolOpacity=1)
