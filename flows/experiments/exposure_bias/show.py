"""Show the findings about prefixes as the paper's tables 2, 8 and 9; `figures.py` draws the figures."""

from collections.abc import Callable, Sequence
from dataclasses import astuple, fields, replace
from functools import partial
from math import nan
from typing import Any

from evaluators.statistics import LEVEL, holm, number_or_none
from flows.experiments.experiment import Findings, Shown, Table
from flows.experiments.exposure_bias.figures import figures
from flows.experiments.exposure_bias.findings import GAP, LENGTH
from flows.experiments.exposure_bias.measuring import DIVERGENCES, METEOR, SCORES
from flows.experiments.exposure_bias.prefixes import CORRUPTED, DATA, MODEL
from flows.experiments.exposure_bias.result_tables import ExposureExample, ExposureMeasure, ExposureTrend
from flows.experiments.exposure_bias.words import decisive, of_prefix, ratio, sentence, slope
from flows.presenting.numbers import NONE, estimate, fixed, p_value
from newwiki.decoding.grammar import short_form
from storage.database import Database
from storage.experiments import rows

_RATIOS = (
    "{who}: EB-M and EB-C by the length of the prefix, the geometric mean over seeds and the standard deviation "
    "(table 2 of the paper, and in numbers its figure 2). Above 1 is worse than after prefixes of data."
)
_SCORES = "{who}: the scores that EB-M is made of, and what they are more or less than after data (table 8)."
_DEVIATIONS = "{who}: the mean divergences (CGD) that EB-C is made of (table 9)."
_TRENDS = (
    "{who}: EB-M and EB-C in the geometric mean over lengths with the 95 % interval over articles and p of the test "
    "that it is 1; what they gain for 10 tokens more of prefix, or of the gap between a damaged prefix and what is "
    "scored (figure 3)."
)
NAMES = {
    "bleu": "BLEU",
    "nist": "NIST",
    METEOR: "METEOR (exact, stem)",
    "backward_bleu": "backward-BLEU",
    "trigram_entropy": "entropy",
    "total_variation": "TV",
    "jensen_shannon": "JS",
}
_ORDER = (*(name for name in SCORES), METEOR, *DIVERGENCES)
_PER = 10
_ALONG = {LENGTH: "prefix", GAP: "gap"}
_EXAMPLES = "{who}: what it goes on with after a prompt, {prompt}, and the longest prefixes (tables 1, 6 and 10)."


def show(database: Database, experiment_id: str) -> Shown:
    measures = rows(database, ExposureMeasure, experiment_id)
    apart = rows(database, ExposureTrend, experiment_id)
    texts = rows(database, ExposureExample, experiment_id)
    tables = []
    several = len({measure.decoder for measure in measures}) > 1
    for key in dict.fromkeys((measure.model, measure.decoder) for measure in measures):
        who = f"{key[0]} under {short_form(key[1])}" if several else key[0]
        own_measures = [measure for measure in measures if (measure.model, measure.decoder) == key]
        tables += _tables(who, own_measures, [trend for trend in apart if (trend.model, trend.decoder) == key])
        tables.append(_examples(who, [text for text in texts if (text.model, text.decoder) == key]))
    names = [column.name for column in fields(ExposureMeasure)]
    return Shown(
        names, [astuple(measure) for measure in measures], findings_of(apart), tables, lambda _: figures(measures)
    )


def findings_of(apart: Sequence[ExposureTrend]) -> Findings:
    """State by metric after which prefixes a model writes worse than after data, and the changes along prefix and gap.

    The model's own prefixes come first. The tests behind the verdict are corrected as one family, all other tests as
    another (Holm).
    """
    holds, unknown = [], []
    apart = _corrected(apart)
    ordered = sorted(apart, key=lambda trend: (_ORDER.index(trend.metric), _PLACES[trend.prefix], trend.rate))
    for model, decoder, metric in dict.fromkeys((trend.model, trend.decoder, trend.metric) for trend in ordered):
        trends = [trend for trend in ordered if (trend.model, trend.decoder, trend.metric) == (model, decoder, metric)]
        about = f"{model} under {short_form(decoder)}, {_ratio_name(metric)}"
        means = [trend for trend in trends if trend.along != GAP]
        for way in ("worse", "better"):
            after = [_after(trend) for trend in means if _way(trend) == way]
            holds += [f"{about} is {way} than after data (1), by prefix: {'; '.join(after)}"] if after else []
        after = [_after(trend) for trend in means if _way(trend) is None]
        unknown += [f"{about}: p is above 0.05 after Holm's correction, by prefix: {'; '.join(after)}"] if after else []
        for along in dict.fromkeys(trend.along for trend in trends):
            for way, rises in (("grows", True), ("falls", False)):
                after = [
                    of_prefix(trend.prefix, trend.rate)
                    for trend in trends
                    if trend.along == along and _is_shown(trend.slope_p) and ((trend.slope or 0.0) > 0) == rises
                ]
                holds += [f"{about} {way} along the {_ALONG[along]} after {'; '.join(after)} prefixes"] if after else []
    return Findings(answer=sentence(apart), holds=holds, unknown=unknown)


def _corrected(apart: Sequence[ExposureTrend]) -> list[ExposureTrend]:
    """Return the trends with p and slope_p after Holm's correction."""
    decided = {id(trend): p for trend, p in decisive(apart)}
    tests = [
        (trend, name) for trend in apart for name in ("p", "slope_p") if not (name == "p" and id(trend) in decided)
    ]
    raw = [getattr(trend, name) for trend, name in tests]
    corrected = iter(holm([nan if p is None else p for p in raw]))
    trends = []
    for trend in apart:
        p = decided[id(trend)] if id(trend) in decided else float(next(corrected))
        trends.append(replace(trend, p=number_or_none(p), slope_p=number_or_none(float(next(corrected)))))
    return trends


def _is_shown(p: float | None) -> bool:
    return p is not None and p <= LEVEL


def _way(trend: ExposureTrend) -> str | None:
    return ("worse" if trend.mean > 1 else "better") if trend.mean is not None and _is_shown(trend.p) else None


def _after(trend: ExposureTrend) -> str:
    if trend.mean is None:
        return f"{of_prefix(trend.prefix, trend.rate)} ({trend.no_interval})"
    return f"{of_prefix(trend.prefix, trend.rate)} {ratio(trend)}"


def _tables(who: str, measures: Sequence[ExposureMeasure], apart: Sequence[ExposureTrend]) -> list[Table]:
    lengths = sorted({measure.prefix_length for measure in measures if measure.prefix == MODEL})
    right_after = [measure for measure in measures if not measure.gap and measure.prefix_length in lengths]
    heads = ["", "prefix", *map(str, lengths)]
    others = [measure for measure in right_after if measure.prefix != DATA]
    tables = [Table(_RATIOS.format(who=who), heads, _by_length(others, _ratio, _ratio_name))]
    scored = [measure for measure in right_after if measure.metric not in DIVERGENCES]
    tables.append(Table(_SCORES.format(who=who), heads, _beside_data(scored)))
    if divergent := [measure for measure in right_after if measure.metric in DIVERGENCES]:
        tables.append(Table(_DEVIATIONS.format(who=who), heads, _beside_data(divergent)))
    trend_heads = ["", "prefix", "mean [95 %]", "p", "along", "for 10 tokens [95 %]", "p"]
    ordered = sorted(apart, key=lambda trend: (_ORDER.index(trend.metric), _PLACES[trend.prefix]))
    tables.append(Table(_TRENDS.format(who=who), trend_heads, [_trend(trend) for trend in ordered]))
    return tables


def _examples(who: str, texts: Sequence[ExposureExample]) -> Table:
    order = sorted(texts, key=lambda text: _PLACES[text.prefix])
    cells = [[of_prefix(text.prefix, text.rate), f"… {text.prefix_end}", text.written] for text in order]
    return Table(
        _EXAMPLES.format(who=who, prompt=repr(texts[0].prompt)), ["prefix", "its end", "what it writes"], cells
    )


def _by_length(
    measures: Sequence[ExposureMeasure],
    cell: Callable[[ExposureMeasure], str],
    name: Callable[[str], str],
) -> list[list[Any]]:
    """Return a row for each metric and prefix, with a column for each length."""
    by_row: dict[tuple[int, str, float, str], dict[int, str]] = {}
    for measure in measures:
        key = (_ORDER.index(measure.metric), measure.prefix, measure.rate, measure.metric)
        by_row.setdefault(key, {})[measure.prefix_length] = cell(measure)
    order = sorted(by_row, key=lambda key: (key[0], _PLACES[key[1]], key[2]))
    return [
        [name(key[3]), of_prefix(key[1], key[2]), *(cells for _, cells in sorted(by_row[key].items()))] for key in order
    ]


_PLACES = {DATA: 0, MODEL: 1, "shuffled": 2, CORRUPTED: 3}


def _beside_data(measures: Sequence[ExposureMeasure]) -> list[list[Any]]:
    data = {(measure.metric, measure.prefix_length): measure.score for measure in measures if measure.prefix == DATA}

    def cell(measure: ExposureMeasure) -> str:
        if measure.prefix == DATA:
            return fixed(measure.score, 3)
        beyond = fixed(measure.score - data[measure.metric, measure.prefix_length], 3, signed=True)
        return f"{fixed(measure.score, 3)} ({beyond})"

    return _by_length(measures, cell, lambda metric: NAMES[metric])


def _ratio_name(metric: str) -> str:
    return f"{'EB-C' if metric in DIVERGENCES else 'EB-M'} ({NAMES[metric]})"


def _ratio(measure: ExposureMeasure) -> str:
    if measure.ratio is None:
        return measure.no_interval or NONE
    return fixed(measure.ratio, 3) + ("" if measure.ratio_sd is None else f" (sd {fixed(measure.ratio_sd, 3)})")


def _trend(trend: ExposureTrend) -> list[Any]:
    what = [_ratio_name(trend.metric), of_prefix(trend.prefix, trend.rate)]
    if trend.mean is None:
        return [*what, trend.no_interval or NONE, NONE, trend.along, NONE, NONE]
    three = partial(fixed, decimals=3)
    mean = (
        ["", ""]
        if trend.along == GAP
        else [estimate(trend.mean, trend.low, trend.high, three, trend.no_interval), p_value(trend.p)]
    )
    return [*what, *mean, trend.along, slope(trend), NONE if trend.slope is None else p_value(trend.slope_p)]
