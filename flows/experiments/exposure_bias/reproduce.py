"""Reproduce He et al. 2021: EB-M and EB-C, and the underlying scores and deviations, by prefix and its length."""

from collections.abc import Iterable, Mapping, Sequence
from math import sqrt
from statistics import fmean, stdev
from typing import Any

from scipy.special import stdtrit

from evaluators.statistics import ALIKE, LEVEL
from flows.experiments.experiment import named
from flows.experiments.exposure_bias.leave_out import FEWEST, TOO_FEW, Estimate
from flows.experiments.exposure_bias.measuring import METEOR
from flows.experiments.exposure_bias.prefixes import DATA, MODEL, SHUFFLED
from flows.experiments.exposure_bias.request import ExposureBiasRequest
from flows.experiments.exposure_bias.result_tables import ExposureMeasure, ExposureScore
from flows.reproducing import scale
from flows.reproducing.chosen_models import ChosenModel
from flows.reproducing.matching import Ours, canonical
from flows.reproducing.scale import Scaled
from flows.reproducing.step import NO_COMMAND, Outcome, Reader, Reproduction, Step, Task, asks_for
from newwiki.fields import fields_of
from newwiki.papers.published import Exhibit, Number
from storage import experiments

_NAME = "exposure-bias"
# Section 6.2: samples of a run, and seeds. The number of training texts for the synthetic model is this project's.
_TEXTS, _SEEDS, _TRAINING = 10_000, 10, 10_000
_STRETCHES = 4  # stretches per article, so that a quarter as many articles give as many prompts as in the paper
_TRAINED_AT_LEAST = 100
_SYNTHETIC = ", synthetic"
_PREFIXES = {"the model's own": MODEL, "data": DATA, "shuffled": SHUFFLED}
_SCORES = {
    "NIST": "nist",
    "METEOR": METEOR,
    "BLEU": "bleu",
    "back-BLEU": "backward_bleu",
    "entropy": "trigram_entropy",
    "TV": "total_variation",
    "JS": "jensen_shannon",
}


def _tasks(reproduction: Reproduction, exhibits: Sequence[Exhibit]) -> list[Task]:
    """Return one task per model.

    In a synthetic setting, the data's model replaces the articles. If no other model is named, a smaller model is
    trained on the data model's texts.
    """
    tasks = []
    rows = {row.model for exhibit in exhibits for row in exhibit.rows}
    for name, model in reproduction.models.models.items():
        if name not in rows:
            continue
        if not name.endswith(_SYNTHETIC):
            if isinstance(model, ChosenModel):
                tasks.append(_task(reproduction, name, model, exhibits, {}))
            continue
        data_model = reproduction.models.models[name.removesuffix(_SYNTHETIC)]
        if isinstance(data_model, str):
            continue
        if isinstance(model, ChosenModel):
            tasks.append(_task(reproduction, name, model, exhibits, {"data_model": data_model.name}))
        else:
            training = scale.whole("texts to train on", _TRAINING, reproduction.scale, _TRAINED_AT_LEAST)
            own = {"synthetic": True, "training_texts": training.here}
            tasks.append(_task(reproduction, name, data_model, exhibits, own, [training]))
    return tasks


def _task(
    reproduction: Reproduction,
    of: str,
    model: ChosenModel,
    exhibits: Sequence[Exhibit],
    own: dict[str, Any],
    more: Sequence[Scaled] = (),
) -> Task:
    articles = scale.prompts(_TEXTS // _STRETCHES, reproduction.scale, reproduction.new.articles)
    stretches = scale.whole("stretches of an article", _STRETCHES, reproduction.scale, 1)
    seeds = scale.whole("seeds", _SEEDS, reproduction.scale, FEWEST)
    settings = {**reproduction.request.how, "snapshot": reproduction.new.snapshot_id, "models": (model.name,), **own}
    settings |= {"samples": stretches.here, "keep": stretches.here}
    request = named(_NAME).request(**settings, backend=model.backend, prompts=articles.here, seeds=seeds.here)
    usual = {option.name: option.default for option in fields_of(ExposureBiasRequest)}
    lengths, rates, gaps = (len(usual[name]) for name in ("prefix_length", "rate", "gap"))
    runs = (2 + rates) * lengths + lengths * (1 + gaps)
    return Task(
        name=_task_name(of),
        request=request,
        experiment=_NAME,
        exhibits=[
            exhibit.name for exhibit in exhibits if not exhibit.rows or any(row.model == of for row in exhibit.rows)
        ],
        runs=runs * seeds.here,
        texts=runs * seeds.here * articles.here * stretches.here // 2,
        tokens=usual["max_new_tokens"],
        scaled=[articles, stretches, seeds, *more],
    )


def _reader(reproduction: Reproduction, outcomes: Mapping[str, Outcome]) -> Reader:
    answers = {name: outcome.answer for name, outcome in outcomes.items() if outcome.answer}
    scores = {name: experiments.rows(reproduction.database, ExposureScore, answer) for name, answer in answers.items()}
    measures = {
        name: experiments.rows(reproduction.database, ExposureMeasure, answer) for name, answer in answers.items()
    }

    def number_of(exhibit: Exhibit, number: Number) -> Ours | str | None:
        if number.model is None:
            return NO_COMMAND
        name = _task_name(number.model.name)
        if name not in answers:
            model = reproduction.model(number)
            if isinstance(model, str):
                return model
            return outcomes[name].failed if name in outcomes else NO_COMMAND
        decoder = canonical(number.decoder)
        own_scores = [score for score in scores[name] if score.decoder == decoder and not score.gap]
        ratios = [measure for measure in measures[name] if measure.decoder == decoder and not measure.gap]
        return exposure_number(own_scores, ratios, number, _whose(reproduction, number.model.name), answers[name])

    return number_of


def exposure_number(
    scores: Sequence[ExposureScore], ratios: Sequence[ExposureMeasure], number: Number, whose: str, answer: str
) -> Ours | str:
    """Return the number of one model under one decoder.

    It is a ratio with its interval over articles, or a score with its interval over seeds. If the row is `less` another
    prefix, it is the difference of two scores.
    """
    title = number.metric.title
    kind, _, inner = title.rstrip(")").partition(" (")
    metric = _SCORES[inner or title]
    prefix, length = _PREFIXES[str(number.labels["prefix"])], number.labels["length"]
    here = _by_seed(scores, metric, prefix, length)
    if not here:
        return f"there is no prefix of {float(length):g} tokens"
    texts = min(score.texts for score in here.values())
    unlike = ""
    if kind.startswith("EB"):
        [ratio] = [
            measure
            for measure in ratios
            if (measure.metric, measure.prefix, measure.prefix_length) == (metric, prefix, length)
        ]
        estimate = Estimate(ratio.ratio, ratio.low, ratio.high, lacking=ratio.no_interval)
    else:
        values = [score.score for score in here.values()]
        if less := number.labels.get("less"):
            others = _by_seed(scores, metric, _PREFIXES[str(less)], length)
            values = [score.score - others[seed].score for seed, score in here.items()]
        estimate = _over_seeds(values)
        if kind != "CGD" and texts < _TEXTS:
            unlike = f"of {texts:,} texts, where the paper has {_TEXTS:,}: it moves with their number"
    if estimate.mean is None:
        return f"{metric}: {estimate.lacking}"
    return Ours(
        value=estimate.mean,
        low=estimate.low,
        high=estimate.high,
        lacking=estimate.lacking,
        whose=whose,
        metric=metric,
        source=answer,
        unlike=unlike,
    )


def _over_seeds(values: Sequence[float]) -> Estimate:
    """Return the mean with its 95 % interval by Student's t over seeds, which is valid only for these articles."""
    mean = fmean(values)
    if len(values) < FEWEST:
        return Estimate(mean, lacking=TOO_FEW)
    error = stdev(values) / sqrt(len(values))
    if error <= 1e-12 * abs(mean):
        return Estimate(mean, lacking=ALIKE)
    reach = float(stdtrit(len(values) - 1, 1 - LEVEL / 2)) * error
    return Estimate(mean, mean - reach, mean + reach)


def _by_seed(
    scores: Iterable[ExposureScore], metric: str, prefix: str, length: str | float
) -> dict[int, ExposureScore]:
    return {
        score.seed: score
        for score in scores
        if (score.metric, score.prefix, score.prefix_length, score.gap) == (metric, prefix, length, 0)
    }


def _whose(reproduction: Reproduction, name: str) -> str:
    model = reproduction.models.models[name]
    if isinstance(model, ChosenModel):
        return model.words
    data_model = reproduction.models.models[name.removesuffix(_SYNTHETIC)]
    return (
        f"a smaller {data_model.name if isinstance(data_model, ChosenModel) else data_model}, trained on what it writes"
    )


def _task_name(of: str) -> str:
    return f"{_NAME}: {of}"


STEP = Step(fills=asks_for(f"newwiki experiment {_NAME}"), tasks=_tasks, reader=_reader)
