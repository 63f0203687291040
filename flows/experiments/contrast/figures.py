"""Figures of contrastive decoding.

They plot coherence against diversity and MAUVE (figures 1 and 2 of Su and Xu 2022), the amateur's temperature (figure 3
of Li et al. 2022), and the sizes of expert and amateur (figure 2 of Li et al. 2022).
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from flows.experiments.contrast.metric_words import HEADS, formatted, in_sentence, shown
from flows.experiments.contrast.result_tables import ContrastNumber, ContrastVariant
from flows.experiments.contrast.variants import DECODERS, IDENTICAL, ITSELF, SIZE
from flows.experiments.experiment import Figure
from flows.presenting.charts import GREY, PALETTE, SHAPES, svg
from newwiki.papers.published import papers

if TYPE_CHECKING:
    import altair

_COHERENCES = ("likelihood_coherence", "embedding_coherence")
_PLANE = "{model}: {up} against {across}, as figure {number} of Su and Xu 2022{measure}. {bars}{spread}{line}. {keys}."
_TEMPERATURE = (
    "{model}: {up} against {across} by the amateur's temperature, which stands at each point, as figure 3 of Li et al. "
    "2022."
)
_SIZE = "{metric} by expert (rows) and amateur (columns), as figure 2 of Li et al. 2022; *: both are the same."
_TABLE, _DOMAIN = "1", "wikitext"
_OF_PAPER = (
    f" Hollow diamonds: what Su and Xu print of GPT-2 XL on {_DOMAIN} (table {_TABLE}); their prompts and lengths are "
    "others."
)
_DECISIVE = "likelihood_coherence"  # the papers' own metric
_HUMAN, _SWEPT = "articles", "contrastive-search"

By = Mapping[tuple[str, str], Mapping[str, ContrastNumber]]


def figures(variants: Sequence[ContrastVariant], numbers: Sequence[ContrastNumber]) -> list[Figure]:
    by: dict[tuple[str, str], dict[str, ContrastNumber]] = {}
    for number in numbers:
        if number.mean is not None:
            by.setdefault((number.model, number.decoder), {})[number.metric] = number
    drawn: list[Figure] = []
    for model in dict.fromkeys(variant.model for variant in variants):
        model_variants = [variant for variant in variants if variant.model == model]
        drawn += _planes(model_variants, by)
        drawn += _temperatures([variant for variant in model_variants if variant.part == "amateur-temperature"], by)
    return [
        *drawn,
        *_sizes([variant for variant in variants if variant.part == SIZE and variant.value != IDENTICAL], by),
    ]


def diversity_of(by: By) -> str:
    """Return the papers' diversity over all texts of a run if any run has it, else the diversity of each text."""
    metrics = {metric for run_numbers in by.values() for metric in run_numbers}
    return "diversity_simctg" if "diversity_simctg" in metrics else "diversity"


def _planes(variants: Sequence[ContrastVariant], by: By) -> Iterator[Figure]:
    for coherence in _COHERENCES:
        for up, number in ((diversity_of(by), 2), ("mauve", 1)):
            points = _points(variants, by, coherence, up)
            if len({point["who"] for point in points}) < 2:
                continue
            signs = dict(zip(map(str, range(len(SHAPES))), SHAPES.values(), strict=True)) | {_HUMAN: "○"}
            keys = ", ".join(dict.fromkeys(f"{signs[point['who']]} {point['name']}" for point in points))
            drawn = {(point["name"], point["k"]) for point in points}
            lacking = [
                f"{name} k={k}" if k else name
                for name, decoders in _named(variants).items()
                for _, k in decoders
                if (name, k) not in drawn
            ]
            left_out = len({variant.decoder for variant in variants if variant.part == DECODERS}) > len(PALETTE)
            caption = _PLANE.format(
                up=in_sentence(up),
                across=in_sentence(coherence),
                model=_short(variants[0].model),
                number=number,
                bars="Bars are 95 % intervals of coherence over prompts"
                if any(point["low"] < point["high"] for point in points)
                else "There are too few prompts for intervals",
                measure="" if coherence == _COHERENCES[0] else ", with the coherence of Li et al. 2022",
                spread=", and one standard deviation of MAUVE over seeds" if up == "mauve" else "",
                line="; numbers at points are k" if any(point["k"] for point in points) else "",
                keys=keys
                + (f"; without both numbers: {', '.join(lacking)}" if lacking else "")
                + ("; other decoders are in the table alone" if left_out else ""),
            )
            listed = "; ".join(
                f"{point['name']}{' k=' + point['k'] if point['k'] else ''}: {point['x']:.2f}, {point['y']:.1f}"
                for point in points
            )
            published = list(_published(coherence, up))
            caption += _OF_PAPER if published else ""
            label = f"{HEADS[coherence]} and {HEADS[up]}: {listed}"
            yield Figure(
                caption,
                svg(_plane(points, published, coherence, up), label),
                first=coherence == _DECISIVE and up != "mauve",
            )


def _published(coherence: str, up: str) -> Iterator[dict[str, float]]:
    """Yield the papers' published coherence and diversity for the Wikipedia domain.

    MAUVE is left out because the papers use another scale.
    """
    if (coherence, up) != ("likelihood_coherence", "diversity_simctg"):
        return
    paper = papers()["000-2"]
    rows: dict[str, dict[str, float]] = {}
    for number in paper.numbers(paper.table(_TABLE)):
        if number.labels["domain"] == _DOMAIN:
            rows.setdefault(number.decoder, {})[number.metric.title] = number.value
    yield from ({"x": row["coh."], "y": row["div."]} for row in rows.values())


def _points(variants: Sequence[ContrastVariant], by: By, coherence: str, up: str) -> list[dict[str, Any]]:
    """Return the points of the decoders and of the articles; contrastive search has a point for each k.

    The articles have no point if the y axis is MAUVE, because their MAUVE is 1 by definition.
    """
    model, points = variants[0].model, []
    for place, (name, decoders) in enumerate(_named(variants).items()):
        for decoder, k in decoders:
            points += _point(by.get((model, decoder), {}), coherence, up, {"who": str(place), "name": name, "k": k})
    if up != "mauve":
        human = {"who": _HUMAN, "name": _HUMAN, "k": ""}
        points += _point(by.get(("Wikipedia", "reference"), {}), coherence, up, human)
    return points


def _named(variants: Sequence[ContrastVariant]) -> dict[str, list[tuple[str, str]]]:
    """Map each name in the legend to its decoders and their k; there are at most as many names as colors."""
    sweep = [(variant.decoder, variant.value) for variant in variants if variant.part == "k"]
    by_name: dict[str, list[tuple[str, str]]] = {}
    for variant in variants:
        swept = variant.decoder in dict(sweep)
        if variant.part == DECODERS or swept:
            by_name.setdefault(_SWEPT if swept else variant.value, sweep if swept else [(variant.decoder, "")])
    return dict(islice(by_name.items(), len(PALETTE)))


def _point(
    numbers: Mapping[str, ContrastNumber], coherence: str, up: str, about: Mapping[str, str]
) -> list[dict[str, Any]]:
    """Return the point of a run with its interval and spread; the list is empty if the run lacks one of the metrics."""
    if coherence not in numbers or up not in numbers:
        return []
    across, along = numbers[coherence], numbers[up]
    x, y = shown(coherence, across.mean or 0.0), shown(up, along.mean or 0.0)
    low, high = (x if end is None else shown(coherence, end) for end in (across.low, across.high))
    spread = shown(up, along.spread or 0.0)
    return [{**about, "x": x, "y": y, "low": low, "high": high, "below": y - spread, "above": y + spread}]


def _plane(
    points: list[dict[str, Any]], published: list[dict[str, float]], coherence: str, up: str
) -> "altair.LayerChart":
    import altair as alt

    places = [str(place) for place in range(len(PALETTE))]
    near = alt.Scale(zero=False)
    across = alt.X("x:Q", scale=near, axis=_axis(HEADS[coherence]))
    along = alt.Y("y:Q", scale=near, axis=_axis(HEADS[up]))
    colour = alt.Color("who:N", legend=None, scale=alt.Scale(domain=places, range=list(PALETTE)))
    written = [point for point in points if point["who"] != _HUMAN]
    base = alt.Chart(alt.Data(values=written)).encode(color=colour)
    wide = base.mark_rule(strokeWidth=1.5, opacity=0.45).encode(x=alt.X("low:Q", scale=near), x2="high:Q", y=along)
    tall = base.mark_rule(strokeWidth=1.5, opacity=0.45).encode(x=across, y=alt.Y("below:Q", scale=near), y2="above:Q")
    marks = base.mark_point(filled=True, size=70, opacity=1).encode(
        x=across,
        y=along,
        shape=alt.Shape("who:N", legend=None, scale=alt.Scale(domain=places, range=list(SHAPES))),
    )
    human = alt.Chart(alt.Data(values=[point for point in points if point["who"] == _HUMAN]))
    human = human.mark_point(size=70, stroke="currentColor", strokeWidth=2).encode(x=across, y=along)
    swept = [point for point in points if point["k"]]
    sweep_points = alt.Chart(alt.Data(values=swept)).encode(x=across, y=along)
    line = sweep_points.mark_line(strokeWidth=1.5).encode(order=alt.Order("order:Q"), color=colour)
    line = line.transform_calculate(order="toNumber(datum.k)")
    numbers = sweep_points.mark_text(dx=9, dy=-8, fontSize=11).encode(text="k:N")
    behind = alt.Chart(alt.Data(values=published))
    behind = behind.mark_point(shape="diamond", size=60, color=GREY).encode(x=across, y=along)
    layers = [
        *([behind] if published else []),
        wide,
        *([tall] if up == "mauve" else []),
        *([line, numbers] if swept else []),
        marks,
        human,
    ]
    return alt.layer(*layers).properties(width=420, height=260)


def _temperatures(variants: Sequence[ContrastVariant], by: By) -> Iterator[Figure]:
    import altair as alt

    diversity = diversity_of(by)
    values = [
        {"x": shown(diversity, here[diversity].mean or 0.0), "y": shown("mauve", here["mauve"].mean or 0.0)}
        | {"value": variant.value}
        for variant in variants
        if {diversity, "mauve"} <= (here := by.get((variant.model, variant.decoder), {})).keys()
    ]
    if len(values) < 2:
        return
    near = alt.Scale(zero=False)
    base = alt.Chart(alt.Data(values=values)).encode(
        x=alt.X("x:Q", scale=near, axis=_axis(HEADS[diversity])), y=alt.Y("y:Q", scale=near, axis=_axis(HEADS["mauve"]))
    )
    points = base.mark_point(filled=True, size=70, opacity=1, color=PALETTE[0])
    chart = points + base.mark_text(dx=12, dy=-9, fontSize=12).encode(text="value:N")
    listed = "; ".join(f"{value['value']}: {value['x']:.1f}, {value['y']:.1f}" for value in values)
    caption = _TEMPERATURE.format(
        model=_short(variants[0].model), up=in_sentence("mauve"), across=in_sentence(diversity)
    )
    yield Figure(caption, svg(chart.properties(width=420, height=240), f"Diversity and MAUVE by temperature: {listed}"))


def _sizes(variants: Sequence[ContrastVariant], by: By) -> Iterator[Figure]:
    for metric in (diversity_of(by), "mauve"):
        cells = [
            {"expert": _short(variant.model), "amateur": _amateur(variant), "value": shown(metric, number.mean or 0.0)}
            | {"words": formatted(metric, number.mean or 0.0) + " *" * (_amateur(variant) == _short(variant.model))}
            for variant in variants
            if (number := by.get((variant.model, variant.decoder), {}).get(metric))
        ]
        if len(cells) > 1:
            listed = "; ".join(f"{cell['expert']} against {cell['amateur']}: {cell['words']}" for cell in cells)
            image = svg(_grid(cells), f"{HEADS[metric]} by expert and amateur: {listed}")
            yield Figure(_SIZE.format(metric=in_sentence(metric)), image)


def _grid(cells: list[dict[str, Any]]) -> "altair.LayerChart":
    import altair as alt

    experts = list(dict.fromkeys(cell["expert"] for cell in cells))
    amateurs = list(dict.fromkeys(cell["amateur"] for cell in cells))
    about: dict[str, Any] = {"title": None, "labelFontSize": 12, "labelLimit": 140}
    base = alt.Chart(alt.Data(values=cells)).encode(
        x=alt.X("amateur:N", sort=amateurs, axis=alt.Axis(labelAngle=0, **about)),
        y=alt.Y("expert:N", sort=experts, axis=alt.Axis(**about)),
    )
    squares = base.mark_rect().encode(
        opacity=alt.Opacity("value:Q", legend=None, scale=alt.Scale(range=[0.08, 0.6])), color=alt.value(PALETTE[0])
    )
    words = base.mark_text(fontSize=12).encode(text="words:N")
    return (squares + words).properties(width=420, height=40 * len(experts))


def _short(model: str) -> str:
    return model.rstrip("/").rpartition("/")[2]


def _amateur(variant: ContrastVariant) -> str:
    return _short(variant.model) if variant.value == ITSELF else variant.value


def _axis(title: str) -> "altair.Axis":
    import altair as alt

    return alt.Axis(title=title, titleFontWeight="normal", tickCount=5, labelFontSize=12)
