"""State in sentences what the curves show and what they cannot distinguish."""

from collections.abc import Sequence
from datetime import date

from evaluators.change_point import FEWEST_ARTICLES, FEWEST_MONTHS, NO_CHANGE, TOO_FEW_MONTHS, UNFINISHED
from flows.experiments.cutoff.findings import DECISIVE, FOUND
from flows.experiments.cutoff.result_tables import CutoffFinding
from flows.presenting.numbers import counted, p_value, signed
from newwiki.decoding.grammar import short_form

_CANNOT_TELL = "cannot tell"


def verdict(found: Sequence[CutoffFinding], control: str | None) -> str:
    """Return the month with its interval, or `cannot tell`; with several models, each clause has the model's name."""
    models = dict.fromkeys(one.model for one in found if one.model != control)
    told = {model: _of_model([one for one in decisive(found) if one.model == model]) for model in models}
    return next(iter(told.values())) if len(told) == 1 else "; ".join(f"{name}: {one}" for name, one in told.items())


def sentence(found: Sequence[CutoffFinding], control: str | None) -> str:
    """Return one sentence per model: the month by the metric with the smallest p, or why no month is shown."""
    told = []
    for model in dict.fromkeys(one.model for one in found if one.model != control):
        of_model = [one for one in decisive(found) if one.model == model]
        shown = [one for one in of_model if one.verdict == FOUND]
        one = min(shown or of_model, key=lambda one: one.p_holm or 0.0)
        by = f"by {one.metric} of {one.articles:,} articles"
        if shown:
            told.append(f"{model} has seen articles up to {_with_interval(one)}, {by}")
        else:
            told.append(f"Up to which month {model} has seen articles cannot be told {by}: {why(one)}")
    return ". ".join(told)


def why(one: CutoffFinding) -> str:
    """Return the reason why a finding names no month."""
    reasons = {
        TOO_FEW_MONTHS: f"{one.months} months of {FEWEST_ARTICLES} articles or more are too few; at least "
        f"{FEWEST_MONTHS} are needed",
        NO_CHANGE: "no change from month to month is shown",
    }
    return reasons.get(one.verdict, one.verdict)


def decisive(found: Sequence[CutoffFinding]) -> list[CutoffFinding]:
    """Return the findings behind each verdict: bits per byte if the model read the articles, else all metrics."""
    by_model = {one.model: [other for other in found if other.model == one.model] for one in found}
    return [
        one for of_model in by_model.values() for one in ([f for f in of_model if f.metric == DECISIVE] or of_model)
    ]


def words(found: Sequence[CutoffFinding], control: str | None) -> list[str]:
    """Return sentences about each model, and about the limits of the answer."""
    told, named = [], False
    for model in dict.fromkeys(one.model for one in found if one.model != control):
        of_model = [one for one in decisive(found) if one.model == model]
        shown = [one for one in of_model if one.verdict == FOUND] or of_model[:1]
        told += [_sentence(one, len(of_model)) for one in shown]
        named = named or shown[0].verdict == FOUND
        if sentence := _stated(shown):
            told.append(sentence)
    if named:
        told.append(
            "the interval covers the month in 95 of 100 cases if the change takes at most half of the months; it "
            "covers a slower change less often"
        )
    own = [one for one in decisive(found) if one.model == control and one.verdict == FOUND]
    told += [
        f"{control} itself changes after {_with_interval(one)} by {one.metric}: it has a cutoff of its own there, or "
        "the articles change, and where it had seen the articles a model's cutoff beside it cannot be told"
        for one in own
    ]
    if control is None:
        told.append(
            "no control was given: what months have of their own is taken for chance beside a straight line and the "
            "articles' lengths, and a change in what is written looks like a cutoff; a --control that saw none of the "
            "articles tells the two apart"
        )
    elif not own:
        told.append(f"what {control} shows too is taken off; that it has read none of the articles is assumed")
    told.append(
        "an article that was begun in a month can be about something older: what a model knew of that from elsewhere "
        "is in its curve too, so the month is where its knowledge ends, which may be later than its training texts"
    )
    return told


def month_words(day: date | None) -> str:
    return "–" if day is None else f"{day:%Y-%m}"


def interval_words(one: CutoffFinding) -> str:
    """Format the interval of a month; the interval may begin before the first month."""
    low = "the first month or before" if one.low is None else month_words(one.low)
    return f"[{low}, {month_words(one.high)}]"


def _of_model(of_model: Sequence[CutoffFinding]) -> str:
    found = [one for one in of_model if one.verdict == FOUND]
    return _with_interval(min(found, key=lambda one: one.p_holm or 0.0)) if found else _CANNOT_TELL


def _with_interval(one: CutoffFinding) -> str:
    return f"{month_words(one.month)} {interval_words(one)}"


def _sentence(one: CutoffFinding, tests: int) -> str:
    who = f"{one.model} under {short_form(one.decoder)}"
    rests = f"{counted(one.months, 'month')} and {one.articles:,} articles"
    if one.left_out:
        rests += f" ({counted(one.left_out, 'month')} with fewer than {FEWEST_ARTICLES} articles left out)"
    of = f" of {tests} metrics" if tests > 1 and one.verdict != FOUND else ""
    if one.verdict == TOO_FEW_MONTHS:
        return f"{who}: {_CANNOT_TELL}: {one.verdict}: {rests}, and {FEWEST_MONTHS} months are needed"
    if one.verdict == UNFINISHED:
        rests = f"p {_p(one.p_holm)}, {rests}"
        return f"{who}: {_CANNOT_TELL} the month: {one.metric} changes, but {one.verdict}: {rests}"
    if one.verdict != FOUND:
        return f"{who}: {_CANNOT_TELL}: {one.verdict}{of}: {one.metric}, p {_p(one.p_holm)}, {rests}"
    if one.low is None:
        within = f"up to {month_words(one.high)}: the change may have begun before the first month"
    else:
        within = f"{month_words(one.low)} to {month_words(one.high)}"
    beyond = f", beyond what changes for {one.control}," if one.control else ""
    gradually = f" over {one.width} months" if (one.width or 1) > 1 else ""
    return (
        f"{who}: the last month that it has seen is {month_words(one.month)}, with the 95 % interval "
        f"{within}; after it {one.metric}{beyond} moves by "
        f"{signed(one.change or 0.0)}{gradually}, p {_p(one.p_holm)}, {rests}"
    )


def _stated(shown: Sequence[CutoffFinding]) -> str | None:
    one = shown[0]
    if one.stated is None:
        return None
    said = f"{one.model} is said to know of nothing after {month_words(one.stated)}"
    if one.agrees is None:
        return f"{said}; its numbers neither agree nor disagree"
    return f"{said}, which {'agrees' if one.agrees else 'does not agree'} with its numbers"


def _p(p: float | None) -> str:
    return "unknown" if p is None else p_value(p)
