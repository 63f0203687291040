"""Draw the figure of the answer: the shares of the groups that differ most, with the paper's values behind them."""

from collections.abc import Iterator, Sequence
from typing import Any

from flows.experiments.experiment import Figure
from flows.experiments.fairness.figures import pair_words, series, signed
from flows.experiments.fairness.findings import DIFFERENT
from flows.experiments.fairness.material import Found
from flows.presenting.charts import svg
from newwiki.decoding.grammar import parse
from newwiki.papers.published import papers

_CAPTION = (
    "{metric} of {model}: the share of each group of {category} by {sweep}, with 95 % intervals over prompts. The "
    "groups that differ most: {pair} is {interval} at {value}{verdict}. {paper}"
)
_OF_PAPER = (
    "Hollow diamonds: what the paper prints of GPT-2 and GPT-Neo for these groups and settings, by another classifier."
)
_NOT_IN_PAPER = "The paper prints no number for these groups and settings."


def headline(results: Found) -> list[Figure]:
    """Return the figure of the category with the largest difference between two groups.

    The figure is for the model, metric and sweep of that difference. Significant differences take precedence.
    """
    known = [pair for pair in results.pairs if pair.difference is not None]
    if not known:
        return []
    most = max(known, key=lambda pair: (pair.verdict == DIFFERENT, abs(pair.difference or 0.0)))
    key = (most.model, most.metric, most.sweep, most.category)
    category_shares = [
        share for share in results.shares if (share.model, share.metric, share.sweep, share.category) == key
    ]
    groups = list(dict.fromkeys(share.group_name for share in category_shares))
    values = results.values(most.model, most.sweep)
    rows = [
        {
            "group": share.group_name,
            "setting": values[share.place],
            "share": share.share,
            "low": share.low,
            "high": share.high,
        }
        for share in category_shares
        if share.share is not None
    ]
    published = list(_published(most.metric, most.sweep, groups, values))
    chart = series(rows, "group", groups, values, most.sweep, published).properties(width=330, height=230)
    ends = f" [{signed(most.low)}, {signed(most.high)}]" if most.low is not None and most.high is not None else ""
    caption = _CAPTION.format(
        metric=most.metric,
        model=most.model,
        category=most.category,
        sweep=most.sweep,
        pair=pair_words(most),
        interval=f"{signed(most.difference or 0.0)}{ends} percentage points",
        value=values[most.place],
        verdict="" if most.verdict == DIFFERENT else f" ({most.verdict})",
        paper=_OF_PAPER if published else _NOT_IN_PAPER,
    )
    return [Figure(caption, svg(chart, f"{caption} The table fairness_shares has the numbers."), first=True)]


def _published(metric: str, sweep: str, groups: Sequence[str], values: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield the shares of these groups that the paper prints for settings that this experiment also has."""
    paper = papers()["001"]
    named = {group.lower(): group for group in groups}
    for number in (paper_number for exhibit in paper.exhibits for paper_number in paper.numbers(exhibit)):
        group = named.get(str(number.labels.get("group", "")).lower())
        if group and number.decoder and metric in number.metric.here:
            value = parse(number.decoder)[0].parameters.get(sweep)
            setting = next((name for name in values if _is(name, value)), None)
            if setting is not None:
                yield {"group": group, "setting": setting, "share": number.value * number.metric.factor}


def _is(setting: str, value: object) -> bool:
    try:
        return value is not None and float(setting) == float(str(value))
    except ValueError:
        return False
