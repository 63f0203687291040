"""One draw of all: prefixes of each kind and length are gone on from, scored, and read by both models."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from evaluators.corpus import Words, split_words
from evaluators.exposure_bias import eb_c, eb_m, generation_deviation
from evaluators.meteor import References
from evaluators.token_scores import backward_bleu, bleu, nist, trigram_entropy
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
from flows.experiments.exposure_bias.stored import Store, TokenModel
from newwiki.decoding.grammar import Decoder
from newwiki.exposure_bias_request import ExposureBiasRequest

SCORES: Mapping[str, Callable[[Sequence[Words], Sequence[Words]], float]] = {
    "bleu": bleu,
    "nist": nist,
    "backward_bleu": backward_bleu,
    "trigram_entropy": trigram_entropy,
}
METEOR = "meteor_exact_stem"
DIVERGENCES = ("total_variation", "jensen_shannon")


@dataclass(frozen=True, kw_only=True)
class ExposureScore:
    """A score of texts, or a mean divergence, of one seed; `ratio` is EB-M or EB-C."""

    model: str
    decoder: str
    metric: str
    prefix: str
    rate: float
    prefix_length: int
    gap: int
    seed: int
    texts: int
    score: float
    ratio: float | None


@dataclass(frozen=True)
class Draw:
    """What one seed is asked of: a model, what stands in the articles' place if anything does, and the stretches, each
    of prompt, prefix and what comes then."""

    store: Store
    request: ExposureBiasRequest
    name: str
    model: TokenModel
    decoder: Decoder
    data_model: TokenModel | None
    stretches: Mapping[Key, Tokens]
    seed: int

    def scores(self, tell: Callable[[str], None]) -> list[ExposureScore]:
        """All of this seed; `tell` hears what is at work."""
        tell("prefixes of data")
        data = self.data()
        asked, references = halves(list(data), self.seed)
        texts = {key: data[key] for key in asked}
        beside = [data[key] for key in references]
        found: list[ExposureScore] = []
        for prefix, gaps in self.prefixes():
            tell(_words(prefix))
            found += self._measured(prefix, gaps, texts, beside)
        return _with_ratios(found)

    def data(self) -> dict[Key, Tokens]:
        """The stretches; with a model in the articles' place their prompts, and what it goes on with."""
        if self.data_model is None:
            return dict(self.stretches)
        prompts = {key: tokens[: self.request.prompt_length] for key, tokens in self.stretches.items()}
        new = length_of(self.request) - self.request.prompt_length
        written = self.store.continuations(self.data_model, ancestral(), prompts, new, "data")
        return {key: (*prompts[key], *written[key]) for key in prompts}

    def prefixes(self) -> Iterator[tuple[Prefix, Sequence[int]]]:
        """Each with the gaps that it is tried with. Where another prefix and a gap end, one of data ends too."""
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
        self, prefix: Prefix, gaps: Sequence[int], data: Mapping[Key, Tokens], references: Sequence[Tokens]
    ) -> Iterator[ExposureScore]:
        start = self.request.prompt_length + prefix.length
        whole = self.written(prefix, gaps, data)
        for gap in gaps:
            place = start + gap
            span = slice(place, place + self.request.max_new_tokens)
            texts, beside = [one[span] for one in whole], [one[span] for one in references]
            with_all = gap == 0 and prefix.length in self.request.prefix_length
            for metric, score in self._scored(texts, beside, with_all=with_all):
                yield self._score(prefix, gap, metric, len(texts), score)
        if self.data_model is not None:
            places = [start + gap for gap in gaps]
            read = [one[: places[-1]] for one in whole]
            apart = self.store.divergences(self.model, self.data_model, read, places)
            for metric in DIVERGENCES:
                for column, gap in enumerate(gaps):
                    cgd = generation_deviation(apart[metric][:, column])
                    yield self._score(prefix, gap, metric, len(read), cgd)

    def written(self, prefix: Prefix, gaps: Sequence[int], data: Mapping[Key, Tokens]) -> list[Tokens]:
        """Prompt, prefix, and what the model writes after them. Its own prefixes of all lengths begin one text."""
        request = self.request
        prompts = {key: tokens[: request.prompt_length] for key, tokens in data.items()}
        new = gaps[-1] + request.max_new_tokens
        if prefix.kind == MODEL:
            contexts, new = prompts, request.prefix_length[-1] + request.max_new_tokens
            drawn = MODEL
        else:
            contexts = {key: (*prompts[key], *self._prefix(prefix, key, tokens)) for key, tokens in data.items()}
            drawn = f"{prefix.kind} {prefix.length} {prefix.rate}"
        written = self.store.continuations(self.model, self.decoder, contexts, new, drawn)
        return [(*contexts[key], *written[key]) for key in contexts]

    def _prefix(self, prefix: Prefix, key: Key, tokens: Tokens) -> Tokens:
        begin = self.request.prompt_length
        of_data = tokens[begin : begin + prefix.length]
        if prefix.kind == DATA:
            return of_data
        return distorted(of_data, prefix, self.model.vocabulary, self.seed, key)

    def _scored(
        self, texts: Sequence[Tokens], references: Sequence[Tokens], *, with_all: bool
    ) -> Iterator[tuple[str, float]]:
        """By all scores, or, where gaps are looked at, by BLEU alone, as in the paper's figure 3."""
        mine, theirs = ([tuple(map(str, one)) for one in several] for several in (texts, references))
        for metric, score in SCORES.items():
            if with_all or metric == "bleu":
                yield metric, score(mine, theirs)
        if with_all:
            words, others = ([split_words(self.model.text(one)) for one in several] for several in (texts, references))
            yield METEOR, References(others).meteor_exact_stem(words)

    def _score(self, prefix: Prefix, gap: int, metric: str, texts: int, score: float) -> ExposureScore:
        return ExposureScore(
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


def length_of(request: ExposureBiasRequest) -> int:
    """The tokens of a stretch: a prompt, the longest prefix with the longest gap, and what is scored."""
    longest = request.prefix_length[-1] + max((0, *request.gap))
    return request.prompt_length + longest + request.max_new_tokens


def ancestral() -> Decoder:
    """How a model in the articles' place writes: as it is."""
    from newwiki.decoding.grammar import parse

    [decoder] = parse("sample")
    return decoder


def _with_ratios(scores: Sequence[ExposureScore]) -> list[ExposureScore]:
    """Each beside that of the data's prefix that ends at the same place."""
    data = {(one.metric, one.prefix_length): one.score for one in scores if one.prefix == DATA}
    return [_with_ratio(one, data[one.metric, one.prefix_length + one.gap]) for one in scores]


def _with_ratio(one: ExposureScore, after_data: float) -> ExposureScore:
    if one.prefix == DATA:
        return one
    is_divergence = one.metric in DIVERGENCES
    return replace(one, ratio=eb_c(one.score, after_data) if is_divergence else eb_m(after_data, one.score))


def _words(prefix: Prefix) -> str:
    rate = f" at {prefix.rate:g}" if prefix.kind == CORRUPTED else ""
    return f"{prefix.kind} prefixes{rate} of {prefix.length}"
