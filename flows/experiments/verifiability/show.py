"""Build the paper's table 1 with intervals, the table of differences, and the figures."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import astuple, fields
from functools import partial
from typing import Any, TypeVar

from flows.experiments.directions import decoders_words, untold
from flows.experiments.experiment import Findings, Shown, Table
from flows.experiments.verifiability.figures import figures
from flows.experiments.verifiability.metrics import FOUR_GRAMS, PROPORTION, SUPPORT
from flows.experiments.verifiability.result_tables import (
    VerifiabilityChecker,
    VerifiabilityCorrection,
    VerifiabilityDifference,
    VerifiabilityMetric,
)
from flows.experiments.verifiability.words import DECISIVE, in_unit, points, sentence
from flows.presenting.numbers import counted, estimate, hundredths, p_value
from newwiki.decoding.grammar import short_form
from storage import experiments
from storage.database import Database

Row = TypeVar("Row", VerifiabilityMetric, VerifiabilityDifference, VerifiabilityCorrection)

_METRICS = (
    "By decoder, with 95 % intervals clustered by prompt: different 4-grams of the first 256 words, and beside the "
    "articles' in per cent; in per cent the supported sentences of the first five (SPG) and of the verified ones "
    "(SPV), and the same where sentences with one label and one evidence count once (USPG, USPV). Undefined are texts "
    "without a verified sentence, which have no SPV and no USPV."
)
_DIFFERENCES = (
    "Each decoder less {against}, by prompts that have a number under both, with 95 % intervals, shares in percentage "
    "points; higher or lower where p is at most 0.05 after Holm's correction for a model's decoders and metrics. "
    "In brackets: how many prompts."
)
_CORRECTED = (
    "SPG, SPV, USPG and USPV in per cent as people would find them, with 95 % intervals over prompts, and in brackets "
    "by the checker alone. People labelled a random sentence of some prompts, and prediction-powered inference "
    "corrects the checker's numbers by the labels. SPV and USPV are of the sentences of all texts together."
)
_CHECKER = (
    "How good the checker is, by the sentences that people labelled: precision is the share of the checker's sentences "
    "that people call so, too, and recall the share of people's that it finds, in per cent with 95 % intervals; the "
    "last two columns are the paper's checker (section 6)."
)
_PAPERS_CHECKER = {"supported": (80.89, 45.66), "refuted": (52.69, 5.78)}
_HEADS = {
    FOUR_GRAMS: "distinct 4-grams",
    PROPORTION: "4-gram proportion",
    **{name: name.upper() for name in SUPPORT},
}


def show(database: Database, experiment_id: str) -> Shown:
    metrics = experiments.rows(database, VerifiabilityMetric, experiment_id)
    apart = experiments.rows(database, VerifiabilityDifference, experiment_id)
    models = list(dict.fromkeys(metric.model for metric in metrics if metric.decoder != "reference"))
    heads = ["decoder", *(["model"] if len(models) > 1 else []), *_HEADS.values(), "texts", "undefined"]
    tables = [Table(_METRICS, heads, [_cells(by_metric, len(models) > 1) for by_metric in _by_decoder(metrics)])]
    tables += [
        _differences(model_differences, model if len(models) > 1 else "")
        for model in models
        if (model_differences := [difference for difference in apart if difference.model == model])
    ]
    corrected = experiments.rows(database, VerifiabilityCorrection, experiment_id)
    checker = experiments.rows(database, VerifiabilityChecker, experiment_id)
    if corrected:
        tables += [_corrections(corrected, len(models) > 1), _checkers(checker)]
    names = [column.name for column in fields(VerifiabilityMetric)]
    summary = findings(apart, corrected)
    return Shown(names, [astuple(metric) for metric in metrics], summary, tables, lambda _: figures(metrics))


def findings(apart: Sequence[VerifiabilityDifference], corrected: Sequence[VerifiabilityCorrection] = ()) -> Findings:
    """State by model and metric which decoders differ from the baseline, and the numbers corrected by people."""
    holds: list[str] = []
    unknown: list[tuple[str, str, str]] = []
    for model, metric in dict.fromkeys((difference.model, difference.metric) for difference in apart):
        own_differences = [
            difference for difference in apart if (difference.model, difference.metric) == (model, metric)
        ]
        about, beside = f"{model}: {_HEADS[metric]}", short_form(own_differences[0].against)
        for way in ("higher", "lower"):
            names = [_with_interval(difference) for difference in own_differences if difference.verdict == way]
            holds += [f"{about} is {way} than with {beside}: {'; '.join(names)}"] if names else []
        names = [
            short_form(difference.decoder)
            for difference in own_differences
            if difference.verdict not in ("higher", "lower")
        ]
        under = decoders_words(names, len(own_differences))
        unknown += [(model, _HEADS[metric], f"from {beside} under {under}")] if names else []
    holds += _by_people(
        [correction for correction in corrected if correction.metric == DECISIVE and correction.corrected is not None]
    )
    return Findings(answer=sentence(apart), holds=holds, unknown=[*untold(unknown), *_by_the_checker(corrected)])


def _by_people(corrected: Sequence[VerifiabilityCorrection]) -> list[str]:
    """Return the corrected numbers next to the checker's own."""
    each = "; ".join(f"{short_form(correction.decoder)}, {_corrected(correction)}" for correction in corrected)
    return [f"{_HEADS[DECISIVE]} in per cent as people would find it, in brackets by the checker: {each}"] * bool(each)


def _by_the_checker(corrected: Sequence[VerifiabilityCorrection]) -> list[str]:
    """State why numbers are the checker's alone."""
    about = "what people would call supported"
    lacking = Counter(
        correction.lacking for correction in corrected if correction.metric == DECISIVE and correction.lacking
    )
    if not corrected:
        return [f"{about}: none labelled a sentence, the checker alone did"]
    return [f"{about} under {counted(count, 'decoder')}: {why}" for why, count in lacking.items()]


def _with_interval(difference: VerifiabilityDifference) -> str:
    return f"{short_form(difference.decoder)}, {points(difference)}"


def _by_decoder(rows: Sequence[Row]) -> list[dict[str, Row]]:
    """Return for each model and decoder its rows by metric."""
    who = dict.fromkeys((row.model, row.decoder) for row in rows)
    return [{row.metric: row for row in rows if (row.model, row.decoder) == key} for key in who]


def _cells(by_metric: Mapping[str, VerifiabilityMetric], several: bool) -> list[Any]:
    first = by_metric["spv"]
    numbers = [_number(by_metric[name]) for name in _HEADS]
    model = [first.model] if several else []
    return [short_form(first.decoder), *model, *numbers, first.texts + first.undefined, first.undefined]


def _number(metric: VerifiabilityMetric) -> str:
    if metric.mean is None:
        return "undefined"
    return estimate(metric.mean, metric.low, metric.high, partial(in_unit, metric.metric))


def _differences(apart: Sequence[VerifiabilityDifference], model: str) -> Table:
    metrics = list(dict.fromkeys(difference.metric for difference in apart))
    cells = [
        [short_form(next(iter(by_metric.values())).decoder), *(_difference(by_metric[metric]) for metric in metrics)]
        for by_metric in _by_decoder(apart)
    ]
    caption = _DIFFERENCES.format(against=short_form(apart[0].against))
    return Table(f"{model}: {caption}" if model else caption, ["decoder", *(_HEADS[name] for name in metrics)], cells)


def _difference(difference: VerifiabilityDifference) -> str:
    if difference.difference is None:
        return "no prompt has both"
    p = "" if difference.p_holm is None else f", p {p_value(difference.p_holm)}"
    return f"{points(difference)} {difference.verdict}{p} ({difference.prompts})"


def _corrections(corrected: Sequence[VerifiabilityCorrection], several: bool) -> Table:
    heads = ["decoder", *(["model"] if several else []), *(name.upper() for name in SUPPORT), "labelled prompts"]
    cells = []
    for by_metric in _by_decoder(corrected):
        first = by_metric["spg"]
        model = [first.model] if several else []
        numbers = [_corrected(by_metric[name]) for name in SUPPORT]
        cells.append([short_form(first.decoder), *model, *numbers, f"{first.labelled} of {first.prompts}"])
    return Table(_CORRECTED, heads, cells)


def _corrected(correction: VerifiabilityCorrection) -> str:
    by_checker = "undefined" if correction.uncorrected is None else hundredths(correction.uncorrected)
    if correction.corrected is None or correction.low is None or correction.high is None:
        return f"{correction.lacking} ({by_checker})"
    return f"{estimate(correction.corrected, correction.low, correction.high, hundredths)} ({by_checker})"


def _checkers(checker: Sequence[VerifiabilityChecker]) -> Table:
    cells = [
        [
            row.label,
            f"{row.by_checker} of {row.labelled}",
            f"{row.by_people:g}",
            estimate(row.precision, row.precision_low, row.precision_high, hundredths),
            estimate(row.recall, row.recall_low, row.recall_high, hundredths),
            *_PAPERS_CHECKER[row.label],
        ]
        for row in checker
    ]
    heads = [
        "label",
        "by the checker",
        "by people",
        "precision",
        "recall",
        "the paper's precision",
        "the paper's recall",
    ]
    return Table(_CHECKER, heads, cells)
