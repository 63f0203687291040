"""Named entities: who finds them, and what is to be known of the finder."""

from __future__ import annotations

import hashlib
import sys
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence, Set
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from newwiki.errors import TerminalError, UsageError
from newwiki.registry import maker

if TYPE_CHECKING:
    from spacy.language import Language

    from newwiki.settings import Settings

DEFAULT_TAGGER = "spacy:en_core_web_sm"

# What spaCy's statistical entity recogniser does not read. The parser stays: entities do not cross its sentence ends.
_UNREAD = {"tagger", "morphologizer", "attribute_ruler", "lemmatizer", "trainable_lemmatizer", "textcat"}
_STAND_IN = (
    "or choose --entities rules-v1 (NEWWIKI_ENTITIES=rules-v1), "
    "a regular-expression stand-in whose scores are kept apart"
)


class Tagger(ABC):
    """Finds named entities: the maker of the part `entities`."""

    parts = frozenset({"entities"})
    model: str
    model_sha256: str | None = None
    packages: tuple[str, ...] = ()
    parameters: Mapping[str, object] = MappingProxyType({})
    dtype: str | None = None
    backend: str | None = None

    @abstractmethod
    def tag(self, texts: Sequence[str]) -> list[list[str]]:
        """For each text its mentions of entities in order, repetitions included."""

    def make(self, prompts: Sequence[str], texts: Sequence[str], parts: Set[str]) -> Mapping[str, Sequence[Any]]:
        return {"entities": [tuple(mentions) for mentions in self.tag(texts)]}


@maker("entities", options={"model": "--entities"})
def _as_set(settings: Settings) -> Tagger:
    return load_tagger(settings.entities)


def load_tagger(choice: str) -> Tagger:
    """The tagger named `spacy:NAME_OR_PATH` or `rules-v1`.

    Raises UsageError for any other name, and TerminalError where spaCy or its pipeline is not installed.
    """
    if choice == "rules-v1":
        from evaluators.rules import RuleTagger

        return RuleTagger()
    kind, _, pipeline = choice.partition(":")
    if kind != "spacy" or not pipeline:
        raise UsageError(f"there is no tagger '{choice}'; write spacy:NAME_OR_PATH (as {DEFAULT_TAGGER}) or rules-v1")
    return SpacyTagger(pipeline)


class SpacyTagger(Tagger):
    """An installed spaCy pipeline, or one in a folder."""

    packages = ("spacy",)

    def __init__(self, pipeline: str) -> None:
        self._nlp = _load_pipeline(pipeline)
        # spaCy refuses long texts for the sake of memory; here every text is scored whole.
        self._nlp.max_length = sys.maxsize
        meta = self._nlp.meta
        self.model = f"spacy:{meta['lang']}_{meta['name']}-{meta['version']}"
        self.model_sha256 = folder_sha256(self._nlp.path)

    def tag(self, texts: Sequence[str]) -> list[list[str]]:
        return [[entity.text for entity in doc.ents] for doc in self._nlp.pipe(texts)]


def _load_pipeline(pipeline: str) -> Language:
    try:
        import spacy
    except ImportError as error:
        raise TerminalError(
            f"spaCy, which finds the entities, is not installed; pip install 'newwiki-eval[spacy]', {_STAND_IN}"
        ) from error
    try:
        nlp = spacy.load(pipeline)
    except OSError as error:
        raise TerminalError(
            f"there is no spaCy pipeline '{pipeline}' here; run python -m spacy download {pipeline}, {_STAND_IN}"
        ) from error
    finders = {name for name in nlp.pipe_names if "doc.ents" in nlp.get_pipe_meta(name).assigns}
    if not finders:
        raise TerminalError(f"the spaCy pipeline '{pipeline}' has no component that finds entities; choose another")
    # A rule component may read tags or lemmas, so only pipelines that find entities by `ner` alone are thinned.
    if finders == {"ner"}:
        nlp.select_pipes(disable=_UNREAD.intersection(nlp.pipe_names))
    return nlp


def folder_sha256(folder: Path) -> str:
    """A hash over the names and bytes of all files in a folder, in the order of their names."""
    digest = hashlib.sha256()
    for file in sorted(path for path in folder.rglob("*") if path.is_file()):
        digest.update(file.relative_to(folder).as_posix().encode() + b"\0")
        with file.open("rb") as stream:
            digest.update(hashlib.file_digest(stream, "sha256").digest())
    return digest.hexdigest()
