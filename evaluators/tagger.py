"""The interface of named entity taggers, which make the part `entities`."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence, Set
from typing import Any


class Tagger(ABC):
    """A named entity tagger. The attributes enter the fingerprint of every score that uses it."""

    parts = frozenset({"entities"})
    packages: tuple[str, ...]
    parameters: Mapping[str, object]
    dtype: str | None = None
    backend: str | None = None

    def __init__(self, model: str, model_sha256: str) -> None:
        self.model = model
        self.model_sha256: str | None = model_sha256

    @abstractmethod
    def tag(self, texts: Sequence[str]) -> list[list[str]]:
        """Return for each text its entity mentions in order, repetitions included."""

    def make(self, prompts: Sequence[str], texts: Sequence[str], parts: Set[str]) -> Mapping[str, Sequence[Any]]:
        return {"entities": [tuple(mentions) for mentions in self.tag(texts)]}
