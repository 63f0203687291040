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
    steps = ladder(context.numbers, str(statement.parameter))
    metric_moments = moments(context.numbers, statement.metrics[0], steps.runs)
    effect, means = metric_moments.effect(steps), metric_moments.at_values(steps)[:, 0]
    ours = _at(means, steps.values, range(len(means)))
    beyond = context.margins[statement.by] if statement.by else 0.0
    number = _towards(statement.direction, effect, context.margins["nothing"], ours, beyond)
    return Tested([number], 1, DEVIATIONS, len(steps.runs))


def _spread(statement: Statement, context: Context) -> Tested:
    steps = ladder(context.numbers, str(statement.parameter))
    run_deviations, metrics = log_deviations(context.numbers, steps.runs, of_prompts=statement.of == "each prompt")
    at_values = run_deviations[np.searchsorted(steps.runs, steps.places)].mean(axis=1)
    effect = steps.slope @ at_values
    ends = f"{value_words(steps.values[0])} to {value_words(steps.values[-1])}"
    ours = f"{_percent(effect[0])} from {ends}, over {', '.join(metrics)}"
    number = _towards(statement.direction, effect, context.margins["nothing_of_spread"], ours)
    return Tested([number], 1, LOGARITHM, len(steps.runs))


def _small(statement: Statement, context: Context) -> Tested:
    """Test that any two values differ by less than the margin, in either direction."""
    steps = ladder(context.numbers, str(statement.parameter))
    margin, numbers = context.margins["small"], []
    had, lacking = _had(statement, context)
    for metric in had:
        metric_moments = moments(context.numbers, metric, steps.runs)
        means = metric_moments.at_values(steps)
        for low, high in itertools.combinations(range(len(steps.values)), 2):
            ours = f"{metric}: {_at(means[:, 0], steps.values, (low, high))}"
            effect = over(means[high] - means[low], metric_moments.deviation)
            numbers.append(Number(effect, -margin, margin, -margin, margin, ours))
    return _tested_metrics(statement, numbers, had, lacking, DEVIATIONS, len(steps.runs))


def _largest(statement: Statement, context: Context) -> Tested:
    """Test that the parameter has a larger effect than each of the other parameters.

    With one metric, compare the effects in the stated direction. With several metrics, compare the means over metrics
    of the absolute effects.
    """
    ladders = {name: ladder(context.numbers, name) for name in (str(statement.parameter), *statement.than)}
    runs = sorted({run for steps in ladders.values() for run in steps.runs})
    on_one = together(context.numbers, statement.metrics, runs)
    varying = [effect_of_metric for effect_of_metric in on_one.values() if effect_of_metric.deviation[0] > 0]
    if not varying:
        raise CannotTell("the metrics do not vary")
    signs = {"up": 1.0, "down": -1.0} if len(statement.metrics) == 1 else {}
    effects = {
        name: np.mean(
            [_signed(effect_of_metric.effect(steps), signs.get(statement.direction)) for effect_of_metric in varying],
            axis=0,
        )
        for name, steps in ladders.items()
    }
    own = effects[str(statement.parameter)]
    numbers = []
    for name in statement.than:
        ours = f"{digits(own[0])} by {statement.parameter}, {digits(effects[name][0])} by {name}"
        numbers.append(_towards("up", own - effects[name], 0.0, ours))
    return Tested(numbers, len(numbers), DEVIATIONS, len(runs))


def _signed(effect: Array, sign: float | None) -> Array:
    """Multiply an effect by the sign, or by the effect's own sign if no direction is stated."""
    return effect * (np.sign(effect[0]) if sign is None else sign)


def _correlation(statement: Statement, context: Context) -> Tested:
    first, second = statement.metrics
    values, margins = correlation(context.numbers, first, second), context.margins
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
    left_out, bound, numbers, missing = {frozenset(pair) for pair in statement.besides}, math.atanh(margin), [], 0
    metrics = dict.fromkeys([*statement.metrics, *context.numbers.metrics])
    for first, second in itertools.combinations(metrics, 2):
        if frozenset((first, second)) in left_out:
            continue
        try:
            values = correlation(context.numbers, first, second)
        except CannotTell:
            missing += 1
            continue
        ours = f"{first} and {second}: r = {math.tanh(values[0]):+.2f}"
        numbers.append(Number(values, -bound, bound, -bound, bound, ours))
    if not numbers:
        raise CannotTell("needs two metrics that vary")
    needed, lacking = _needed(statement, len(numbers) + missing), _had(statement, context)[1]
    return Tested(numbers, needed, CORRELATION, len(context.numbers.written), lacking=lacking, missing=missing)


def _models(statement: Statement, context: Context) -> Tested:
    """Test each of the models against each of the others, by each metric."""
    named = _named(context, [*statement.models, *statement.than])
    runs, pairs = _places(named), itertools.product(statement.models, statement.than)
    against = [pair for first, second in pairs for pair in itertools.product(named[first], named[second])]
    numbers = []
    had, lacking = _had(statement, context)
    for metric in had:
        metric_moments = moments(context.numbers, metric, runs)
        for first, second in against:
            mine, theirs = (
                metric_moments.means[np.searchsorted(runs, subset.places)].mean(axis=0) for subset in (first, second)
            )
            effect = over(mine - theirs, metric_moments.deviation)
            ours = f"{metric}: {first.label} {digits(mine[0])}, {second.label} {digits(theirs[0])}"
            numbers.append(_towards(statement.direction, effect, context.margins["nothing"], ours))
    return _tested_metrics(statement, numbers, had, lacking, DEVIATIONS, len(runs))


def _level(statement: Statement, context: Context) -> Tested:
    named, numbers = _named(context, statement.models), []
    for weights in itertools.chain(*named.values()):
        values = moments(context.numbers, statement.metrics[0], weights.places).means.mean(axis=0) - statement.level
        ours = f"{weights.label} {digits(values[0] + statement.level)}"
        numbers.append(_towards(statement.direction, values, 0.0, ours))
    return Tested(numbers, len(numbers), OWN, len(_places(named)))


def _model_spread(statement: Statement, context: Context) -> Tested:
    """Test each of the models against the next."""
    named = _named(context, statement.models)
    runs, pairs = _places(named), itertools.pairwise(statement.models)
    run_deviations, metrics = log_deviations(context.numbers, runs, of_prompts=False)
    numbers = []
    for first, second in [pair for a, b in pairs for pair in itertools.product(named[a], named[b])]:
        before, after = (
            run_deviations[np.searchsorted(runs, subset.places)].mean(axis=0) for subset in (first, second)
        )
        change = after - before
        ours = f"{second.label}: {_percent(change[0])} beside {first.label}, over {', '.join(metrics)}"
        numbers.append(_towards(statement.direction, change, context.margins["nothing_of_spread"], ours))
    return Tested(numbers, len(numbers), LOGARITHM, len(runs))


def _size(statement: Statement, context: Context) -> Tested:
    sizes, numbers = ModelSizes.of(context.numbers), []
    had, lacking = _had(statement, context)
    for metric in had:
        metric_moments = moments(context.numbers, metric, sizes.runs)
        means = over(sizes.of_models(metric_moments.means, metric_moments.runs), metric_moments.deviation)
        effect = sizes.slope @ means
        ours = f"{metric}: {effect[0] / sizes.tens:+.2g} sd for ten times the parameters, over {sizes.words}"
        number = _towards(statement.direction, effect, context.margins["nothing"], ours)
        numbers.append(replace(number, over_models=sizes.error(means)))
    return _tested_metrics(statement, numbers, had, lacking, DEVIATIONS, len(sizes.runs), MODELS)


def _size_spread(statement: Statement, context: Context) -> Tested:
    sizes = ModelSizes.of(context.numbers)
    run_deviations, metrics = log_deviations(context.numbers, sizes.runs, of_prompts=False)
    model_deviations = sizes.of_models(run_deviations, sorted(sizes.runs))
    effect = sizes.slope @ model_deviations
    ours = (
        f"{_percent(effect[0] / sizes.tens)} for ten times the parameters, over {sizes.words}, "
        f"and over {', '.join(metrics)}"
    )
    number = _towards(statement.direction, effect, context.margins["nothing_of_spread"], ours)
    return Tested([replace(number, over_models=sizes.error(model_deviations))], 1, LOGARITHM, len(sizes.runs), MODELS)


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
    by_name = {model.name: model for model in context.models}
    weights: dict[str, list[_Weights]] = {}
    for name in names:
        places_by_weights: dict[str, list[int]] = {}
        for place, run in enumerate(context.numbers.runs):
            if run.is_articles if name == "Wikipedia" else not run.is_articles and by_name[name].is_called(run.model):
                places_by_weights.setdefault(run.identity, []).append(place)
        several = len(places_by_weights) > 1
        weights[name] = [
            _Weights(f"{name} ({identity[:8]})" if several else name, places)
            for identity, places in places_by_weights.items()
        ]
    if lacking := [name for name, model_weights in weights.items() if not model_weights]:
        raise CannotTell(f"{NEEDS_RUNS}{', '.join(lacking)}")
    return weights


def _places(named: Mapping[str, Sequence[_Weights]]) -> list[int]:
    return sorted({place for model_weights in named.values() for weights in model_weights for place in weights.places})


def _had(statement: Statement, context: Context) -> tuple[Sequence[str], Sequence[str]]:
    """Return the metrics that the runs have, and those that they lack.

    If they have none, the first metric counts as one that they have, so that an error names it.
    """
    had = [metric for metric in statement.metrics if context.numbers.place(metric) is not None]
    return had or statement.metrics[:1], [metric for metric in statement.metrics if metric not in had]


def _tested_metrics(
    statement: Statement,
    numbers: Sequence[Number],
    had: Sequence[str],
    lacking: Sequence[str],
    unit: Unit,
    runs: int,
    over: str = ARTICLES,
) -> Tested:
    """Return the test of a statement whose numbers are as many for each of its metrics."""
    missing = len(numbers) // len(had) * len(lacking)
    return Tested(numbers, _needed(statement, len(numbers) + missing), unit, runs, over, lacking, missing)


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
