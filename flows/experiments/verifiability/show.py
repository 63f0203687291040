"""The paper's table 1 with intervals, what differs, and the figures."""

from collections.abc import Mapping, Sequence
from dataclasses import astuple, fields
from typing import Any

from flows.experiments.experiment import Shown, Table
from flows.experiments.verifiability.figures import figures
from flows.experiments.verifiability.metrics import (
    FOUR_GRAMS,
    PROPORTION,
    SUPPORT,
    VerifiabilityDifference,
    VerifiabilityMetric,
)
from flows.tables import p_value
from newwiki.decoding.grammar import short_form
from storage import experiments
from storage.database import Database

_METRICS = (
    "By decoder, with 95 % intervals clustered by prompt: different 4-grams of the first 256 words, and beside the "
    "articles' in per cent; in per cent the supported sentences of the first five (SPG) and of the verified ones "
    "(SPV), and the same where sentences with one label and one evidence count once (USPG, USPV). Undefined are texts "
    "without a verified sentence, which have no SPV and no USPV."
)
_DIFFERENCES = (
    "Each decoder less the one beside it, over prompts, with its 95 % interval, shares in percentage points; p after "
    "Holm's correction for all decoders and metrics of a model."
)
_HEADS = {
    FOUR_GRAMS: "distinct 4-grams",
    PROPORTION: "4-gram proportion",
    **{name: name.upper() for name in SUPPORT},
}


def show(database: Database, experiment_id: str) -> Shown:
    found = experiments.rows(database, VerifiabilityMetric, "verifiability_metrics", experiment_id)
    apart = experiments.rows(database, VerifiabilityDifference, "verifiability_differences", experiment_id)
    who = list(dict.fromkeys((one.model, one.decoder) for one in found))
    by_who = [{one.metric: one for one in found if (one.model, one.decoder) == key} for key in who]
    tables = [Table(_METRICS, ["decoder", "model", *_HEADS.values(), "texts", "undefined"], [*map(_cells, by_who)])]
    if apart:
        heads = ["decoder", "model", "beside", "metric", "prompts", "difference [95 %]", "p", "verdict"]
        tables.append(Table(_DIFFERENCES, heads, [_difference(one) for one in apart]))
    names = [one.name for one in fields(VerifiabilityMetric)]
    return Shown(names, [astuple(one) for one in found], tables, lambda: figures(found))


def _cells(of_one: Mapping[str, VerifiabilityMetric]) -> list[Any]:
    first = of_one["spv"]
    shares = [_interval(of_one[name], 1 if name == FOUR_GRAMS else 100) for name in _HEADS]
    return [short_form(first.decoder), first.model, *shares, first.texts + first.undefined, first.undefined]


def _interval(one: VerifiabilityMetric, times: int) -> str:
    if one.mean is None:
        return "undefined"
    if one.low is None or one.high is None:
        return f"{one.mean * times:.1f}"
    return f"{one.mean * times:.1f} [{one.low * times:.1f}, {one.high * times:.1f}]"


def _difference(one: VerifiabilityDifference) -> list[Any]:
    times = 1 if one.metric == FOUR_GRAMS else 100
    ends = [None if end is None else end * times for end in (one.difference, one.low, one.high)]
    return [
        short_form(one.decoder),
        one.model,
        short_form(one.against),
        _HEADS[one.metric],
        one.prompts,
        _signed(ends),
        "–" if one.p_holm is None else p_value(one.p_holm),
        one.verdict,
    ]


def _signed(ends: Sequence[float | None]) -> str:
    told = ["–" if end is None else f"{end:+.1f}".replace("-", "−") for end in ends]
    return told[0] if None in ends[1:] else f"{told[0]} [{told[1]}, {told[2]}]"
