"""Find the noun phrases of texts, and decide which of them count as the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from evaluators.analysis import Analysis
from evaluators.chunk_rules import chunk_rules_sha256, load_chunk_rules
from evaluators.installed_pipelines import load_pipeline, name_of, pipeline_sha256
from evaluators.spacy_pipeline import LONGEST_RUN, documents
from newwiki.errors import TerminalError, UsageError
from newwiki.registry import Evaluator

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Span

PART = "noun_phrases"
STAND_IN = "chunks-v1"

# Components that noun phrases do not depend on: they are derived from a parse and from parts of speech.
_UNREAD = {"ner", "entity_linker", "lemmatizer", "trainable_lemmatizer", "textcat", "textcat_multilabel"}


class PhraseFinder:
    """Finds noun phrases with a spaCy pipeline, to make the part `noun_phrases`."""

    parts = frozenset({PART})
    packages: tuple[str, ...] = ("spacy",)
    parameters: Mapping[str, object] = MappingProxyType({"longest_run": LONGEST_RUN})
    dtype: str | None = None
    backend: str | None = None

    def __init__(self, nlp: Language, model: str, model_sha256: str) -> None:
        self.model = model
        self.model_sha256: str | None = model_sha256
        self._nlp = nlp

    def find(self, texts: Sequence[str]) -> list[tuple[str, ...]]:
        """Return for each text its distinct phrases, normalized by `compared`, in the order of their first mention."""
        with documents(self._nlp, texts) as read:
            return [tuple(dict.fromkeys(filter(None, map(compared, doc.noun_chunks)))) for doc in read]

    def make(self, prompts: Sequence[str], texts: Sequence[str], parts: Set[str]) -> Mapping[str, Sequence[Any]]:
        return {PART: self.find(texts)}


def compared(phrase: Span) -> str:
    """Return the phrase in lower case without its leading stop words (articles, pronouns, `other`, `many`), or "" if it
    has no other word. "The old lighthouse" and "an old lighthouse" are the same."""
    first = next((token.i for token in phrase if not (token.is_stop or token.is_punct or token.is_space)), None)
    return "" if first is None else " ".join(phrase.doc[first : phrase.end].text.lower().split())


def phrases_of(analysis: Analysis) -> tuple[str, ...]:
    """Return the distinct noun phrases of a text."""
    return tuple(analysis.part(PART))


# The finder, for its fingerprint; it gives no score itself.
NOUN_PHRASES = Evaluator(name=PART, function=phrases_of, metrics=(), version="1", needs=frozenset({PART}))


def load_phrase_finder(choice: str) -> PhraseFinder:
    """Load the finder named `spacy:NAME_OR_PATH` or `chunks-v1`.

    Raises UsageError for any other name, and TerminalError if there is no such pipeline or it has no parser.
    """
    if choice == STAND_IN:
        return PhraseFinder(load_chunk_rules(), STAND_IN, chunk_rules_sha256())
    kind, _, pipeline = choice.partition(":")
    if kind != "spacy" or not pipeline:
        raise UsageError(
            f"there is no noun phrase finder '{choice}'; write spacy:NAME_OR_PATH (such as spacy:en_core_web_sm) or "
            f"{STAND_IN}"
        )
    nlp = _load_pipeline(pipeline)
    return PhraseFinder(nlp, name_of(nlp), pipeline_sha256(nlp))


def _load_pipeline(pipeline: str) -> Language:
    """Load an installed spaCy pipeline, or one in a folder, that parses a language whose noun phrases spaCy knows."""
    stand_in = f"--noun-phrases {STAND_IN}, a stand-in that cuts texts at stop words"
    try:
        nlp = load_pipeline(pipeline)
    except OSError as error:
        raise TerminalError(
            f"the spaCy pipeline '{pipeline}' is not installed; run python -m spacy download {pipeline}, or choose "
            f"{stand_in}, whose phrases are never mixed with others"
        ) from error
    parses = any("token.dep" in nlp.get_pipe_meta(name).assigns for name in nlp.pipe_names)
    if not parses or nlp.vocab.get_noun_chunks is None:
        lacks = f"has no rules for noun phrases in the language '{nlp.lang}'" if parses else "has no parser"
        raise TerminalError(f"the spaCy pipeline '{pipeline}' {lacks}; choose another, or {stand_in}")
    nlp.select_pipes(disable=_UNREAD.intersection(nlp.pipe_names))
    return nlp
