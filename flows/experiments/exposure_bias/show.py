"""What was found of prefixes, as the paper's tables 2, 8 and 9; the figures are drawn beside."""

from collections.abc import Callable, Sequence
from dataclasses import astuple, fields
from typing import Any

from evaluators.statistics import LEVEL
from flows.experiments.experiment import Findings, Shown, Table
from flows.experiments.exposure_bias.examples import ExposureExample
from flows.experiments.exposure_bias.figures import figures
from flows.experiments.exposure_bias.findings import GAP, ExposureMeasure, ExposureTrend
from flows.experiments.exposure_bias.measuring import DIVERGENCES, METEOR, SCORES
from flows.experiments.exposure_bias.prefixes import CORRUPTED, DATA, MODEL
from flows.experiments.exposure_bias.words import of_prefix
from flows.tables import p_value
from newwiki.decoding.grammar import short_form
from storage.database import Database
from storage.experiments import rows

_RATIOS = (
    "{who}: EB-M and EB-C by the length of the prefix, the mean over seeds and their standard deviation (table 2 of "
    "the paper, and in numbers its figure 2). Above 1 is worse than after prefixes of data."
)
_SCORES = "{who}: the scores that EB-M is made of, and what they are more or less than after data (table 8)."
_DEVIATIONS = "{who}: the mean divergences (CGD) that EB-C is made of (table 9)."
_TRENDS = (
    "{who}: EB-M and EB-C in the mean over lengths with the 95 % interval over seeds and p of the test that it is 1; "
    "what they gain for 10 tokens more of prefix, or of the gap between a damaged prefix and what is scored (figure 3)."
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
_ORDER = (*(one for one in SCORES), METEOR, *DIVERGENCES)
_PER = 10
_EXAMPLES = "{who}: what it goes on with after a prompt, {prompt}, and the longest prefixes (tables 1, 6 and 10)."


def show(database: Database, experiment_id: str) -> Shown:
    found = rows(database, ExposureMeasure, "exposure_measures", experiment_id)
    apart = rows(database, ExposureTrend, "exposure_trends", experiment_id)
    texts = rows(database, ExposureExample, "exposure_examples", experiment_id)
    tables = []
    several = len({one.decoder for one in found}) > 1
    for key in dict.fromkeys((one.model, one.decoder) for one in found):
        who = f"{key[0]} under {short_form(key[1])}" if several else key[0]
        of_both = [one for one in found if (one.model, one.decoder) == key]
        tables += _tables(who, of_both, [one for one in apart if (one.model, one.decoder) == key])
        tables.append(_examples(who, [one for one in texts if (one.model, one.decoder) == key]))
    names = [one.name for one in fields(ExposureMeasure)]
    return Shown(names, [astuple(one) for one in found], _findings(apart), tables, lambda: figures(found))


def _findings(apart: Sequence[ExposureTrend]) -> Findings:
    """Of each kind of prefix whether it is worse than data, and whether that changes along the prefix or the gap."""
    holds, unknown = [], []
    for one in apart:
        who = f"{one.model} under {short_form(one.decoder)}"
        after = f"{who}, {_ratio_name(one.metric)}, {of_prefix(one.prefix, one.rate)} prefixes"
        if one.along != GAP:
            ends = f" [{one.low:.3f}, {one.high:.3f}]" if one.low is not None and one.high is not None else ""
            mean = "" if one.mean is None else f" ({one.mean:.3f}{ends})"
            if one.mean is not None and one.p is not None and one.p <= LEVEL:
                holds.append(f"{after}: {'worse' if one.mean > 1 else 'better'} than after data{mean}")
            else:
                unknown.append(f"{after}: whether it is worse than after data{mean or f': {one.no_interval}'}")
        if one.slope is not None and one.slope_p is not None and one.slope_p <= LEVEL:
            way = "grows" if one.slope > 0 else "falls"
            holds.append(f"{after}: {way} along the {'gap' if one.along == GAP else 'prefix'}")
    return Findings(holds=holds, unknown=unknown)


def _tables(who: str, found: Sequence[ExposureMeasure], apart: Sequence[ExposureTrend]) -> list[Table]:
    lengths = sorted({one.prefix_length for one in found if one.prefix == MODEL})
    right_after = [one for one in found if not one.gap and one.prefix_length in lengths]
    heads = ["", "prefix", *map(str, lengths)]
    others = [one for one in right_after if one.prefix != DATA]
    tables = [Table(_RATIOS.format(who=who), heads, _by_length(others, _ratio, _ratio_name))]
    scored = [one for one in right_after if one.metric not in DIVERGENCES]
    tables.append(Table(_SCORES.format(who=who), heads, _beside_data(scored)))
    if divergent := [one for one in right_after if one.metric in DIVERGENCES]:
        tables.append(Table(_DEVIATIONS.format(who=who), heads, _beside_data(divergent)))
    trend_heads = ["", "prefix", "mean [95 %]", "p", "along", "for 10 tokens [95 %]", "p"]
    ordered = sorted(apart, key=lambda one: (_ORDER.index(one.metric), _PLACES[one.prefix]))
    tables.append(Table(_TRENDS.format(who=who), trend_heads, [_trend(one) for one in ordered]))
    return tables


def _examples(who: str, texts: Sequence[ExposureExample]) -> Table:
    order = sorted(texts, key=lambda one: _PLACES[one.prefix])
    cells = [[of_prefix(one.prefix, one.rate), f"… {one.prefix_end}", one.written] for one in order]
    return Table(
        _EXAMPLES.format(who=who, prompt=repr(texts[0].prompt)), ["prefix", "its end", "what it writes"], cells
    )


def _by_length(
    found: Sequence[ExposureMeasure],
    cell: Callable[[ExposureMeasure], str],
    name: Callable[[str], str],
) -> list[list[Any]]:
    """A row a metric and prefix, a column a length."""
    by_row: dict[tuple[int, str, float, str], dict[int, str]] = {}
    for one in found:
        key = (_ORDER.index(one.metric), one.prefix, one.rate, one.metric)
        by_row.setdefault(key, {})[one.prefix_length] = cell(one)
    order = sorted(by_row, key=lambda key: (key[0], _PLACES[key[1]], key[2]))
    return [
        [name(key[3]), of_prefix(key[1], key[2]), *(cells for _, cells in sorted(by_row[key].items()))] for key in order
    ]


_PLACES = {DATA: 0, MODEL: 1, "shuffled": 2, CORRUPTED: 3}


def _beside_data(found: Sequence[ExposureMeasure]) -> list[list[Any]]:
    data = {(one.metric, one.prefix_length): one.score for one in found if one.prefix == DATA}

    def cell(one: ExposureMeasure) -> str:
        if one.prefix == DATA:
            return f"{one.score:.3f}"
        return f"{one.score:.3f} ({_signed(one.score - data[one.metric, one.prefix_length], 3)})"

    return _by_length(found, cell, lambda metric: NAMES[metric])


def _ratio_name(metric: str) -> str:
    return f"{'EB-C' if metric in DIVERGENCES else 'EB-M'} ({NAMES[metric]})"


def _ratio(one: ExposureMeasure) -> str:
    if one.ratio is None:
        return one.no_interval or "–"
    return f"{one.ratio:.3f}" if one.ratio_sd is None else f"{one.ratio:.3f} ±{one.ratio_sd:.3f}"


def _trend(one: ExposureTrend) -> list[Any]:
    what = [_ratio_name(one.metric), of_prefix(one.prefix, one.rate)]
    if one.mean is None:
        return [*what, one.no_interval or "–", "–", one.along, "–", "–"]
    ends = f"{one.low:.3f}, {one.high:.3f}" if one.low is not None and one.high is not None else one.no_interval
    mean = ["", ""] if one.along == GAP else [f"{one.mean:.3f} [{ends}]", "–" if one.p is None else p_value(one.p)]
    if one.slope is None:
        return [*what, *mean, one.along, "–", "–"]
    known = [one.slope_low, one.slope_high]
    slope_ends = ", ".join(_signed(end * _PER, 4) for end in known if end is not None) or "none"
    slope = f"{_signed(one.slope * _PER, 4)} [{slope_ends}]"
    return [*what, *mean, one.along, slope, "–" if one.slope_p is None else p_value(one.slope_p)]


def _signed(number: float, places: int) -> str:
    return f"{round(number, places) + 0.0:+.{places}f}".replace("-", "−")
