"""The interface of named entity taggers, which make the parts `entities` and `mentions`."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence, Set
from typing import Any, NamedTuple


class Mention(NamedTuple):
    """A mention of an entity: the characters `start` up to `end` of the text, and the tagger's own label of its
    kind."""

    start: int
    end: int
    label: str


class Tagger(ABC):
    """A named entity tagger. The attributes enter the fingerprint of every score that uses it.

    It makes `entities`, the mentions as they are written, and `mentions`, their positions and labels, in one pass.
    """

    parts = frozenset({"entities", "mentions"})
    packages: tuple[str, ...]
    parameters: Mapping[str, object]
    dtype: str | None = None
    backend: str | None = None

    def __init__(self, model: str, model_sha256: str) -> None:
        self.model = model
        self.model_sha256: str | None = model_sha256

    @abstractmethod
    def find(self, texts: Sequence[str]) -> list[list[Mention]]:
        """Return for each text its entity mentions in order, repetitions included."""

    def tag(self, texts: Sequence[str]) -> list[list[str]]:
        """Return for each text its entity mentions as they are written, in order, repetitions included."""
        return _written(texts, self.find(texts))

    def make(self, prompts: Sequence[str], texts: Sequence[str], parts: Set[str]) -> Mapping[str, Sequence[Any]]:
        found = self.find(texts)
        made: dict[str, Sequence[Any]] = {
            "entities": [tuple(mentions) for mentions in _written(texts, found)],
            "mentions": [tuple(mentions) for mentions in found],
        }
        return {part: made[part] for part in parts}


def _written(texts: Sequence[str], found: Sequence[Sequence[Mention]]) -> list[list[str]]:
    return [
        [text[mention.start : mention.end] for mention in mentions] for text, mentions in zip(texts, found, strict=True)
    ]
