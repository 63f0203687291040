"""Draw the paper's headline figures with the paper's numbers behind this project's numbers.

They plot supported sentences against verified ones, and against the diversity of the text.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from flows.experiments.experiment import Figure
from flows.experiments.verifiability.metrics import FOUR_GRAMS, PUBLISHED
from flows.experiments.verifiability.result_tables import VerifiabilityMetric
from flows.presenting.charts import GREY, PALETTE, SHAPES, corners, crosses, svg
from newwiki.decoding.grammar import parse, short_form
from newwiki.errors import UsageError
from newwiki.papers.published import papers

_PAPER, _TABLE, _MODEL = "004", "1", "large"
_SIZE = (330, 215)  # pixels
_ARTICLES = "reference"
# The x and y metrics, and the place of both in the paper
_PLANES = (("uspg", "uspv", "as figure 2 of the paper"), (FOUR_GRAMS, "spg", "of table 1 of the paper"))
_TITLES = {
    "uspg": "USPG: distinct supported, % of sentences",
    "uspv": "USPV: of distinct verified, %",
    "spg": "SPG: supported, % of sentences",
    FOUR_GRAMS: "distinct 4-grams in 256 words",
}
_CAPTION = (
    "{up} against {across} by decoder, {place}. Filled: ours, with 95 % intervals over prompts; a point without bars "
    "has no interval{unlabelled}. Hollow diamonds: the paper's {model} model (table {table}), in our colour of the "
    "same decoder, gray without one; it checked other texts with another fact checker."
)
_AGAIN = "{up} against {across}, {place}; all else as in the first figure."

ByMetric = Mapping[str, VerifiabilityMetric]


def planes(metrics: Sequence[VerifiabilityMetric]) -> list[Figure]:
    """Return a figure for each two metrics that any decoder has both of."""
    by: dict[tuple[str, str], dict[str, VerifiabilityMetric]] = {}
    for metric in metrics:
        by.setdefault((metric.model, metric.decoder), {})[metric.metric] = metric
    figures: list[Figure] = []
    for across, up, place in _PLANES:
        if drawn := _plane(by, across, up, place, _AGAIN if figures else _CAPTION):
            figures.append(drawn)
    return figures


def _plane(by: Mapping[tuple[str, str], ByMetric], across: str, up: str, place: str, caption: str) -> Figure | None:
    decoders = list(dict.fromkeys(decoder for _, decoder in by))
    models = [model for model in dict.fromkeys(model for model, _ in by) if (model, _ARTICLES) not in by]
    shapes = dict(zip(models, SHAPES, strict=False))
    names = _names(decoders)
    ours = []
    for (model, decoder), metrics in by.items():
        if metrics[across].mean is None or metrics[up].mean is None:
            continue
        about: dict[str, Any] = {
            "color": _colour(decoders, decoder),
            "shape": shapes.get(model, "cross"),
            "words": names[decoder],
        }
        ours.append(about | _ends("x", metrics[across]) | _ends("y", metrics[up]))
    if not ours:
        return None
    published = _published(decoders, across, up)
    values = [{**point, "fill": point["color"]} for point in ours] + published
    for point, corner in zip(values, corners(values, downwards=False, size=_SIZE), strict=True):
        point["corner"] = corner
    listed = "; ".join(f"{point['words']}: {point['x']:.1f}, {point['y']:.1f}" for point in ours)
    unlabelled = any(not point["corner"] for point in values[: len(ours)])
    full_caption = caption.format(
        across=_TITLES[across].partition(":")[0],
        up=_TITLES[up].partition(":")[0],
        place=place,
        model=_MODEL,
        table=_TABLE,
        unlabelled=", and one without words is in the table" if unlabelled else "",
    )
    chart = crosses(values, _TITLES[across], _TITLES[up], downwards=False, level=None, size=_SIZE)
    return Figure(full_caption, svg(chart, f"{_TITLES[across]} and {_TITLES[up]}: {listed}"), first=True)


def _ends(axis: str, metric: VerifiabilityMetric) -> dict[str, float]:
    times = 1 if metric.metric == FOUR_GRAMS else 100
    mean = metric.mean or 0.0
    ends = {
        "": mean,
        "_low": mean if metric.low is None else metric.low,
        "_high": mean if metric.high is None else metric.high,
    }
    return {f"{axis}{end}": value * times for end, value in ends.items()}


def _published(decoders: Sequence[str], across: str, up: str) -> list[dict[str, Any]]:
    """Return the rows of the paper's table that have both metrics, in percent as in the paper."""
    paper = papers()[_PAPER]
    rows: dict[str, dict[str, float]] = {}
    for number in paper.numbers(paper.table(_TABLE)):
        if number.model and (number.model.articles or number.model.name == _MODEL):
            decoder = parse(number.decoder)[0].canonical if number.decoder else _ARTICLES
            rows.setdefault(decoder, {})[PUBLISHED.get(number.metric.title, "")] = number.value
    return [
        {axis + end: row[metric] for axis, metric in (("x", across), ("y", up)) for end in ("", "_low", "_high")}
        | {"color": _colour(decoders, decoder), "fill": "#00000000", "shape": "diamond", "words": ""}
        for decoder, row in rows.items()
        if across in row and up in row
    ]


def _colour(decoders: Sequence[str], decoder: str) -> str:
    """Return a unique color, or gray for the paper's other decoders and if all colors are used."""
    return PALETTE[decoders.index(decoder)] if decoder in decoders[: len(PALETTE)] else GREY


def _names(decoders: Sequence[str]) -> dict[str, str]:
    """Return a unique name for each decoder: its first word if that is unique, otherwise its short form."""
    families = {decoder: decoder.partition(":")[0] for decoder in decoders}
    counts = Counter(families.values())
    named = {decoder: family if counts[family] == 1 else _short(decoder) for decoder, family in families.items()}
    return named | ({_ARTICLES: "articles"} if _ARTICLES in named else {})


def _short(decoder: str) -> str:
    try:
        return short_form(decoder)
    except UsageError:
        return decoder
