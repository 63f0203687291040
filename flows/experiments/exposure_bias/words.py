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


def verdict(trends: Sequence[ExposureTrend], articles: int) -> str:
    """Return by BLEU whether a model continues its own text worse, and the number of articles.

    With several models and decoders, each clause has its name, and p is Holm-corrected for their number.
    """
    own = decisive(trends)
    judged = [_judged(trend, p) for trend, p in own]
    if len(own) > 1:
        several = len({trend.decoder for trend, _ in own}) > 1
        judged = [f"{_who(trend, several)}: {text}" for (trend, _), text in zip(own, judged, strict=True)]
    return f"{'; '.join(judged)} (over {articles:,} articles)"


def decisive(trends: Sequence[ExposureTrend]) -> list[tuple[ExposureTrend, float]]:
    """Return the ratios behind the verdict of each model and decoder, with their p after Holm's correction.

    The ratios are those by BLEU after the model's own prefixes.
    """
    own = [trend for trend in trends if (trend.prefix, trend.metric, trend.along) == (MODEL, "bleu", LENGTH)]
    return list(zip(own, map(float, holm([trend.p for trend in own])), strict=True))


def sentence(trends: Sequence[ExposureTrend]) -> str:
    """Return the answer as one sentence per model and decoder."""
    own = decisive(trends)
    several = len({trend.decoder for trend, _ in own}) > 1
    return ". ".join(_answer(trend, _who(trend, several), p) for trend, p in own)


def of_prefix(prefix: str, rate: float) -> str:
    if prefix == MODEL:
        return "the model's own"
    if prefix == CORRUPTED:
        return "random" if rate == 1 else f"corrupted at {rate:g}"
    return prefix


def words(
    measures: Sequence[ExposureMeasure],
    apart: Sequence[ExposureTrend],
    scores: Sequence[ExposureScore],
    request: ExposureBiasRequest,
    data_model: str | None,
    articles: int,
    too_short: int,
) -> list[str]:
    sentences = [_setup(scores, request, data_model)]
    several = len({measure.decoder for measure in measures}) > 1
    for key in dict.fromkeys((measure.model, measure.decoder) for measure in measures):
        own_trends = [trend for trend in apart if (trend.model, trend.decoder) == key]
        who = _who(own_trends[0], several)
        for name, metric in DECISIVE.items():
            sentences += _metric_sentences(f"{who}: {name}", [trend for trend in own_trends if trend.metric == metric])
    if data_model in {measure.model for measure in measures}:
        sentences.append(
            f"{data_model} is in the articles' place and measured, too: it deviates nowhere, so EB-C is a division by 0"
        )
    if too_short:
        sentences.append(f"{too_short:,} of {articles:,} articles are shorter than a stretch, and left out")
    if request.seeds < FEWEST:
        sentences.append(f"an interval takes at least {FEWEST} seeds (--seeds)")
    sentences.append(_unit(articles - too_short))
    return sentences


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


def _setup(scores: Sequence[ExposureScore], request: ExposureBiasRequest, data_model: str | None) -> str:
    texts = f"{scores[0].texts:,}"
    data = f"what {data_model} writes after articles' prompts" if data_model else "articles"
    return (
        f"{request.seeds} seeds, in each {texts} prompts of {request.prompt_length} tokens, and "
        f"{request.max_new_tokens} tokens scored after each prefix; data is {data}, and references are "
        "those of other articles"
    )


def _metric_sentences(name: str, trends: Sequence[ExposureTrend]) -> list[str]:
    own = [trend for trend in trends if trend.prefix == MODEL and trend.mean is not None]
    if not own:
        return []
    sentences = [f"{name} is {ratio(own[0])} after its own prefixes, in the mean over lengths{_gain(own[0])}"]
    damaged = [trend for trend in trends if trend.prefix != MODEL and trend.along == LENGTH and trend.mean is not None]
    if damaged:
        listed = ", ".join(
            f"{fixed(trend.mean or 0.0, 3)} ({of_prefix(trend.prefix, trend.rate)})" for trend in damaged
        )
        sentences.append(f"{name} after damaged prefixes is {listed}")
    sentences += [
        f"{name} after damaged prefixes ({of_prefix(trend.prefix, trend.rate)}) and a gap{_gain(trend)}: "
        f"{_recovers(trend)}"
        for trend in trends
        if trend.along == GAP and trend.slope is not None
    ]
    return sentences


def _gain(trend: ExposureTrend) -> str:
    return "" if trend.slope is None else f", {slope(trend)} for {_PER} tokens more"


def ratio(trend: ExposureTrend) -> str:
    """Format the mean ratio with its interval."""
    return estimate(trend.mean, trend.low, trend.high, partial(fixed, decimals=3))


def slope(trend: ExposureTrend) -> str:
    """Format the change of the ratio over 10 tokens, with its interval."""
    return estimate(trend.slope, trend.slope_low, trend.slope_high, _over_tokens)


def _over_tokens(change: float) -> str:
    return fixed(change * _PER, 4, signed=True)


def _recovers(trend: ExposureTrend) -> str:
    if trend.slope_p is None or trend.slope is None or trend.slope_p > LEVEL:
        return "whether it recovers cannot be told"
    return "it recovers" if trend.slope < 0 else "it does not recover"


def _judged(trend: ExposureTrend, p_holm: float) -> str:
    if trend.mean is None or trend.no_interval in (TOO_FEW, TOO_FEW_ARTICLES, ZERO):
        return trend.no_interval or ALIKE
    if not p_holm <= LEVEL:
        return ALIKE
    return WORSE if trend.mean > 1 else BETTER


def _answer(trend: ExposureTrend, who: str, p_holm: float) -> str:
    judged = _judged(trend, p_holm)
    number = (
        f"EB-M by BLEU is {ratio(trend)} (1 is no difference; p {p_value(p_holm)})" if trend.mean is not None else ""
    )
    answers = {
        WORSE: f"{who} continues its own text worse than articles: {number}",
        BETTER: f"{who} continues its own text better than articles: {number}",
        ALIKE: f"No difference is shown between how {who} continues its own text and articles: {number}",
    }
    return answers.get(judged, f"Whether {who} continues its own text worse than articles cannot be told: {judged}")


def _who(trend: ExposureTrend, several: bool) -> str:
    return f"{trend.model} under {short_form(trend.decoder)}" if several else trend.model
