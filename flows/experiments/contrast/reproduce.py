"""Reproduce Li et al. 2022 and Su and Xu 2022: contrastive decoding, contrastive search, greedy search and sampling."""

import re
from collections.abc import Mapping, Sequence

from flows.experiments.contrast.request import BESIDE, ContrastRequest
from flows.experiments.contrast.result_tables import ContrastNumber
from flows.experiments.contrast.variants import variants
from flows.reproducing import scale
from flows.reproducing.chosen_models import ChosenModel
from flows.reproducing.matching import Ours, canonical
from flows.reproducing.step import NO_COMMAND, Outcome, Reader, Reproduction, Step, Task, asks_for
from newwiki.papers.published import Exhibit, Number
from storage import experiments

_NAME = "contrast"
# What each paper varies in addition to its table
_ABLATIONS = {
    "000-1": "amateur-temperature,amateur-size,amateur-context,plausibility,sampling,beams",
    "000-2": "k",
}
_TOKENS = 256
_MAUVE = 20  # the smallest number of texts that MAUVE needs
_ARTICLES = ("wikitext", "wikipedia")  # the papers' domains that match the prompts of this project
_ELSEWHERE = "of the domain '{}' in the paper, of Wikipedia's articles here"
_DAMAGED = "the paper's text does not say of which model and domain it is"
# Table 4 of Li et al. 2022: the parameter that each variant changes
_VARIANTS = {"num_beams=0": ("num_beams", "0"), "alpha=0": ("alpha", "0")}
_CONTRASTIVE = "contrastive-decoding"


def _tasks(reproduction: Reproduction, exhibits: Sequence[Exhibit]) -> list[Task]:
    return [task for model in reproduction.models.loaded if (task := _task(reproduction, model, exhibits))]


def _task(reproduction: Reproduction, model: ChosenModel, exhibits: Sequence[Exhibit]) -> Task | None:
    """Return the task for one model, or None if its amateur is not available."""
    main, amateur = _main(reproduction, model)
    if not isinstance(amateur, ChosenModel):
        return None
    rows = [row.decoder for exhibit in exhibits for row in exhibit.rows if row.model == model.of]
    beside = dict.fromkeys(canonical(text) for text in (*BESIDE, *rows) if text and not text.startswith(_CONTRASTIVE))
    prompts = scale.prompts(reproduction.new.articles, reproduction.scale, at_least=_MAUVE)
    tokens = scale.tokens(_TOKENS, reproduction.scale)
    request = ContrastRequest(
        **{
            **reproduction.request.how,
            "snapshot": reproduction.new.snapshot_id,
            "models": (model.name,),
            "backend": model.backend,
            "decoder": tuple(beside),
            "amateur": (amateur.name,),
            "amateur_temperature": float(_parameter(main, "amateur_temperature")),
            "ablations": _ABLATIONS[reproduction.paper.id],
            "prompts": prompts.here,
            "max_new_tokens": tokens.here,
        }
    )
    runs = len({tested.decoder for tested in variants(request, model.name)})
    return Task(
        name=_task_name(model),
        request=request,
        experiment=_NAME,
        exhibits=[exhibit.name for exhibit in exhibits],
        runs=runs,
        texts=runs * prompts.here,
        tokens=tokens.here,
        scaled=[prompts, tokens],
    )


def _reader(reproduction: Reproduction, outcomes: Mapping[str, Outcome]) -> Reader:
    answers = {name: outcome.answer for name, outcome in outcomes.items() if outcome.answer}
    numbers = {
        (name, number.decoder, number.metric): number
        for name, answer in answers.items()
        for number in experiments.rows(reproduction.database, ContrastNumber, answer)
    }

    def number_of(exhibit: Exhibit, number: Number) -> Ours | str | None:
        model = _model(reproduction, number)
        if isinstance(model, str):
            return model
        main, amateur = _main(reproduction, model)
        if not isinstance(amateur, ChosenModel):
            return amateur
        metric, why = reproduction.nearest(number.metric)
        if why:
            return why
        name = _task_name(model)
        if name not in answers:
            return outcomes[name].failed if name in outcomes else NO_COMMAND
        specification = number.decoder or variant(main, str(number.labels.get("variant", "")))
        if not specification:
            return "no model here is what the paper took for the amateur"
        stored = numbers.get((name, canonical(reproduction.models.decoder(specification)), metric))
        if stored is None or stored.mean is None:
            return (
                stored.no_number or f"{metric} has no number" if stored else f"{metric} has no number of this decoder"
            )
        domain = str(number.labels.get("domain", ""))
        unlike = _ELSEWHERE.format(domain) if domain and domain not in _ARTICLES else ""
        return Ours(
            value=stored.mean,
            low=stored.low,
            high=stored.high,
            lacking=stored.no_interval,
            whose=whose_words(model, amateur, specification),
            metric=metric,
            source=answers[name],
            unlike=unlike if number.model else _DAMAGED,
        )

    return number_of


def whose_words(model: ChosenModel, amateur: ChosenModel, specification: str) -> str:
    """Name the model, and also its amateur if a stand-in replaces the paper's amateur."""
    writes_along = specification.startswith(_CONTRASTIVE) and amateur.stands_in
    return f"{model.words}; its amateur {amateur.words}" if writes_along else model.words


def _model(reproduction: Reproduction, number: Number) -> ChosenModel | str:
    """Return the model of a number; if the paper's text does not name it, return the first loaded model."""
    if number.model:
        return reproduction.model(number)
    every = list(reproduction.models.models.values())
    return next((model for model in every if isinstance(model, ChosenModel)), every[0])


def _main(reproduction: Reproduction, model: ChosenModel) -> tuple[str, ChosenModel | str]:
    """Return the paper's contrastive decoding for this model, and the model that is loaded as its amateur."""
    every = [row.decoder for exhibit in reproduction.paper.exhibits for row in exhibit.rows if row.model == model.of]
    main = next((text for text in every if text.startswith(_CONTRASTIVE)), "")
    if not main:
        return "", "the paper does not tell its amateur"
    return main, reproduction.models.amateurs[_parameter(main, "amateur")]


def _parameter(decoder: str, name: str) -> str:
    match = re.search(rf"(?<=[:,]){name}=([^,]+)", decoder)
    return match.group(1) if match else ""


def variant(main: str, words: str) -> str:
    """Return the decoder of a variant, which is the main decoder if the variant changes no parameter."""
    if not words:
        return ""
    for setting, (name, value) in _VARIANTS.items():
        if words.endswith(setting):
            return re.sub(rf"(?<=[:,]){name}=[^,]+", f"{name}={value}", main)
    return main


def _task_name(model: ChosenModel) -> str:
    return f"{_NAME}: {model.words}"


STEP = Step(fills=asks_for(f"newwiki experiment {_NAME}"), tasks=_tasks, reader=_reader)
