"""Test each kind of statement: compute its numbers, and the ranges in which they must lie for it to hold."""

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from flows.presenting.numbers import digits
from flows.statements.estimands import Array, correlation, log_deviations, moments, over, together
from flows.statements.model_sizes import ErrorOverModels, ModelSizes
from flows.statements.numbers import Numbers
from flows.statements.settings import CannotTell, ladder, value_words
from flows.statements.statement import PaperModel, Statement

Unit = str
DEVIATIONS, LOGARITHM, CORRELATION, OWN = "sd", "ln sd", "r", "own"
ARTICLES, MODELS = "articles", "models and articles"
NEEDS_RUNS = "needs runs of "  # followed by the names of models, separated by commas


@dataclass(frozen=True)
class Number:
    """One comparison, with `values` over all articles and without each article.

    The statement holds for the comparison if the value lies between `low` and `high`. It fails if the value lies below
    `below` or above `above`. `ours` describes the finding in words. A number about models in general also has an error
    over models; a number about named models has none.
    """

    values: Array
    low: float
    high: float
    below: float
    above: float
    ours: str
    over_models: ErrorOverModels | None = None


@dataclass(frozen=True)
class Tested:
    """The numbers of a statement, of which `needed` must be as stated.

    `missing` more numbers could not be computed, because the runs lack the metrics in `lacking`. They count neither for
    the statement nor against it.

    The verdict generalizes over the units that `over` names; in all other respects it is about these runs alone.
    """

    numbers: Sequence[Number]
    needed: int
    unit: Unit
    runs: int
    over: str = ARTICLES
    lacking: Sequence[str] = ()
    missing: int = 0

    @property
    def total(self) -> int:
        return len(self.numbers) + self.missing


@dataclass(frozen=True)
class Context:
    """The inputs of tests other than the statement."""

    numbers: Numbers
    margins: Mapping[str, float]
    models: Sequence[PaperModel]


def tested(statement: Statement, context: Context) -> Tested:
    """Test a statement. Raises CannotTell with the requirements that the runs do not meet."""
    return _TESTS[statement.test](statement, context)


def _towards(direction: str, values: Array, nothing: float, ours: str, beyond: float = 0.0) -> Number:
    """Return the comparison for a change in this direction by at least `beyond`.

    Without `beyond`, the statement fails if the change is below `nothing`, which counts as no change.
    """
    against = beyond or nothing
    if direction == "up":
        return Number(values, beyond, math.inf, against, math.inf, ours)
    return Number(values, -math.inf, -beyond, -math.inf, -against, ours)


def _trend(statement: Statement, context: Context) -> Tested:
    found = ladder(context.numbers, str(statement.parameter))
    of_metric = moments(context.numbers, statement.metrics[0], found.runs)
    effect, means = of_metric.effect(found), of_metric.at_values(found)[:, 0]
    ours = _at(means, found.values, range(len(means)))
    beyond = context.margins[statement.by] if statement.by else 0.0
    number = _towards(statement.direction, effect, context.margins["nothing"], ours, beyond)
    return Tested([number], 1, DEVIATIONS, len(found.runs))


def _spread(statement: Statement, context: Context) -> Tested:
    found = ladder(context.numbers, str(statement.parameter))
    of_runs, metrics = log_deviations(context.numbers, found.runs, of_prompts=statement.of == "each prompt")
    at_values = of_runs[np.searchsorted(found.runs, found.places)].mean(axis=1)
    effect = found.slope @ at_values
    ends = f"{value_words(found.values[0])} to {value_words(found.values[-1])}"
    ours = f"{_percent(effect[0])} from {ends}, over {', '.join(metrics)}"
    number = _towards(statement.direction, effect, context.margins["nothing_of_spread"], ours)
    return Tested([number], 1, LOGARITHM, len(found.runs))


def _small(statement: Statement, context: Context) -> Tested:
    """Test that any two values differ by less than the margin, in either direction."""
    found = ladder(context.numbers, str(statement.parameter))
    margin, made = context.margins["small"], []
    had, lacking = _had(statement, context)
    for metric in had:
        of_metric = moments(context.numbers, metric, found.runs)
        means = of_metric.at_values(found)
        for low, high in itertools.combinations(range(len(found.values)), 2):
            ours = f"{metric}: {_at(means[:, 0], found.values, (low, high))}"
            effect = over(means[high] - means[low], of_metric.deviation)
            made.append(Number(effect, -margin, margin, -margin, margin, ours))
    return _of_metrics(statement, made, had, lacking, DEVIATIONS, len(found.runs))


def _largest(statement: Statement, context: Context) -> Tested:
    """Test that the parameter has a larger effect than each of the other parameters.

    With one metric, compare the effects in the stated direction. With several metrics, compare the means over metrics
    of the absolute effects.
    """
    ladders = {name: ladder(context.numbers, name) for name in (str(statement.parameter), *statement.than)}
    runs = sorted({run for one in ladders.values() for run in one.runs})
    on_one = together(context.numbers, statement.metrics, runs)
    found = [of for of in on_one.values() if of.deviation[0] > 0]
    if not found:
        raise CannotTell("the metrics do not vary")
    signs = {"up": 1.0, "down": -1.0} if len(statement.metrics) == 1 else {}
    effects = {
        name: np.mean([_signed(of.effect(one), signs.get(statement.direction)) for of in found], axis=0)
        for name, one in ladders.items()
    }
    own = effects[str(statement.parameter)]
    made = []
    for name in statement.than:
        ours = f"{digits(own[0])} by {statement.parameter}, {digits(effects[name][0])} by {name}"
        made.append(_towards("up", own - effects[name], 0.0, ours))
    return Tested(made, len(made), DEVIATIONS, len(runs))


def _signed(effect: Array, sign: float | None) -> Array:
    """Multiply an effect by the sign, or by the effect's own sign if no direction is stated."""
    return effect * (np.sign(effect[0]) if sign is None else sign)


def _correlation(statement: Statement, context: Context) -> Tested:
    one, other = statement.metrics
    values, margins = correlation(context.numbers, one, other), context.margins
    ours = f"r = {math.tanh(values[0]):+.2f}"
    weak, strong = math.atanh(margins["weak"]), math.atanh(margins["strong"])
    if statement.by == "medium":
        number = Number(values, weak, strong, weak, strong, ours)
    else:
        beyond = strong if statement.by == "strong" else 0.0
        number = _towards(statement.direction, values, math.atanh(margins["nothing_of_correlation"]), ours, beyond)
    return Tested([number], 1, CORRELATION, len(context.numbers.written))


def _weak(statement: Statement, context: Context) -> Tested:
    return _all_within(statement, context, context.margins["weak"])


def _no_other(statement: Statement, context: Context) -> Tested:
    return _all_within(statement, context, context.margins["strong"])


def _all_within(statement: Statement, context: Context, margin: float) -> Tested:
    """Test the correlations of each two metrics, without the excluded pairs.

    The pairs are those of the statement's metrics, and of any others that the runs have. A pair of which one metric is
    missing or does not vary is missing.
    """
    left_out, bound, made, missing = {frozenset(pair) for pair in statement.besides}, math.atanh(margin), [], 0
    metrics = dict.fromkeys([*statement.metrics, *context.numbers.metrics])
    for one, other in itertools.combinations(metrics, 2):
        if frozenset((one, other)) in left_out:
            continue
        try:
            values = correlation(context.numbers, one, other)
        except CannotTell:
            missing += 1
            continue
        ours = f"{one} and {other}: r = {math.tanh(values[0]):+.2f}"
        made.append(Number(values, -bound, bound, -bound, bound, ours))
    if not made:
        raise CannotTell("needs two metrics that vary")
    needed, lacking = _needed(statement, len(made) + missing), _had(statement, context)[1]
    return Tested(made, needed, CORRELATION, len(context.numbers.written), lacking=lacking, missing=missing)


def _models(statement: Statement, context: Context) -> Tested:
    """Test each of the models against each of the others, by each metric."""
    named = _named(context, [*statement.models, *statement.than])
    runs, pairs = _places(named), itertools.product(statement.models, statement.than)
    against = [pair for one, other in pairs for pair in itertools.product(named[one], named[other])]
    made = []
    had, lacking = _had(statement, context)
    for metric in had:
        found = moments(context.numbers, metric, runs)
        for one, other in against:
            mine, theirs = (found.means[np.searchsorted(runs, of.places)].mean(axis=0) for of in (one, other))
            effect = over(mine - theirs, found.deviation)
            ours = f"{metric}: {one.label} {digits(mine[0])}, {other.label} {digits(theirs[0])}"
            made.append(_towards(statement.direction, effect, context.margins["nothing"], ours))
    return _of_metrics(statement, made, had, lacking, DEVIATIONS, len(runs))


def _level(statement: Statement, context: Context) -> Tested:
    named, made = _named(context, statement.models), []
    for one in itertools.chain(*named.values()):
        values = moments(context.numbers, statement.metrics[0], one.places).means.mean(axis=0) - statement.level
        ours = f"{one.label} {digits(values[0] + statement.level)}"
        made.append(_towards(statement.direction, values, 0.0, ours))
    return Tested(made, len(made), OWN, len(_places(named)))


def _model_spread(statement: Statement, context: Context) -> Tested:
    """Test each of the models against the next."""
    named = _named(context, statement.models)
    runs, pairs = _places(named), itertools.pairwise(statement.models)
    of_runs, metrics = log_deviations(context.numbers, runs, of_prompts=False)
    made = []
    for one, other in [pair for a, b in pairs for pair in itertools.product(named[a], named[b])]:
        before, after = (of_runs[np.searchsorted(runs, of.places)].mean(axis=0) for of in (one, other))
        change = after - before
        ours = f"{other.label}: {_percent(change[0])} beside {one.label}, over {', '.join(metrics)}"
        made.append(_towards(statement.direction, change, context.margins["nothing_of_spread"], ours))
    return Tested(made, len(made), LOGARITHM, len(runs))


def _size(statement: Statement, context: Context) -> Tested:
    sizes, made = ModelSizes.of(context.numbers), []
    had, lacking = _had(statement, context)
    for metric in had:
        found = moments(context.numbers, metric, sizes.runs)
        means = over(sizes.of_models(found.means, found.runs), found.deviation)
        effect = sizes.slope @ means
        ours = f"{metric}: {effect[0] / sizes.tens:+.2g} sd for ten times the parameters, over {sizes.words}"
        number = _towards(statement.direction, effect, context.margins["nothing"], ours)
        made.append(replace(number, over_models=sizes.error(means)))
    return _of_metrics(statement, made, had, lacking, DEVIATIONS, len(sizes.runs), MODELS)


def _size_spread(statement: Statement, context: Context) -> Tested:
    sizes = ModelSizes.of(context.numbers)
    of_runs, metrics = log_deviations(context.numbers, sizes.runs, of_prompts=False)
    of_models = sizes.of_models(of_runs, sorted(sizes.runs))
    effect = sizes.slope @ of_models
    ours = (
        f"{_percent(effect[0] / sizes.tens)} for ten times the parameters, over {sizes.words}, "
        f"and over {', '.join(metrics)}"
    )
    number = _towards(statement.direction, effect, context.margins["nothing_of_spread"], ours)
    return Tested([replace(number, over_models=sizes.error(of_models))], 1, LOGARITHM, len(sizes.runs), MODELS)


@dataclass(frozen=True)
class _Weights:
    """The places of the runs of one model's weights, and the model's label."""

    label: str
    places: list[int]


def _named(context: Context, names: Sequence[str]) -> dict[str, list[_Weights]]:
    """Return the runs of each of the paper's models, or of the articles, grouped by weights.

    Two checkpoints with the same name are two models, and a statement about the name must hold for each. Raises
    CannotTell with the names that have no run.
    """
    by_name = {one.name: one for one in context.models}
    found: dict[str, list[_Weights]] = {}
    for name in names:
        of_weights: dict[str, list[int]] = {}
        for place, run in enumerate(context.numbers.runs):
            if run.is_articles if name == "Wikipedia" else not run.is_articles and by_name[name].is_called(run.model):
                of_weights.setdefault(run.identity, []).append(place)
        several = len(of_weights) > 1
        found[name] = [
            _Weights(f"{name} ({identity[:8]})" if several else name, places) for identity, places in of_weights.items()
        ]
    if lacking := [name for name, of_name in found.items() if not of_name]:
        raise CannotTell(f"{NEEDS_RUNS}{', '.join(lacking)}")
    return found


def _places(named: Mapping[str, Sequence[_Weights]]) -> list[int]:
    return sorted({place for of_name in named.values() for one in of_name for place in one.places})


def _had(statement: Statement, context: Context) -> tuple[Sequence[str], Sequence[str]]:
    """Return the metrics that the runs have, and those that they lack.

    If they have none, the first metric counts as one that they have, so that an error names it.
    """
    had = [metric for metric in statement.metrics if context.numbers.place(metric) is not None]
    return had or statement.metrics[:1], [metric for metric in statement.metrics if metric not in had]


def _of_metrics(
    statement: Statement,
    made: Sequence[Number],
    had: Sequence[str],
    lacking: Sequence[str],
    unit: Unit,
    runs: int,
    over: str = ARTICLES,
) -> Tested:
    """Return the test of a statement whose numbers are as many for each of its metrics."""
    missing = len(made) // len(had) * len(lacking)
    return Tested(made, _needed(statement, len(made) + missing), unit, runs, over, lacking, missing)


def _needed(statement: Statement, comparisons: int) -> int:
    """Return how many of the comparisons must be as stated."""
    return {"all": comparisons, "most": comparisons // 2 + 1, "all but two": max(1, comparisons - 2)}[statement.share]


def _none(statement: Statement, context: Context) -> Tested:
    raise CannotTell(str(statement.why))


def _at(means: Array, values: Sequence[float], places: Sequence[int]) -> str:
    return ", ".join(f"{digits(means[place])} at {value_words(values[place])}" for place in places)


def _percent(logarithm: float) -> str:
    return f"{100 * math.expm1(logarithm):+.0f} %"


_TESTS: Mapping[str, Callable[[Statement, Context], Tested]] = {
    "trend": _trend,
    "spread": _spread,
    "small": _small,
    "largest": _largest,
    "correlation": _correlation,
    "weak": _weak,
    "no_other": _no_other,
    "models": _models,
    "level": _level,
    "model_spread": _model_spread,
    "size": _size,
    "size_spread": _size_spread,
    "none": _none,
}
