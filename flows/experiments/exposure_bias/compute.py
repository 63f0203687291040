"""Measure EB-M and EB-C of models; missing texts are written and read, and stored as they are finished."""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import cast

from flows.evaluating.generate import find_models, writing_of
from flows.experiments.answer_runs import AnswerRun
from flows.experiments.evaluations import Evaluations
from flows.experiments.experiment import Answer
from flows.experiments.exposure_bias.examples import examples
from flows.experiments.exposure_bias.findings import measures, trends
from flows.experiments.exposure_bias.measuring import Draw, Measured, length_of
from flows.experiments.exposure_bias.prefixes import Key, Tokens, stretches
from flows.experiments.exposure_bias.request import ExposureBiasRequest
from flows.experiments.exposure_bias.result_tables import ExposureExample
from flows.experiments.exposure_bias.stored import Store, TokenModel, require_one_vocabulary
from flows.experiments.exposure_bias.synthetic import fitted
from flows.experiments.exposure_bias.words import verdict, words
from flows.progress import Bar, Progress
from newwiki.decoding.grammar import Decoder, parse
from newwiki.errors import TerminalError, UsageError
from newwiki.models.backend import goes_on_from_tokens
from newwiki.registry import models
from newwiki.snapshot import Article
from newwiki.text.prompts import continued, fill
from storage import snapshots


@dataclass(frozen=True)
class Cut:
    """The stretches of articles by page and place, and the numbers of all articles and of too short articles."""

    stretches: Mapping[Key, Tokens]
    articles: int
    too_short: int


def compute(evaluations: Evaluations, request: ExposureBiasRequest) -> Answer:
    """Compute the answer of the experiment.

    Raises UsageError if the backend cannot continue from tokens, and TerminalError if the models' tokens differ or
    there are too few articles.
    """
    _check(evaluations, request)
    snapshot = snapshots.resolve(evaluations.database, request.snapshot)
    articles = snapshots.articles(evaluations.database, snapshot.snapshot_id)[: request.prompts]
    template = evaluations.settings.template
    in_their_place = request.models[0] if request.synthetic else request.data_model
    data_model = _load(evaluations, request, in_their_place) if in_their_place else None
    measured = {name: name for name in request.models}
    if data_model and request.synthetic:
        cut = _cut(data_model, articles, request, template)
        measured = {f"{in_their_place}, synthetic": str(fitted(evaluations, request, data_model, cut.stretches))}
    measured_scores: list[Measured] = []
    texts: list[ExposureExample] = []
    generations: dict[str, AnswerRun] = {}
    sha256s: dict[str, str] = {data_model.name: data_model.sha256} if data_model else {}
    for name, place in measured.items():
        model = _load(evaluations, request, place)
        if data_model:
            require_one_vocabulary(model, data_model)
        sha256s[name] = model.sha256
        cut = _cut(model, articles, request, template)
        for decoder in [parsed for specification in request.decoder for parsed in parse(specification)]:
            draws = _draws(evaluations, request, name, model, decoder, data_model, cut)
            measured_scores += _over_seeds(draws, evaluations.progress)
            texts += examples(draws[0])
            for draw in draws:
                generations |= draw.store.generations
    scores = [measured_score.score for measured_score in measured_scores]
    all_measures = measures(measured_scores)
    apart = trends(measured_scores)
    return Answer(
        snapshot_id=snapshot.snapshot_id,
        verdict=verdict(apart, cut.articles - cut.too_short),
        words=words(all_measures, apart, scores, request, in_their_place, cut.articles, cut.too_short),
        runs=[replace(generation, snapshot_id=snapshot.snapshot_id) for generation in generations.values()],
        read={
            "snapshot": snapshot.content_sha256,
            "models": sha256s,
            "scores": hashlib.sha256(json.dumps([asdict(score) for score in scores]).encode()).hexdigest(),
        },
        rows=[scores, all_measures, apart, texts],
        units=[cut.articles - cut.too_short],
    )


def _check(evaluations: Evaluations, request: ExposureBiasRequest) -> None:
    if not goes_on_from_tokens(models.get(request.backend)):
        raise UsageError(f"backend '{request.backend}' does not go on from tokens; --backend hf does")
    if evaluations.executor:
        raise UsageError("exposure-bias is not shared out among workers; leave --runner out")
    named = [*request.models, *([request.data_model] if request.data_model else [])]
    find_models(request.backend, named, request.loading)


def _load(evaluations: Evaluations, request: ExposureBiasRequest, name: str) -> TokenModel:
    return cast(TokenModel, evaluations.load(request.backend, name, request.loading))


def _cut(model: TokenModel, articles: Sequence[Article], request: ExposureBiasRequest, template: str) -> Cut:
    """Cut articles into stretches of tokens.

    Raises TerminalError if fewer than four articles are long enough: two are continued, and two are references.
    """
    cut_stretches: dict[Key, Tokens] = {}
    length = length_of(request)
    too_short = 0
    for article in articles:
        prompt = fill(template, article.title, article.first_sentence)
        tokens = model.tokens(prompt + continued(prompt, article.completion))
        pieces = stretches(tokens, length, request.samples)
        too_short += not pieces
        cut_stretches |= {(article.page_id, place): piece for place, piece in enumerate(pieces)}
    if len(articles) - too_short < 4:
        raise TerminalError(
            f"{len(articles) - too_short} of {len(articles)} articles have {length} tokens, and at least 4 are needed; "
            "ask for shorter prefixes (--prefix-length, --gap), or take more articles"
        )
    return Cut(cut_stretches, len(articles), too_short)


def _draws(
    evaluations: Evaluations,
    request: ExposureBiasRequest,
    name: str,
    model: TokenModel,
    decoder: Decoder,
    data_model: TokenModel | None,
    cut: Cut,
) -> list[Draw]:
    """Return one draw per seed."""
    writing = writing_of(request, evaluations.progress.note)
    return [
        Draw(
            Store(evaluations.database, replace(writing, seed=seed)),
            request,
            name,
            model,
            decoder,
            data_model,
            cut.stretches,
            seed,
        )
        for seed in range(request.seed, request.seed + request.seeds)
    ]


def _over_seeds(draws: Sequence[Draw], progress: Progress) -> list[Measured]:
    scores: list[Measured] = []
    with progress.stretch(f"{draws[0].name} under {draws[0].decoder.short}", "seeds") as bar:
        for place, draw in enumerate(draws):
            scores += draw.scores(_telling(bar, place, len(draws)))
            bar.update(place + 1, len(draws))
    return scores


def _telling(bar: Bar, done: int, total: int) -> Callable[[str], None]:
    return lambda message: bar.update(done, total, message)
