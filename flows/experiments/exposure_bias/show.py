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
_ORDER = (*(one for one in SCORES), METEOR, *DIVERGENCES)
_PER = 10
_ALONG = {LENGTH: "prefix", GAP: "gap"}
_EXAMPLES = "{who}: what it goes on with after a prompt, {prompt}, and the longest prefixes (tables 1, 6 and 10)."


def show(database: Database, experiment_id: str) -> Shown:
    found = rows(database, ExposureMeasure, experiment_id)
    apart = rows(database, ExposureTrend, experiment_id)
    texts = rows(database, ExposureExample, experiment_id)
    tables = []
    several = len({one.decoder for one in found}) > 1
    for key in dict.fromkeys((one.model, one.decoder) for one in found):
        who = f"{key[0]} under {short_form(key[1])}" if several else key[0]
        of_both = [one for one in found if (one.model, one.decoder) == key]
        tables += _tables(who, of_both, [one for one in apart if (one.model, one.decoder) == key])
        tables.append(_examples(who, [one for one in texts if (one.model, one.decoder) == key]))
    names = [one.name for one in fields(ExposureMeasure)]
    return Shown(names, [astuple(one) for one in found], findings_of(apart), tables, lambda _: figures(found))


def findings_of(apart: Sequence[ExposureTrend]) -> Findings:
    """State by metric after which prefixes a model writes worse than after data, and the changes along prefix and gap.

    The model's own prefixes come first. The tests behind the verdict are corrected as one family, all other tests as
    another (Holm).
    """
    holds, unknown = [], []
    apart = _corrected(apart)
    ordered = sorted(apart, key=lambda one: (_ORDER.index(one.metric), _PLACES[one.prefix], one.rate))
    for model, decoder, metric in dict.fromkeys((one.model, one.decoder, one.metric) for one in ordered):
        found = [one for one in ordered if (one.model, one.decoder, one.metric) == (model, decoder, metric)]
        about = f"{model} under {short_form(decoder)}, {_ratio_name(metric)}"
        means = [one for one in found if one.along != GAP]
        for way in ("worse", "better"):
            after = [_after(one) for one in means if _way(one) == way]
            holds += [f"{about} is {way} than after data (1), by prefix: {'; '.join(after)}"] if after else []
        after = [_after(one) for one in means if _way(one) is None]
        unknown += [f"{about}: p is above 0.05 after Holm's correction, by prefix: {'; '.join(after)}"] if after else []
        for along in dict.fromkeys(one.along for one in found):
            for way, rises in (("grows", True), ("falls", False)):
                after = [
                    of_prefix(one.prefix, one.rate)
                    for one in found
                    if one.along == along and _is_shown(one.slope_p) and ((one.slope or 0.0) > 0) == rises
                ]
                holds += [f"{about} {way} along the {_ALONG[along]} after {'; '.join(after)} prefixes"] if after else []
    return Findings(answer=sentence(apart), holds=holds, unknown=unknown)


def _corrected(apart: Sequence[ExposureTrend]) -> list[ExposureTrend]:
    """Return the trends with p and slope_p after Holm's correction."""
    decided = {id(one): p for one, p in decisive(apart)}
    tests = [(one, name) for one in apart for name in ("p", "slope_p") if not (name == "p" and id(one) in decided)]
    raw = [getattr(one, name) for one, name in tests]
    corrected = iter(holm([nan if p is None else p for p in raw]))
    made = []
    for one in apart:
        p = decided[id(one)] if id(one) in decided else float(next(corrected))
        made.append(replace(one, p=number_or_none(p), slope_p=number_or_none(float(next(corrected)))))
    return made


def _is_shown(p: float | None) -> bool:
    return p is not None and p <= LEVEL


def _way(one: ExposureTrend) -> str | None:
    return ("worse" if one.mean > 1 else "better") if one.mean is not None and _is_shown(one.p) else None


def _after(one: ExposureTrend) -> str:
    if one.mean is None:
        return f"{of_prefix(one.prefix, one.rate)} ({one.no_interval})"
    return f"{of_prefix(one.prefix, one.rate)} {ratio(one)}"


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
    """Return a row for each metric and prefix, with a column for each length."""
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
            return fixed(one.score, 3)
        return f"{fixed(one.score, 3)} ({fixed(one.score - data[one.metric, one.prefix_length], 3, signed=True)})"

    return _by_length(found, cell, lambda metric: NAMES[metric])


def _ratio_name(metric: str) -> str:
    return f"{'EB-C' if metric in DIVERGENCES else 'EB-M'} ({NAMES[metric]})"


def _ratio(one: ExposureMeasure) -> str:
    if one.ratio is None:
        return one.no_interval or NONE
    return fixed(one.ratio, 3) + ("" if one.ratio_sd is None else f" ± {fixed(one.ratio_sd, 3)}")


def _trend(one: ExposureTrend) -> list[Any]:
    what = [_ratio_name(one.metric), of_prefix(one.prefix, one.rate)]
    if one.mean is None:
        return [*what, one.no_interval or NONE, NONE, one.along, NONE, NONE]
    three = partial(fixed, decimals=3)
    mean = (
        ["", ""]
        if one.along == GAP
        else [estimate(one.mean, one.low, one.high, three, one.no_interval), p_value(one.p)]
    )
    return [*what, *mean, one.along, slope(one), NONE if one.slope is None else p_value(one.slope_p)]
