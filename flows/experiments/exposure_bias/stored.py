"""Continue tokens with models, and measure how two models diverge; stored results are reused."""

import hashlib
import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from evaluators.exposure_bias import jensen_shannon, total_variation
from flows.experiments.answer_runs import AnswerRun
from flows.experiments.exposure_bias.prefixes import Key, Tokens
from newwiki.decoding.grammar import Decoder
from newwiki.errors import TerminalError
from newwiki.models.backend import Backend, TokenContext, TokenWriter, Writing, numerics_of
from storage import exposure_bias
from storage.database import Database
from storage.exposure_bias import Divergence, Generation, Written

_SECONDS, _TEXTS = 3.0, 512  # seconds or texts after which texts are stored
_PROBABILITIES = 2**21  # probabilities of each model per batch
# Part of the ids of stored results: raise it whenever the same tokens would be continued or read differently.
_VERSION = "1"


class TokenModel(Backend, TokenWriter, Protocol):
    """A loaded model that continues from tokens."""


@dataclass(frozen=True)
class Contexts:
    """Texts that a model continues with `room` tokens each.

    `drawn` separates their random numbers from those of other contexts.
    """

    texts: Mapping[Key, Tokens]
    room: int
    drawn: str


@dataclass(frozen=True)
class Store:
    """Store and look up everything that is written and read.

    `generations` are the generations that were read so far, by id; they do not know the snapshot.
    """

    database: Database
    writing: Writing
    generations: dict[str, AnswerRun] = field(default_factory=dict)

    def continuations(
        self,
        model: TokenModel,
        decoder: Decoder,
        contexts: Sequence[Contexts],
        tell: Callable[[int, int], None] = lambda done, total: None,
    ) -> list[dict[Key, Tokens]]:
        """Return, for each of the contexts, the tokens that the model writes after its texts.

        All texts are written together, and the batch does not affect the tokens. `tell` receives the number of finished
        texts and the total.
        """
        names = [self._generation(model, decoder, context) for context in contexts]
        generations = exposure_bias.generations(self.database, names)
        lacking: dict[Written, TokenContext] = {}
        for name, context in zip(names, contexts, strict=True):
            seed = _seed(self.writing.seed, context.drawn)
            for (page, sample), tokens in context.texts.items():
                key = (name, page, sample, tokens_sha256(tokens))
                if key not in generations:
                    lacking[key] = TokenContext(page, sample, tokens, seed, context.room)
        total = len(generations.keys() | lacking.keys())
        by_context = {context: key for key, context in lacking.items()}
        batches = model.continuations([*lacking.values()], decoder, self.writing) if lacking else iter([])
        for batch in _gathered(batches):
            written = {by_context[context]: tokens for context, tokens in batch}
            exposure_bias.keep_generations(self.database, [Generation(*key, [*new]) for key, new in written.items()])
            generations |= written
            tell(len(generations), total)
        return [
            {key: generations[name, *key, tokens_sha256(tokens)] for key, tokens in context.texts.items()}
            for name, context in zip(names, contexts, strict=True)
        ]

    def _generation(self, model: TokenModel, decoder: Decoder, contexts: Contexts) -> str:
        """Return the id of the generation from these contexts, and record it in `generations`."""
        seed, others = _seed(self.writing.seed, contexts.drawn), dict(model.others(decoder))
        generation_id = _sha256(
            [*_identity(model), decoder.canonical, others, seed, contexts.room, self.writing.strict]
        )
        self.generations[generation_id] = AnswerRun(
            run_id=generation_id,
            snapshot_id="",
            model=model.name,
            model_sha256=model.sha256,
            decoder=decoder.canonical,
            dtype=model.dtype,
            backend=model.backend,
            seed=self.writing.seed,
        )
        return generation_id

    def divergences(
        self, model: TokenModel, data_model: TokenModel, sequences: Sequence[Tokens], places: Sequence[int]
    ) -> Mapping[str, NDArray[np.float64]]:
        """Return each divergence between the models' next-token distributions, as an array [sequences, places].

        `places` are the numbers of tokens that precede the next token.

        Batches depend on all sequences and not on what is stored, so an interrupted run gives bit-identical results.
        """
        reading_id = _sha256([*_identity(model), *_identity(data_model), list(places)])
        known = exposure_bias.divergences(self.database, reading_id)
        hashes = [tokens_sha256(sequence) for sequence in sequences]
        rows = max(1, _PROBABILITIES // (len(places) * len(model.vocabulary)))
        for start in range(0, len(sequences), rows):
            part = slice(start, start + rows)
            if not known.keys() >= set(hashes[part]):
                divergences = _apart(model, data_model, sequences[part], places)
                read = [Divergence(sha, *values) for sha, values in zip(hashes[part], divergences, strict=True)]
                once = {
                    divergence.sequence_sha256: divergence
                    for divergence in read
                    if divergence.sequence_sha256 not in known
                }
                exposure_bias.keep_divergences(self.database, reading_id, list(once.values()))
                known |= once
        return {
            name: np.array([asdict(known[sha])[name] for sha in hashes])
            for name in ("total_variation", "jensen_shannon")
        }


def require_one_vocabulary(model: TokenModel, data_model: TokenModel) -> None:
    """Raise TerminalError if the two models have different tokens."""
    known, others = model.vocabulary, data_model.vocabulary
    if known != others or any(model.text([token]) != data_model.text([token]) for token in known):
        raise TerminalError(
            f"'{model.name}' and '{data_model.name}' have other tokens, so their probabilities cannot be compared; "
            "choose two models of one tokenizer"
        )


def tokens_sha256(tokens: Sequence[int]) -> str:
    return hashlib.sha256(json.dumps(list(tokens)).encode()).hexdigest()[:32]


def _apart(
    model: TokenModel, data_model: TokenModel, sequences: Sequence[Tokens], places: Sequence[int]
) -> Iterator[tuple[list[float], list[float]]]:
    mine, theirs = (reader.next_probabilities(sequences, places) for reader in (model, data_model))
    return zip(total_variation(mine, theirs).tolist(), jensen_shannon(mine, theirs).tolist(), strict=True)


def _gathered(
    batches: Iterator[list[tuple[TokenContext, Tokens]]],
) -> Iterator[list[tuple[TokenContext, Tokens]]]:
    """Group batches into a few seconds' worth of texts, to limit the number of writes to the database."""
    held: list[tuple[TokenContext, Tokens]] = []
    since = time.monotonic()
    for batch in batches:
        held += batch
        if len(held) >= _TEXTS or time.monotonic() - since > _SECONDS:
            yield held
            held, since = [], time.monotonic()
    if held:
        yield held


def _identity(model: TokenModel) -> list[object]:
    return [_VERSION, model.sha256, model.backend, model.dtype, dict(model.settings), numerics_of(model)]


def _seed(seed: int, drawn: str) -> int:
    return int(_sha256([seed, drawn])[:15], 16)


def _sha256(described: object) -> str:
    return hashlib.sha256(json.dumps(described, sort_keys=True, ensure_ascii=False).encode()).hexdigest()[:32]
