"""Continue prefixes of each kind and length for one seed, score the texts, and read them with both models."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from evaluators.corpus import Words, split_words
from evaluators.exposure_bias import eb_c, eb_m, generation_deviation
from evaluators.meteor import References
from evaluators.token_scores import backward_bleu, bleu, bleus, nist, trigram_entropy
from flows.experiments.exposure_bias.leave_out import Replicated, ScoreOf, leave_out, page_groups
from flows.experiments.exposure_bias.prefixes import (
    CORRUPTED,
    DATA,
    MODEL,
    SHUFFLED,
    Key,
    Prefix,
    Tokens,
    distorted,
    halves,
)
from flows.experiments.exposure_bias.request import ExposureBiasRequest
from flows.experiments.exposure_bias.result_tables import ExposureScore
from flows.experiments.exposure_bias.stored import Contexts, Store, TokenModel
from newwiki.decoding.grammar import Decoder

SCORES: Mapping[str, Callable[[Sequence[Words], Sequence[Words]], float]] = {
    "bleu": bleu,
    "nist": nist,
    "backward_bleu": backward_bleu,
    "trigram_entropy": trigram_entropy,
}
METEOR = "meteor_exact_stem"
DIVERGENCES = ("total_variation", "jensen_shannon")


@dataclass(frozen=True)
class Measured:
    """A score, and the values of the score and its ratio without each group of articles."""

    score: ExposureScore
    without: Sequence[float]
    ratios_without: Sequence[float | None] = ()

    @property
    def ratio(self) -> Replicated:
        return Replicated(self.score.ratio, self.ratios_without)


@dataclass(frozen=True)
class Draw:
    """The inputs of one seed: a model, an optional data model that replaces the articles, and the stretches.

    A stretch consists of a prompt, a prefix and the following tokens.
    """

    store: Store
    request: ExposureBiasRequest
    name: str
    model: TokenModel
    decoder: Decoder
    data_model: TokenModel | None
    stretches: Mapping[Key, Tokens]
    seed: int

    @cached_property
    def groups(self) -> Mapping[int, int]:
        """The group of each page; a group is left out as a whole."""
        return page_groups(list(self.stretches))

    def scores(self, tell: Callable[[str], None]) -> list[Measured]:
        """Return all scores of this seed; `tell` is called with a description of the current step."""
        tell("prefixes of data")
        data = self.data()
        keys, references = halves(list(data), self.seed)
        texts = {key: data[key] for key in keys}
        beside = [data[key] for key in references]
        prefixes = [*self.prefixes()]
        written = self.written(prefixes, texts, lambda done, total: tell(f"{done:,} of {total:,} texts"))
        scores: list[Measured] = []
        for (prefix, gaps), whole in zip(prefixes, written, strict=True):
            tell(_words(prefix))
            scores += self._measured(prefix, gaps, [*texts], whole, beside)
        return _with_ratios(scores)

    def data(self) -> dict[Key, Tokens]:
        """Return the stretches; with a data model, return their prompts with the data model's continuations."""
        if self.data_model is None:
            return dict(self.stretches)
        prompts = {key: tokens[: self.request.prompt_length] for key, tokens in self.stretches.items()}
        new = length_of(self.request) - self.request.prompt_length
        [written] = self.store.continuations(self.data_model, ancestral(), [Contexts(prompts, new, "data")])
        return {key: (*prompts[key], *written[key]) for key in prompts}

    def prefixes(self) -> Iterator[tuple[Prefix, Sequence[int]]]:
        """Yield each prefix with the gaps to try; a data prefix ends wherever another prefix or its gap ends."""
        request = self.request
        for length in request.prefix_length:
            yield Prefix(MODEL, length), (0,)
        ends = {length + gap for length in request.prefix_length for gap in (0, *request.gap)}
        for length in sorted(ends):
            yield Prefix(DATA, length), (0,)
        for length in request.prefix_length:
            yield Prefix(SHUFFLED, length), (0, *request.gap)
            for rate in sorted({*request.rate, *([request.gap_rate] if request.gap else [])}):
                yield Prefix(CORRUPTED, length, rate), (0, *request.gap) if rate == request.gap_rate else (0,)

    def _measured(
        self,
        prefix: Prefix,
        gaps: Sequence[int],
        keys: Sequence[Key],
        whole: Sequence[Tokens],
        references: Sequence[Tokens],
    ) -> Iterator[Measured]:
        groups, count = [self.groups[page] for page, _ in keys], len(set(self.groups.values()))
        start = self.request.prompt_length + prefix.length
        for gap in gaps:
            place = start + gap
            span = slice(place, place + self.request.max_new_tokens)
            texts, beside = [tokens[span] for tokens in whole], [tokens[span] for tokens in references]
            with_all = gap == 0 and prefix.length in self.request.prefix_length
            for metric, score in self._scored(texts, beside, with_all=with_all):
                yield self._score(prefix, gap, metric, len(texts), *leave_out(score, groups, count))
        if self.data_model is not None:
            places = [start + gap for gap in gaps]
            read = [tokens[: places[-1]] for tokens in whole]
            apart = self.store.divergences(self.model, self.data_model, read, places)
            for metric in DIVERGENCES:
                for column, gap in enumerate(gaps):
                    cgd = _mean_at(apart[metric][:, column], generation_deviation)
                    yield self._score(prefix, gap, metric, len(read), *leave_out(cgd, groups, count))

    def written(
        self,
        prefixes: Sequence[tuple[Prefix, Sequence[int]]],
        data: Mapping[Key, Tokens],
        tell: Callable[[int, int], None] = lambda done, total: None,
    ) -> list[list[Tokens]]:
        """Return for each prefix the prompts and prefixes with the model's continuations.

        The model's own prefixes of all lengths are the beginning of one text.
        """
        contexts = [self._contexts(prefix, gaps, data) for prefix, gaps in prefixes]
        written = self.store.continuations(self.model, self.decoder, contexts, tell)
        return [
            [(*tokens, *new[key]) for key, tokens in context.texts.items()]
            for context, new in zip(contexts, written, strict=True)
        ]

    def _contexts(self, prefix: Prefix, gaps: Sequence[int], data: Mapping[Key, Tokens]) -> Contexts:
        request = self.request
        prompts = {key: tokens[: request.prompt_length] for key, tokens in data.items()}
        new = gaps[-1] + request.max_new_tokens
        if prefix.kind == MODEL:
            return Contexts(prompts, request.prefix_length[-1] + request.max_new_tokens, MODEL)
        contexts = {key: (*prompts[key], *self._prefix(prefix, key, tokens)) for key, tokens in data.items()}
        return Contexts(contexts, new, f"{prefix.kind} {prefix.length} {prefix.rate}")

    def _prefix(self, prefix: Prefix, key: Key, tokens: Tokens) -> Tokens:
        begin = self.request.prompt_length
        data_tokens = tokens[begin : begin + prefix.length]
        if prefix.kind == DATA:
            return data_tokens
        return distorted(data_tokens, prefix, self.model.vocabulary, self.seed, key)

    def _scored(
        self, texts: Sequence[Tokens], references: Sequence[Tokens], *, with_all: bool
    ) -> Iterator[tuple[str, ScoreOf]]:
        """Yield all scores; with gaps, yield only BLEU, as in the paper's figure 3.

        The references stay the same, whichever texts are kept.
        """
        mine, theirs = ([tuple(map(str, tokens)) for tokens in several] for several in (texts, references))
        yield "bleu", _mean_at(bleus(mine, theirs), fmean)
        if with_all:
            for metric in ("nist", "backward_bleu", "trigram_entropy"):
                yield metric, _beside(SCORES[metric], mine, theirs)
            words, others = (
                [split_words(self.model.text(tokens)) for tokens in several] for several in (texts, references)
            )
            yield METEOR, _mean_at(References(others).of_each(words), fmean)

    def _score(
        self, prefix: Prefix, gap: int, metric: str, texts: int, score: float, without: Sequence[float]
    ) -> Measured:
        whole = ExposureScore(
            model=self.name,
            decoder=self.decoder.canonical,
            metric=metric,
            prefix=prefix.kind,
            rate=prefix.rate,
            prefix_length=prefix.length,
            gap=gap,
            seed=self.seed,
            texts=texts,
            score=score,
            ratio=None,
        )
        return Measured(whole, without)


def length_of(request: ExposureBiasRequest) -> int:
    """Return the tokens of a stretch: a prompt, the longest prefix with the longest gap, and the scored tokens."""
    longest = request.prefix_length[-1] + max((0, *request.gap))
    return request.prompt_length + longest + request.max_new_tokens


def ancestral() -> Decoder:
    """Return the decoder of a data model: sampling without truncation."""
    from newwiki.decoding.grammar import parse

    [decoder] = parse("sample")
    return decoder


def _mean_at(values: Sequence[float] | NDArray[np.float64], mean: Callable[[Sequence[float]], float]) -> ScoreOf:
    return lambda places: mean([float(values[place]) for place in places])


def _beside(
    score: Callable[[Sequence[Words], Sequence[Words]], float], texts: Sequence[Words], references: Sequence[Words]
) -> ScoreOf:
    return lambda places: score([texts[place] for place in places], references)


def _with_ratios(measured: Sequence[Measured]) -> list[Measured]:
    """Add to each score its ratio to the score of the data prefix that ends at the same place."""
    data = {
        (result.score.metric, result.score.prefix_length): result for result in measured if result.score.prefix == DATA
    }
    return [
        _with_ratio(result, data[result.score.metric, result.score.prefix_length + result.score.gap])
        for result in measured
    ]


def _with_ratio(result: Measured, data: Measured) -> Measured:
    if result.score.prefix == DATA:
        return result
    is_divergence = result.score.metric in DIVERGENCES

    def ratio(score: float, after_data: float) -> float | None:
        return eb_c(score, after_data) if is_divergence else eb_m(after_data, score)

    whole = replace(result.score, ratio=ratio(result.score.score, data.score.score))
    return Measured(whole, result.without, [ratio(*pair) for pair in zip(result.without, data.without, strict=True)])


def _words(prefix: Prefix) -> str:
    rate = f" at {prefix.rate:g}" if prefix.kind == CORRUPTED else ""
    return f"{prefix.kind} prefixes{rate} of {prefix.length}"
