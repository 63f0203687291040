"""State in sentences what the numbers show and what they do not."""

from collections.abc import Sequence
from functools import partial
from statistics import fmean
from typing import Literal

from evaluators import statistics
from evaluators.claims.verifiability import SENTENCES
from evaluators.judging.krippendorff import Agreement
from flows.experiments.verifiability.metrics import FOUR_GRAMS, SUPPORT
from flows.experiments.verifiability.result_tables import (
    VerifiabilityChecker,
    VerifiabilityCorrection,
    VerifiabilityDifference,
    VerifiabilityMetric,
)
from flows.experiments.verifiability.texts import Texts
from flows.presenting.numbers import counted, estimate, fixed, percent
from newwiki.decoding.grammar import short_form

DECISIVE = "uspg"  # the metric by which the paper chose parameters (section 6)


def verdict(apart: Sequence[VerifiabilityDifference], against: str) -> str:
    """Return by USPG which decoders differ from `against`; with several models, each clause has the model's name."""
    models = dict.fromkeys(difference.model for difference in apart)
    verdicts = {
        model: _model_verdict([difference for difference in apart if difference.model == model], against)
        for model in models
    }
    if not verdicts:
        return "one decoder, compared with none"
    return (
        next(iter(verdicts.values()))
        if len(verdicts) == 1
        else "; ".join(f"{name}: {text}" for name, text in verdicts.items())
    )


def sentence(apart: Sequence[VerifiabilityDifference]) -> str:
    """Return the answer as one sentence per model: by USPG, which decoders raise or lower the supported share."""
    models = dict.fromkeys(difference.model for difference in apart)
    sentences = [
        _answer(
            model, [difference for difference in apart if (difference.model, difference.metric) == (model, DECISIVE)]
        )
        for model in models
    ]
    return ". ".join(sentences) or "Only one decoder wrote, and is compared with none"


def words(
    metrics: Sequence[VerifiabilityMetric],
    apart: Sequence[VerifiabilityDifference],
    texts: Sequence[Texts],
    metric: str,
    who: str,
) -> list[str]:
    """Return sentences about the evidence, the differences, undefined values, and the limits of the answer."""
    index = metric == "claims_wiki_supported"
    evidence = (
        "an index of many pages, as in the paper" if index else "the article alone, where the paper has Wikipedia"
    )
    sentences = [
        f"the first {SENTENCES} sentences of a text are checked by {who}, beside {evidence}: what it does not say is "
        "neither supported nor refuted, and a verdict is a model's"
    ]
    sentences += [_differing(apart, model) for model in dict.fromkeys(difference.model for difference in apart)]
    sentences += _undefined(metrics)
    sentences += _unchecked(texts)
    sentences.append(_lengths(texts))
    sentences.append(
        "the articles' own row is what the scorer makes of sentences that stand in the evidence"
        + ("" if not index else ", where the index has the article")
        + ": it says how much of what is true it finds, and no more"
    )
    return sentences


def correction_words(
    corrected: Sequence[VerifiabilityCorrection], checker: Sequence[VerifiabilityChecker], agreement: Agreement
) -> list[str]:
    """Return sentences about the checker's quality by people's labels, and about the assumptions of the correction."""
    if not corrected:
        return [
            "no sentence was labelled by people, so the numbers are the checker's own; `newwiki judge --claims` lets "
            "people label some, and the same command then corrects the numbers"
        ]
    each = [f"the checker's {row.label} has {_share('precision', row)} and {_share('recall', row)}" for row in checker]
    sentences = [f"people labelled {checker[0].labelled} sentences: by them {'; '.join(each)}"]
    if agreement.alpha is not None:
        interval = agreement.interval
        ends = f" [{interval.low:.2f}, {interval.high:.2f}]" if interval else f" ({agreement.lacking})"
        sentences.append(
            f"people agree by Krippendorff's alpha {agreement.alpha:.2f}{ends}, on the {agreement.units} sentences "
            "that two or more labelled"
        )
    few = sum(correction.lacking is not None for correction in corrected)
    sentences.append(
        "corrected numbers are for all prompts like these, as the same people would label them; they suppose that the "
        "labelled prompts are a random share, as the first of an exported file are, and take from the checker which "
        "sentences repeat a fact; corrected SPV and USPV are of the sentences of all texts together"
        + (f"; {few} numbers are not corrected, and the table says why" if few else "")
    )
    return sentences


def _share(what: Literal["precision", "recall"], checker: VerifiabilityChecker) -> str:
    value, low, high = (getattr(checker, f"{what}{end}") for end in ("", "_low", "_high"))
    return f"no {what}" if value is None else f"{what} {estimate(value, low, high, percent)}"


def _model_verdict(apart: Sequence[VerifiabilityDifference], against: str) -> str:
    decisive = [difference for difference in apart if difference.metric == DECISIVE]
    if all(difference.verdict == statistics.TOO_FEW for difference in decisive):
        return f"{statistics.TOO_FEW} to tell decoders apart"
    parts = [
        f"{sum(difference.verdict == way for difference in decisive)} {way}" for way in ("higher", "lower")
        if any(difference.verdict == way for difference in decisive)
    ]  # fmt: skip
    rest = sum(difference.verdict not in ("higher", "lower") for difference in decisive)
    parts += [f"{rest} cannot be told from it"] if rest else []
    return f"USPG of {len(decisive)} decoders beside {short_form(against)}: {', '.join(parts)}"


def _answer(model: str, apart: Sequence[VerifiabilityDifference]) -> str:
    against = short_form(apart[0].against)
    if all(difference.verdict == statistics.TOO_FEW for difference in apart):
        return (
            f"{max(difference.prompts for difference in apart)} prompts are too few to tell whether more of what "
            f"{model} writes is supported under any of {len(apart)} decoders than under {against}; at least "
            f"{statistics.FEWEST} are needed"
        )
    ways = {
        way: [difference for difference in apart if difference.verdict == verdict]
        for way, verdict in (("More", "higher"), ("Less", "lower"))
    }
    shown = [
        f"{way} of what {model} writes is supported (USPG) than under {against} "
        f"under {counted(len(differences), 'decoder')}, "
        f"the furthest {short_form(_furthest(differences).decoder)} by {points(_furthest(differences))} "
        f"percentage points"
        for way, differences in ways.items()
        if differences
    ]
    unknown = len(apart) - sum(map(len, ways.values()))
    if not shown:
        return (
            f"Under none of {len(apart)} decoders is it shown that more or less of what {model} writes is supported "
            f"(USPG) than under {against}"
        )
    return "; ".join([*shown, *([f"of {counted(unknown, 'decoder')} it cannot be told"] if unknown else [])])


def _furthest(differences: Sequence[VerifiabilityDifference]) -> VerifiabilityDifference:
    return max(differences, key=lambda difference: abs(difference.difference or 0.0))


def points(difference: VerifiabilityDifference) -> str:
    """Format the difference with its interval, shares in percentage points."""
    return estimate(
        difference.difference or 0.0, difference.low, difference.high, partial(in_unit, difference.metric, signed=True)
    )


def in_unit(metric: str, value: float, *, signed: bool = False) -> str:
    """Format a value of a metric with one decimal: a share in percent, 4-grams as their number."""
    return fixed(value if metric == FOUR_GRAMS else value * 100, 1, signed=signed)


def _differing(apart: Sequence[VerifiabilityDifference], model: str) -> str:
    model_differences = [difference for difference in apart if difference.model == model]
    clauses = []
    for metric in (*SUPPORT, FOUR_GRAMS):
        for way in ("higher", "lower"):
            names = [
                short_form(difference.decoder)
                for difference in model_differences
                if difference.metric == metric and difference.verdict == way
            ]
            clauses += [f"{metric} is {way} under {', '.join(names)}"] if names else []
    beside = short_form(model_differences[0].against)
    if clauses:
        return f"{model}: beside {beside}, {'; '.join(clauses)}"
    if all(difference.verdict == statistics.TOO_FEW for difference in model_differences):
        return (
            f"{model}: {model_differences[0].prompts} prompts are too few to tell which decoders differ; at least "
            f"{statistics.FEWEST} are needed"
        )
    return f"{model}: beside {beside}, no decoder differs by any of these metrics"


def _undefined(metrics: Sequence[VerifiabilityMetric]) -> list[str]:
    undefined = [metric for metric in metrics if metric.metric == "spv" and metric.undefined]
    if not undefined:
        return []
    named = _names(metrics)
    each = "; ".join(
        f"{metric.undefined} of {metric.texts + metric.undefined} under {named[metric.model, metric.decoder]}"
        for metric in undefined
    )
    return [
        "SPV and USPV are shares of the verified sentences: texts without one have none, and are left out of the "
        f"means, which are of other texts under each decoder ({each})"
    ]


def _unchecked(texts: Sequence[Texts]) -> list[str]:
    named = _names(texts)
    lacking = [
        f"{len(text.four_grams) - len(text.support)} of {len(text.four_grams)} under {named[text.model, text.decoder]}"
        for text in texts
        if len(text.support) < len(text.four_grams)
    ]
    return [f"texts that were not checked: {'; '.join(lacking)}; more are with a higher --budget"] if lacking else []


def _names(rows: Sequence[VerifiabilityMetric] | Sequence[Texts]) -> dict[tuple[str, str], str]:
    """Return the short names of decoders, with their model if there are several models."""
    who = dict.fromkeys((row.model, row.decoder) for row in rows)
    several = len({model for model, decoder in who if decoder != "reference"}) > 1
    return {key: f"{short_form(key[1])} ({key[0]})" if several else short_form(key[1]) for key in who}


def _lengths(texts: Sequence[Texts]) -> str:
    lengths = {(text.model, text.decoder): fmean(text.words.values()) for text in texts[1:] if text.words}
    fewest, most = (f"{extreme(lengths.values()):.0f}" for extreme in (min, max)) if lengths else ("0", "0")
    return (
        f"different 4-grams are those of the first 256 words; by decoder texts have {fewest} to {most} words in the "
        "mean, and fewer words than 256 have fewer 4-grams than an article's, however varied they are"
    )
