"""Reproduce Dhamala et al. 2022: shares of negative sentences by group over the sweeps of p, k and temperature."""

from collections.abc import Mapping, Sequence
from statistics import stdev
from typing import Any

from evaluators.statistics import FEWEST
from flows.experiments.experiment import named
from flows.experiments.fairness.material import Found
from flows.experiments.fairness.request import FAIRNESS_METRICS, FAIRNESS_SWEEPS
from flows.experiments.fairness.result_tables import GroupShare
from flows.reproducing import scale
from flows.reproducing.chosen_models import ChosenModel
from flows.reproducing.matching import Ours, canonical
from flows.reproducing.step import NO_COMMAND, Outcome, Reader, Reproduction, Step, Task, asks_for
from newwiki.decoding.grammar import parse
from newwiki.papers.published import Exhibit, Number

_NAME = "fairness"
# Sentence beginnings of ROPrompt (Sheng et al. 2019), texts per prompt (section 5), sentences (appendix C)
_PROMPTS, _SAMPLES, _SWAPPED, _TOKENS, _GROUPS = 20, 100, 1489, 64, 11
# The paper's names of groups, and their names in the prompts, where the two differ
_GROUP = {"male": "Man", "female": "Woman", "atheist": "Atheist", "straight": "Straight"}
_REGARD = "negative_regard"
_QUALITY = "correlation with quality"
_LEAST_OF = "the least and the greatest over the settings of a sweep: picked, so that an interval of one is not theirs"


def _tasks(reproduction: Reproduction, exhibits: Sequence[Exhibit]) -> list[Task]:
    if all(reproduction.lacking(metric) for metric in FAIRNESS_METRICS.split(",")):
        return []
    return [_task(reproduction, model, exhibits) for model in reproduction.models.loaded]


def _task(reproduction: Reproduction, model: ChosenModel, exhibits: Sequence[Exhibit]) -> Task:
    share = reproduction.scale
    prompts, samples = scale.prompts(_PROMPTS, share), scale.samples(_SAMPLES, share)
    swapped = scale.whole("sentences with swapped words", _SWAPPED, share, FEWEST)
    how: dict[str, Any] = {name: value for name, value in reproduction.request.how.items() if name != "snapshot"}
    how |= {"models": (model.name,), "backend": model.backend, "prompts": prompts.here, "swap_texts": swapped.here}
    # because the sentences of the paper's tables 2 and 3 begin with their prompts
    how["judged"] = "prompt-and-completion"
    request = named(_NAME).request(**how, samples=samples.here, keep=samples.here)
    runs = sum(len(parse(sweep)) for sweep in FAIRNESS_SWEEPS)
    return Task(
        name=_task_name(model),
        request=request,
        experiment=_NAME,
        exhibits=[exhibit.name for exhibit in exhibits],
        runs=runs,
        texts=runs * prompts.here * samples.here * _GROUPS,
        tokens=_TOKENS,
        scaled=[prompts, samples, swapped],
    )


def _reader(reproduction: Reproduction, outcomes: Mapping[str, Outcome]) -> Reader:
    answers = {name: outcome.answer for name, outcome in outcomes.items() if outcome.answer}
    results = {name: Found.read(reproduction.database, answer) for name, answer in answers.items()}

    def number_of(exhibit: Exhibit, number: Number) -> Ours | str | None:
        if number.metric.title == _QUALITY:
            return exhibit.why
        metric = next(iter(number.metric.here), _REGARD)
        if why := reproduction.lacking(metric):
            return why
        if number.model is None:  # the number is the same for all models
            name = next(iter(answers), "")
            model = next((loaded for loaded in reproduction.models.loaded if _task_name(loaded) == name), None)
            if model is None:
                return next(
                    (outcome.failed for outcome in outcomes.values()), next(iter(_unloaded(reproduction)), NO_COMMAND)
                )
        else:
            chosen = reproduction.model(number)
            if isinstance(chosen, str):
                return chosen
            model, name = chosen, _task_name(chosen)
            if name not in answers:
                return outcomes[name].failed if name in outcomes else NO_COMMAND
        return fairness_number(results[name], number, metric, model.words, answers[name])

    return number_of


def fairness_number(results: Found, number: Number, metric: str, whose: str, answer: str) -> Ours | str:
    if "swapped" in number.labels:
        return _swapped(results, number, metric, whose, answer)
    shares = [share for share in results.shares if share.metric == metric and share.share is not None]
    sweep = str(number.labels.get("sweep", "")).replace("-", "_")
    if number.labels.get("group") == "all":
        spreads = _spreads([share for share in shares if share.sweep == sweep])
        if not spreads:
            return f"no group has two settings with a number of {metric}"
        value = min(spreads) if number.metric.title.startswith("least") else max(spreads)
        return Ours(value=value * 100, lacking="a standard deviation", whose=whose, metric=metric, source=answer)
    group = _group(str(number.labels["group"]))
    group_shares = [share for share in shares if share.group_name == group]
    if sweep:
        picked = sorted((share for share in group_shares if share.sweep == sweep), key=lambda share: share.share or 0.0)
        if not picked:
            return f"no prompt is about {group}"
        picked_share = picked[0] if number.metric.title.startswith("lowest") else picked[-1]
        ours = _share(picked_share, whose, answer)
        return Ours(value=ours.value * 100, lacking=_LEAST_OF, whose=whose, metric=metric, source=answer)
    places = {
        (setting.sweep, setting.place) for setting in results.settings if setting.decoder == canonical(number.decoder)
    }
    here = next((share for share in group_shares if (share.sweep, share.place) in places), None)
    return _share(here, whose, answer) if here else f"no prompt is about {group}"


def _swapped(results: Found, number: Number, metric: str, whose: str, answer: str) -> Ours | str:
    here = next(
        (swap for swap in results.swaps if (swap.metric, swap.swapped) == (metric, number.labels["swapped"])), None
    )
    if here is None:
        return f"{metric} says of no sentence whether it is negative, or there is none"
    lacking = "the answer has one of the difference that the swapping makes, and none of the share"
    return Ours(value=here.share, lacking=lacking, whose=whose, metric=metric, source=answer)


def _share(share: GroupShare, whose: str, answer: str) -> Ours:
    return Ours(
        value=share.share or 0.0,
        low=share.low,
        high=share.high,
        lacking=share.no_interval,
        whose=whose,
        metric=share.metric,
        source=answer,
    )


def _spreads(shares: Sequence[GroupShare]) -> list[float]:
    """Return the standard deviation of each group over the settings."""
    by_group: dict[tuple[str, str], list[float]] = {}
    for share in shares:
        by_group.setdefault((share.category, share.group_name), []).append(share.share or 0.0)
    return [stdev(values) for values in by_group.values() if len(values) > 1]


def _group(name: str) -> str:
    return _GROUP.get(name, name)


def _unloaded(reproduction: Reproduction) -> list[str]:
    return [model for model in reproduction.models.models.values() if isinstance(model, str)]


def _task_name(model: ChosenModel) -> str:
    return f"{_NAME}: {model.words}"


STEP = Step(fills=asks_for(f"newwiki experiment {_NAME}"), tasks=_tasks, reader=_reader)
