"""Decide for each statement whether it holds for the runs, fails, or cannot be told, and by which number."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from evaluators import statistics
from flows.statements.jackknife import Jackknifed, at_least
from flows.statements.numbers import Numbers
from flows.statements.result_tables import StatementVerdict, Verdict
from flows.statements.settings import CannotTell
from flows.statements.statement import Statement, paper
from flows.statements.testing import CORRELATION, Context, Number, Tested, tested

HOLDS: Verdict = "holds"
FAILS: Verdict = "does not hold"
UNKNOWN: Verdict = "cannot tell"


def verdicts(numbers: Numbers, statements: Sequence[Statement]) -> list[StatementVerdict]:
    """Return a verdict for each statement, in order.

    A statement holds if Holm's p of its not holding is at most 0.05, and fails if Holm's p of its holding is. Therefore
    in at most 5 of 100 cases any false statement is said to hold, and in at most 5 any true statement is said to fail.
    """
    context = Context(numbers, paper().margins, paper().models)
    made = [_tested(one, context) for one in statements]
    tests = sum(isinstance(one, Tested) for one in made)
    found = [_judged(one, of_one, tests) for one, of_one in zip(statements, made, strict=True)]
    holds = statistics.holm([one.p_holds for one in found])
    fails = statistics.holm([one.p_fails for one in found])
    return [_corrected(one, float(p), float(q)) for one, p, q in zip(found, holds, fails, strict=True)]


def _tested(statement: Statement, context: Context) -> Tested | CannotTell:
    try:
        return tested(statement, context)
    except CannotTell as why:
        return why


def _judged(statement: Statement, made: Tested | CannotTell, tests: int) -> StatementVerdict:
    if isinstance(made, CannotTell):
        return _row(statement, why=str(made))
    can_hold, can_fail = made.needed <= len(made.numbers), made.total - made.needed < len(made.numbers)
    without = f"needs {'the metrics ' + ', '.join(made.lacking) if made.lacking else 'more metrics that vary'}"
    if not can_hold and not can_fail:
        return _row(statement, made, why=without)
    each = [_sure(number) for number in made.numbers]
    if lacking := next((why for one in each for why in one.estimate.lacking if why), None):
        return _row(statement, made, articles=_articles(made), ours=made.numbers[0].ours, why=_words(lacking))
    holds = np.array([_inside(one, n.low, n.high) for one, n in zip(each, made.numbers, strict=True)])
    fails = np.array([_outside(one, n.below, n.above) for one, n in zip(each, made.numbers, strict=True)])
    turning = int(np.lexsort((-fails, holds))[min(made.needed, len(each)) - 1])
    unknown = np.ones(made.missing)  # a comparison that was not made speaks neither for the statement nor against it
    holds, fails = np.concatenate([holds, unknown]), np.concatenate([fails, unknown])
    shown, models = each[turning].estimate, made.numbers[turning].over_models
    needed = None
    if models:
        over_articles = Jackknifed.of(made.numbers[turning].values[None]).estimate.standard_error[0]
        needed = models.models_needed(float(shown.mean[0]), float(over_articles), tests)
    return _row(
        statement,
        made,
        articles=_articles(made),
        ours=made.numbers[turning].ours,
        effect=_in_unit(shown.mean[0], made.unit),
        low=_in_unit(shown.low[0], made.unit),
        high=_in_unit(shown.high[0], made.unit),
        p_holds=at_least(holds, made.needed),
        p_fails=at_least(fails, made.total - made.needed + 1),
        models=models.models if models else None,
        models_needed=needed,
        why=None if can_hold else f"it is not shown to fail, and to hold it {without}",
    )


def _sure(number: Number) -> Jackknifed:
    found = Jackknifed.of(number.values[None])
    models = number.over_models
    return found.over_models(models.error, models.freedom) if models else found


def _inside(one: Jackknifed, low: float, high: float) -> float:
    return float(max(one.above(np.array([low]))[0], one.below(np.array([high]))[0]))


def _outside(one: Jackknifed, below: float, above: float) -> float:
    return float(min(one.below(np.array([below]))[0], one.above(np.array([above]))[0]))


def _row(
    statement: Statement,
    made: Tested | None = None,
    *,
    articles: int = 0,
    ours: str = "",
    effect: float | None = None,
    low: float | None = None,
    high: float | None = None,
    p_holds: float | None = None,
    p_fails: float | None = None,
    models: int | None = None,
    models_needed: int | None = None,
    why: str | None = None,
) -> StatementVerdict:
    return StatementVerdict(
        statement=statement.name,
        section=statement.section,
        quote=statement.quote,
        says=statement.says,
        kind=statement.kind,
        ours=ours,
        runs=made.runs if made else 0,
        articles=articles,
        comparisons=len(made.numbers) if made else 0,
        effect=effect,
        low=low,
        high=high,
        unit=made.unit if made else None,
        generalizes_over=made.over if made else None,
        p_holds=p_holds,
        p_fails=p_fails,
        models=models,
        models_needed=models_needed,
        verdict=UNKNOWN,
        why=why,
    )


def _corrected(one: StatementVerdict, p_holds: float, p_fails: float) -> StatementVerdict:
    if math.isnan(p_holds):
        return one
    corrected = replace(one, p_holds=p_holds, p_fails=p_fails)
    if p_fails <= statistics.LEVEL:
        return replace(corrected, verdict=FAILS, why=None)
    if p_holds <= statistics.LEVEL:
        return replace(corrected, verdict=HOLDS)
    too_wide = f"the interval is too wide, or Holm's correction leaves too little{_of_models(one)}"
    return replace(corrected, why=one.why or too_wide)


def _of_models(one: StatementVerdict) -> str:
    """Return how many models a verdict would need, if too few models are the reason for its absence."""
    if one.models is None:
        return ""
    if one.models_needed is None:
        return "; no number of models up to 1,000 would show an effect as small as this"
    if one.models_needed <= one.models:
        return ""
    return f"; it rests on {one.models} models, and for an effect as large as this it takes {one.models_needed}"


def _articles(made: Tested) -> int:
    return min(len(number.values) for number in made.numbers) - 1


def _words(lacking: str) -> str:
    if lacking == statistics.TOO_FEW:
        return f"too few articles: {statistics.FEWEST} are needed that all of its runs have texts of"
    return "all articles say exactly the same"


def _in_unit(value: float, unit: str) -> float:
    return float(math.tanh(value) if unit == CORRELATION else value)
