"""Reproduce Massarelli et al. 2020, table 1: the supported share of a model's text, by decoder and for the articles."""

from collections.abc import Mapping, Sequence

from flows.experiments.experiment import named
from flows.experiments.verifiability.compute import checked_by
from flows.experiments.verifiability.metrics import PUBLISHED
from flows.experiments.verifiability.result_tables import VerifiabilityMetric
from flows.reproducing.chosen_models import ChosenModel
from flows.reproducing.evaluations import (
    asked,
    decoders_of,
    evaluation_reader,
    evaluation_tasks,
    protocol,
    texts_of,
)
from flows.reproducing.matching import Ours, canonical
from flows.reproducing.step import NO_COMMAND, Outcome, Reader, Reproduction, Step, Task, asks_for
from newwiki.papers.published import Exhibit, Number
from storage import experiments

_NAME = "verifiability"
# Columns that the paper also prints, and that no command computes
_OTHERWISE = {
    "value": "which values were tried the paper does not tell; try your own: newwiki experiment verifiability --sweep",
    "perplexity": "of each model on texts like its training's, which are not published",
}
_ARTICLES = "reference"


def _tasks(reproduction: Reproduction, exhibits: Sequence[Exhibit]) -> list[Task]:
    """Return the tasks; without a scorer of claims, measure only the columns that do not need one."""
    shown = [exhibit for exhibit in exhibits if not PUBLISHED.keys().isdisjoint(exhibit.columns)]
    if _lacking(reproduction):
        return evaluation_tasks(reproduction, shown)
    return [task for model in reproduction.models.loaded if (task := _task(reproduction, model, shown))]


def _task(reproduction: Reproduction, model: ChosenModel, exhibits: Sequence[Exhibit]) -> Task | None:
    own_exhibits = [exhibit for exhibit in exhibits if any(row.model == model.of for row in exhibit.rows)]
    chosen = decoders_of(
        reproduction, [row for exhibit in own_exhibits for row in exhibit.rows if row.model == model.of]
    )
    if not chosen:
        return None
    experiment, numbers = named(_NAME), protocol(reproduction, reproduction.new)
    settings = {**reproduction.request.how, "snapshot": reproduction.new.snapshot_id, **asked(numbers)}
    request = experiment.request(**settings, models=(model.name,), backend=model.backend, decoder=chosen)
    return Task(
        name=f"{_NAME}: {model.words}",
        request=request,
        experiment=_NAME,
        exhibits=[exhibit.name for exhibit in own_exhibits],
        runs=len(chosen),
        texts=texts_of(chosen, numbers),
        tokens=numbers["max_new_tokens"].here,
        scaled=list(numbers.values()),
    )


def _reader(reproduction: Reproduction, outcomes: Mapping[str, Outcome]) -> Reader:
    lacking = _lacking(reproduction)
    plain = evaluation_reader(reproduction, outcomes) if lacking else None
    answers = {name: outcome.answer for name, outcome in outcomes.items() if outcome.answer}
    metrics = {
        (name, metric.decoder, metric.metric): metric
        for name, answer in answers.items()
        for metric in experiments.rows(reproduction.database, VerifiabilityMetric, answer)
    }

    def number_of(exhibit: Exhibit, number: Number) -> Ours | str | None:
        metric = PUBLISHED.get(number.metric.title)
        if metric is None:
            return _OTHERWISE.get(number.metric.title, NO_COMMAND)
        if plain:
            return plain(exhibit, number) if number.metric.here else lacking
        if number.model and number.model.articles:
            name = next(iter(answers), "")
            return _ours(metrics.get((name, _ARTICLES, metric)), "Wikipedia", answers.get(name, ""))
        model = reproduction.model(number)
        if isinstance(model, str):
            return model
        name = f"{_NAME}: {model.words}"
        if name not in answers:
            return outcomes[name].failed if name in outcomes else NO_COMMAND
        decoder = canonical(reproduction.models.decoder(number.decoder))
        return _ours(metrics.get((name, decoder, metric)), model.words, answers[name])

    return number_of


def _ours(metric: VerifiabilityMetric | None, whose: str, answer: str) -> Ours | str:
    if metric is None:
        return "no model is loaded beside which the articles would be measured"
    if metric.mean is None:
        return f"no text has a number: {metric.undefined} are undefined"
    return Ours(
        value=metric.mean,
        low=metric.low,
        high=metric.high,
        lacking=metric.no_interval,
        whose=whose,
        metric=metric.metric,
        source=answer,
    )


def _lacking(reproduction: Reproduction) -> str:
    return reproduction.lacking(checked_by(reproduction.settings))


STEP = Step(fills=asks_for(f"newwiki experiment {_NAME}"), tasks=_tasks, reader=_reader)
