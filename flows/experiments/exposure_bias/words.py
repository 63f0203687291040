"""State in sentences what was found, and the limits of the answer."""

from collections.abc import Sequence
from functools import partial

from evaluators.statistics import LEVEL, holm
from flows.experiments.exposure_bias.findings import GAP, LENGTH
from flows.experiments.exposure_bias.leave_out import (
    FEWEST,
    FEWEST_ARTICLES,
    MOST_GROUPS,
    TOO_FEW,
    TOO_FEW_ARTICLES,
    ZERO,
)
from flows.experiments.exposure_bias.prefixes import CORRUPTED, MODEL
from flows.experiments.exposure_bias.request import ExposureBiasRequest
from flows.experiments.exposure_bias.result_tables import ExposureMeasure, ExposureScore, ExposureTrend
from flows.presenting.numbers import estimate, fixed, p_value
from newwiki.decoding.grammar import short_form

DECISIVE = {"EB-M by BLEU": "bleu", "EB-C by Jensen-Shannon": "jensen_shannon"}
WORSE, BETTER, ALIKE = "worse after its own text", "better after its own text", "no difference shown"
_PER = 10  # tokens over which a change is reported


def verdict(found: Sequence[ExposureTrend], articles: int) -> str:
    """Return by BLEU whether a model continues its own text worse, and the number of articles.

    With several models and decoders, each clause has its name, and p is Holm-corrected for their number.
    """
    own = decisive(found)
    judged = [_judged(one, p) for one, p in own]
    if len(own) > 1:
        several = len({one.decoder for one, _ in own}) > 1
        judged = [f"{_who(one, several)}: {told}" for (one, _), told in zip(own, judged, strict=True)]
    return f"{'; '.join(judged)} (over {articles:,} articles)"


def decisive(found: Sequence[ExposureTrend]) -> list[tuple[ExposureTrend, float]]:
    """Return the ratios behind the verdict of each model and decoder, with their p after Holm's correction.

    The ratios are those by BLEU after the model's own prefixes.
    """
    own = [one for one in found if (one.prefix, one.metric, one.along) == (MODEL, "bleu", LENGTH)]
    return list(zip(own, map(float, holm([one.p for one in own])), strict=True))


def sentence(found: Sequence[ExposureTrend]) -> str:
    """Return the answer as one sentence per model and decoder."""
    own = decisive(found)
    several = len({one.decoder for one, _ in own}) > 1
    return ". ".join(_answer(one, _who(one, several), p) for one, p in own)


def of_prefix(prefix: str, rate: float) -> str:
    if prefix == MODEL:
        return "the model's own"
    if prefix == CORRUPTED:
        return "random" if rate == 1 else f"corrupted at {rate:g}"
    return prefix


def words(
    found: Sequence[ExposureMeasure],
    apart: Sequence[ExposureTrend],
    scores: Sequence[ExposureScore],
    request: ExposureBiasRequest,
    data_model: str | None,
    articles: int,
    too_short: int,
) -> list[str]:
    told = [_asked(scores, request, data_model)]
    several = len({one.decoder for one in found}) > 1
    for key in dict.fromkeys((one.model, one.decoder) for one in found):
        of_both = [one for one in apart if (one.model, one.decoder) == key]
        who = _who(of_both[0], several)
        for name, metric in DECISIVE.items():
            told += _of_metric(f"{who}: {name}", [one for one in of_both if one.metric == metric])
    if data_model in {one.model for one in found}:
        told.append(
            f"{data_model} is in the articles' place and measured, too: it deviates nowhere, so EB-C is a division by 0"
        )
    if too_short:
        told.append(f"{too_short:,} of {articles:,} articles are shorter than a stretch, and left out")
    if request.seeds < FEWEST:
        told.append(f"an interval takes at least {FEWEST} seeds (--seeds)")
    told.append(_unit(articles - too_short))
    return told


def _unit(articles: int) -> str:
    """State what the intervals generalize over, and the limits of the simulated null."""
    if articles < FEWEST_ARTICLES:
        return f"an interval takes at least {FEWEST_ARTICLES} articles, and there are {articles}"
    groups = "each article" if articles <= MOST_GROUPS else f"each of {MOST_GROUPS} groups of articles"
    return (
        f"intervals are over {articles:,} articles, by leaving {groups} out of all seeds at once; the references stay "
        "the same. The simulation that tests these intervals has articles that are independent of each other: articles "
        "on one subject make intervals too narrow. It does not cover METEOR and EB-C"
    )


def _asked(scores: Sequence[ExposureScore], request: ExposureBiasRequest, data_model: str | None) -> str:
    texts = f"{scores[0].texts:,}"
    data = f"what {data_model} writes after articles' prompts" if data_model else "articles"
    return (
        f"{request.seeds} seeds, in each {texts} prompts of {request.prompt_length} tokens, and "
        f"{request.max_new_tokens} tokens scored after each prefix; data is {data}, and references are "
        "those of other articles"
    )


def _of_metric(name: str, found: Sequence[ExposureTrend]) -> list[str]:
    own = [one for one in found if one.prefix == MODEL and one.mean is not None]
    if not own:
        return []
    told = [f"{name} is {ratio(own[0])} after its own prefixes, in the mean over lengths{_gain(own[0])}"]
    damaged = [one for one in found if one.prefix != MODEL and one.along == LENGTH and one.mean is not None]
    if damaged:
        listed = ", ".join(f"{fixed(one.mean or 0.0, 3)} ({of_prefix(one.prefix, one.rate)})" for one in damaged)
        told.append(f"{name} after damaged prefixes is {listed}")
    told += [
        f"{name} after damaged prefixes ({of_prefix(one.prefix, one.rate)}) and a gap{_gain(one)}: {_recovers(one)}"
        for one in found
        if one.along == GAP and one.slope is not None
    ]
    return told


def _gain(one: ExposureTrend) -> str:
    return "" if one.slope is None else f", {slope(one)} for {_PER} tokens more"


def ratio(one: ExposureTrend) -> str:
    """Format the mean ratio with its interval."""
    return estimate(one.mean, one.low, one.high, partial(fixed, decimals=3))


def slope(one: ExposureTrend) -> str:
    """Format the change of the ratio over 10 tokens, with its interval."""
    return estimate(one.slope, one.slope_low, one.slope_high, _over_tokens)


def _over_tokens(change: float) -> str:
    return fixed(change * _PER, 4, signed=True)


def _recovers(one: ExposureTrend) -> str:
    if one.slope_p is None or one.slope is None or one.slope_p > LEVEL:
        return "whether it recovers cannot be told"
    return "it recovers" if one.slope < 0 else "it does not recover"


def _judged(one: ExposureTrend, p_holm: float) -> str:
    if one.mean is None or one.no_interval in (TOO_FEW, TOO_FEW_ARTICLES, ZERO):
        return one.no_interval or ALIKE
    if not p_holm <= LEVEL:
        return ALIKE
    return WORSE if one.mean > 1 else BETTER


def _answer(one: ExposureTrend, who: str, p_holm: float) -> str:
    judged = _judged(one, p_holm)
    number = f"EB-M by BLEU is {ratio(one)} (1 is no difference; p {p_value(p_holm)})" if one.mean is not None else ""
    told = {
        WORSE: f"{who} continues its own text worse than articles: {number}",
        BETTER: f"{who} continues its own text better than articles: {number}",
        ALIKE: f"No difference is shown between how {who} continues its own text and articles: {number}",
    }
    return told.get(judged, f"Whether {who} continues its own text worse than articles cannot be told: {judged}")


def _who(one: ExposureTrend, several: bool) -> str:
    return f"{one.model} under {short_form(one.decoder)}" if several else one.model
