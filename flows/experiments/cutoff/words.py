"""State in sentences what the curves show and what they cannot distinguish."""

from collections.abc import Sequence
from datetime import date

from evaluators.change_point import FEWEST_ARTICLES, FEWEST_MONTHS, NO_CHANGE, TOO_FEW_MONTHS, UNFINISHED
from flows.experiments.cutoff.findings import DECISIVE, FOUND
from flows.experiments.cutoff.result_tables import CutoffFinding
from flows.presenting.numbers import counted, p_value, signed
from newwiki.decoding.grammar import short_form

_CANNOT_TELL = "cannot tell"


def verdict(findings: Sequence[CutoffFinding], control: str | None) -> str:
    """Return the month with its interval, or `cannot tell`; with several models, each clause has the model's name."""
    models = dict.fromkeys(finding.model for finding in findings if finding.model != control)
    months = {
        model: _month_or_unknown([finding for finding in decisive(findings) if finding.model == model])
        for model in models
    }
    return (
        next(iter(months.values()))
        if len(months) == 1
        else "; ".join(f"{name}: {month}" for name, month in months.items())
    )


def sentence(findings: Sequence[CutoffFinding], control: str | None) -> str:
    """Return one sentence per model: the month by the metric with the smallest p, or why no month is shown."""
    sentences = []
    for model in dict.fromkeys(finding.model for finding in findings if finding.model != control):
        decided = [finding for finding in decisive(findings) if finding.model == model]
        shown = [finding for finding in decided if finding.verdict == FOUND]
        clearest = min(shown or decided, key=lambda finding: finding.p_holm or 0.0)
        by = f"by {clearest.metric} of {clearest.articles:,} articles"
        if shown:
            sentences.append(f"{model} has seen articles up to {_with_interval(clearest)}, {by}")
        else:
            sentences.append(f"Up to which month {model} has seen articles cannot be told {by}: {why(clearest)}")
    return ". ".join(sentences)


def why(finding: CutoffFinding) -> str:
    """Return the reason why a finding names no month."""
    reasons = {
        TOO_FEW_MONTHS: f"{finding.months} months of {FEWEST_ARTICLES} articles or more are too few; at least "
        f"{FEWEST_MONTHS} are needed",
        NO_CHANGE: "no change from month to month is shown",
    }
    return reasons.get(finding.verdict, finding.verdict)


def decisive(findings: Sequence[CutoffFinding]) -> list[CutoffFinding]:
    """Return the findings behind each verdict: bits per byte if the model read the articles, else all metrics."""
    by_model = {finding.model: [other for other in findings if other.model == finding.model] for finding in findings}
    return [
        finding
        for model_findings in by_model.values()
        for finding in ([f for f in model_findings if f.metric == DECISIVE] or model_findings)
    ]


def words(findings: Sequence[CutoffFinding], control: str | None) -> list[str]:
    """Return sentences about each model, and about the limits of the answer."""
    sentences, named = [], False
    for model in dict.fromkeys(finding.model for finding in findings if finding.model != control):
        decided = [finding for finding in decisive(findings) if finding.model == model]
        shown = [finding for finding in decided if finding.verdict == FOUND] or decided[:1]
        sentences += [_sentence(finding, len(decided)) for finding in shown]
        named = named or shown[0].verdict == FOUND
        if sentence := _stated(shown):
            sentences.append(sentence)
    if named:
        sentences.append(
            "the interval covers the month in 95 of 100 cases if the change takes at most half of the months; it "
            "covers a slower change less often"
        )
    own = [finding for finding in decisive(findings) if finding.model == control and finding.verdict == FOUND]
    sentences += [
        f"{control} itself changes after {_with_interval(finding)} by {finding.metric}: it has a cutoff of its own "
        "there, or the articles change, and where it had seen the articles a model's cutoff beside it cannot be told"
        for finding in own
    ]
    if control is None:
        sentences.append(
            "no control was given: what months have of their own is taken for chance beside a straight line and the "
            "articles' lengths, and a change in what is written looks like a cutoff; a --control that saw none of the "
            "articles tells the two apart"
        )
    elif not own:
        sentences.append(f"what {control} shows too is taken off; that it has read none of the articles is assumed")
    sentences.append(
        "an article that was begun in a month can be about something older: what a model knew of that from elsewhere "
        "is in its curve too, so the month is where its knowledge ends, which may be later than its training texts"
    )
    return sentences


def month_words(day: date | None) -> str:
    return "–" if day is None else f"{day:%Y-%m}"


def interval_words(finding: CutoffFinding) -> str:
    """Format the interval of a month; the interval may begin before the first month."""
    low = "the first month or before" if finding.low is None else month_words(finding.low)
    return f"[{low}, {month_words(finding.high)}]"


def _month_or_unknown(findings: Sequence[CutoffFinding]) -> str:
    shown = [finding for finding in findings if finding.verdict == FOUND]
    return _with_interval(min(shown, key=lambda finding: finding.p_holm or 0.0)) if shown else _CANNOT_TELL


def _with_interval(finding: CutoffFinding) -> str:
    return f"{month_words(finding.month)} {interval_words(finding)}"


def _sentence(finding: CutoffFinding, tests: int) -> str:
    who = f"{finding.model} under {short_form(finding.decoder)}"
    rests = f"{counted(finding.months, 'month')} and {finding.articles:,} articles"
    if finding.left_out:
        rests += f" ({counted(finding.left_out, 'month')} with fewer than {FEWEST_ARTICLES} articles left out)"
    suffix = f" of {tests} metrics" if tests > 1 and finding.verdict != FOUND else ""
    if finding.verdict == TOO_FEW_MONTHS:
        return f"{who}: {_CANNOT_TELL}: {finding.verdict}: {rests}, and {FEWEST_MONTHS} months are needed"
    if finding.verdict == UNFINISHED:
        rests = f"p {_p(finding.p_holm)}, {rests}"
        return f"{who}: {_CANNOT_TELL} the month: {finding.metric} changes, but {finding.verdict}: {rests}"
    if finding.verdict != FOUND:
        return f"{who}: {_CANNOT_TELL}: {finding.verdict}{suffix}: {finding.metric}, p {_p(finding.p_holm)}, {rests}"
    if finding.low is None:
        within = f"up to {month_words(finding.high)}: the change may have begun before the first month"
    else:
        within = f"{month_words(finding.low)} to {month_words(finding.high)}"
    beyond = f", beyond what changes for {finding.control}," if finding.control else ""
    gradually = f" over {finding.width} months" if (finding.width or 1) > 1 else ""
    return (
        f"{who}: the last month that it has seen is {month_words(finding.month)}, with the 95 % interval "
        f"{within}; after it {finding.metric}{beyond} moves by "
        f"{signed(finding.change or 0.0)}{gradually}, p {_p(finding.p_holm)}, {rests}"
    )


def _stated(shown: Sequence[CutoffFinding]) -> str | None:
    finding = shown[0]
    if finding.stated is None:
        return None
    claim = f"{finding.model} is said to know of nothing after {month_words(finding.stated)}"
    if finding.agrees is None:
        return f"{claim}; its numbers neither agree nor disagree"
    return f"{claim}, which {'agrees' if finding.agrees else 'does not agree'} with its numbers"


def _p(p: float | None) -> str:
    return "unknown" if p is None else p_value(p)
