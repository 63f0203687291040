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
    results = [_tested(statement, context) for statement in statements]
    tests = sum(isinstance(result, Tested) for result in results)
    judged = [_judged(statement, result, tests) for statement, result in zip(statements, results, strict=True)]
    holds = statistics.holm([row.p_holds for row in judged])
    fails = statistics.holm([row.p_fails for row in judged])
    return [_corrected(row, float(p), float(q)) for row, p, q in zip(judged, holds, fails, strict=True)]


def _tested(statement: Statement, context: Context) -> Tested | CannotTell:
    try:
        return tested(statement, context)
    except CannotTell as why:
        return why


def _judged(statement: Statement, result: Tested | CannotTell, tests: int) -> StatementVerdict:
    if isinstance(result, CannotTell):
        return _row(statement, why=str(result))
    can_hold, can_fail = result.needed <= len(result.numbers), result.total - result.needed < len(result.numbers)
    without = f"needs {'the metrics ' + ', '.join(result.lacking) if result.lacking else 'more metrics that vary'}"
    if not can_hold and not can_fail:
        return _row(statement, result, why=without)
    each = [_sure(number) for number in result.numbers]
    if lacking := next((why for sure in each for why in sure.estimate.lacking if why), None):
        return _row(statement, result, articles=_articles(result), ours=result.numbers[0].ours, why=_words(lacking))
    holds = np.array([_inside(sure, n.low, n.high) for sure, n in zip(each, result.numbers, strict=True)])
    fails = np.array([_outside(sure, n.below, n.above) for sure, n in zip(each, result.numbers, strict=True)])
    turning = int(np.lexsort((-fails, holds))[min(result.needed, len(each)) - 1])
    unknown = np.ones(result.missing)  # a comparison that was not made speaks neither for the statement nor against it
    holds, fails = np.concatenate([holds, unknown]), np.concatenate([fails, unknown])
    shown, models = each[turning].estimate, result.numbers[turning].over_models
    needed = None
    if models:
        over_articles = Jackknifed.of(result.numbers[turning].values[None]).estimate.standard_error[0]
        needed = models.models_needed(float(shown.mean[0]), float(over_articles), tests)
    return _row(
        statement,
        result,
        articles=_articles(result),
        ours=result.numbers[turning].ours,
        effect=_in_unit(shown.mean[0], result.unit),
        low=_in_unit(shown.low[0], result.unit),
        high=_in_unit(shown.high[0], result.unit),
        p_holds=at_least(holds, result.needed),
        p_fails=at_least(fails, result.total - result.needed + 1),
        models=models.models if models else None,
        models_needed=needed,
        why=None if can_hold else f"it is not shown to fail, and to hold it {without}",
    )


def _sure(number: Number) -> Jackknifed:
    jackknifed = Jackknifed.of(number.values[None])
    models = number.over_models
    return jackknifed.over_models(models.error, models.freedom) if models else jackknifed


def _inside(jackknifed: Jackknifed, low: float, high: float) -> float:
    return float(max(jackknifed.above(np.array([low]))[0], jackknifed.below(np.array([high]))[0]))


def _outside(jackknifed: Jackknifed, below: float, above: float) -> float:
    return float(min(jackknifed.below(np.array([below]))[0], jackknifed.above(np.array([above]))[0]))


def _row(
    statement: Statement,
    result: Tested | None = None,
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
        runs=result.runs if result else 0,
        articles=articles,
        comparisons=len(result.numbers) if result else 0,
        effect=effect,
        low=low,
        high=high,
        unit=result.unit if result else None,
        generalizes_over=result.over if result else None,
        p_holds=p_holds,
        p_fails=p_fails,
        models=models,
        models_needed=models_needed,
        verdict=UNKNOWN,
        why=why,
    )


def _corrected(verdict: StatementVerdict, p_holds: float, p_fails: float) -> StatementVerdict:
    if math.isnan(p_holds):
        return verdict
    corrected = replace(verdict, p_holds=p_holds, p_fails=p_fails)
    if p_fails <= statistics.LEVEL:
        return replace(corrected, verdict=FAILS, why=None)
    if p_holds <= statistics.LEVEL:
        return replace(corrected, verdict=HOLDS)
    too_wide = f"the interval is too wide, or Holm's correction leaves too little{_models_words(verdict)}"
    return replace(corrected, why=verdict.why or too_wide)


def _models_words(verdict: StatementVerdict) -> str:
    """Return how many models a verdict would need, if too few models are the reason for its absence."""
    if verdict.models is None:
        return ""
    if verdict.models_needed is None:
        return "; no number of models up to 1,000 would show an effect as small as this"
    if verdict.models_needed <= verdict.models:
        return ""
    return f"; it rests on {verdict.models} models, and for an effect as large as this it takes {verdict.models_needed}"


def _articles(result: Tested) -> int:
    return min(len(number.values) for number in result.numbers) - 1


def _words(lacking: str) -> str:
    if lacking == statistics.TOO_FEW:
        return f"too few articles: {statistics.FEWEST} are needed that all of its runs have texts of"
    return "all articles say exactly the same"


def _in_unit(value: float, unit: str) -> float:
    return float(math.tanh(value) if unit == CORRELATION else value)
