"""Everything that is counted once a text and then read by all evaluators."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evaluators.counts import Readability, count_readability, count_tokens
from newwiki.errors import TerminalError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from evaluators.embedding import Embedder
    from evaluators.entities import Tagger

# Part of every fingerprint: raise it whenever a number in an `Analysis` changes for the same text.
ANALYSIS_VERSION = "1"


@dataclass(frozen=True, eq=False)
class Analysis:
    """A text and its counts.

    `words` are split at white space; `tokens` counts words and punctuation marks; `entities` holds every mention in
    order; `embedding` is a unit vector, NaN where the model's tokenizer finds nothing in the text. The last two are
    None where no evaluator asked for them.
    """

    text: str
    words: tuple[str, ...]
    tokens: int
    readability: Readability
    entities: tuple[str, ...] | None = None
    embedding: NDArray[np.float32] | None = None

    @property
    def wordless(self) -> bool:
        """Whether the text has no word at all: it is empty, or only punctuation marks, symbols or emoji."""
        return self.readability.words == 0

    def named(self) -> tuple[str, ...]:
        """The entities. Raises TerminalError if the text was analysed without them."""
        if self.entities is None:
            raise TerminalError('the text was analysed without entities; declare needs={"entities"} in the evaluator')
        return self.entities

    def embedded(self) -> NDArray[np.float32]:
        """The embedding. Raises TerminalError if the text was analysed without it."""
        if self.embedding is None:
            raise TerminalError('the text was analysed without embedding; declare needs={"embedding"} in the evaluator')
        return self.embedding


class Analyst:
    """Analyses texts with one tagger of named entities and one embedder, either of which may be left out."""

    def __init__(self, tagger: Tagger | None = None, embedder: Embedder | None = None) -> None:
        self._tagger = tagger
        self._embedder = embedder

    @property
    def tagger(self) -> Tagger:
        """Raises TerminalError where there is none."""
        if self._tagger is None:
            raise TerminalError("entities are needed but no tagger is loaded; choose one with --entities")
        return self._tagger

    @property
    def embedder(self) -> Embedder:
        """Raises TerminalError where there is none."""
        if self._embedder is None:
            raise TerminalError("embeddings are needed but no model is loaded; choose one with --embedder")
        return self._embedder

    def analyse(self, texts: Sequence[str], needs: Set[str]) -> list[Analysis]:
        """One Analysis a text, in order. The models named by `needs` see the whole list at once.

        Raises TerminalError where `needs` names a part for which there is no model.
        """
        if not texts:
            return []
        mentions: list[tuple[str, ...] | None] = [None] * len(texts)
        vectors: list[NDArray[np.float32] | None] = [None] * len(texts)
        if "entities" in needs:
            mentions = [tuple(entities) for entities in self.tagger.tag(texts)]
        if "embedding" in needs:
            vectors = list(self.embedder.embed(texts))
        return [
            Analysis(text, tuple(text.split()), count_tokens(text), count_readability(text), entities, embedding)
            for text, entities, embedding in zip(texts, mentions, vectors, strict=True)
        ]
