"""`chunks-v1`: noun phrases by stop words alone, as a spaCy pipeline for machines without a parser.

A stand-in that is asked for by name. A phrase is a run of words, as long as it goes, between stop words, punctuation
marks, numbers and line ends: the candidates of RAKE (Rose et al. 2010, Automatic keyword extraction from individual
documents, section 1.2.1), with spaCy's English stop words. It tells no nouns from verbs ("engineer built bridges" is a
phrase), so its phrases are near a parser's and never mixed with them. Its version is the hash of this file.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Span, Token

_HYPHENS = {"-", "–"}


def load_chunk_rules() -> Language:
    """spaCy's English tokenizer, whose documents have their `noun_chunks` by the rule."""
    import spacy

    nlp = spacy.blank("en")
    nlp.vocab.get_noun_chunks = find_chunks
    return nlp


def chunk_rules_sha256() -> str:
    """What tells one state of the rule from another."""
    return hashlib.sha256(Path(__file__).read_bytes()).hexdigest()


def find_chunks(text: Doc | Span) -> Iterator[tuple[int, int, int]]:
    """Where each phrase begins and ends, in tokens and in order, and spaCy's number of its label, as spaCy asks for
    it."""
    document = text.doc
    label, begun = document.vocab.strings.add("NP"), None
    for token in document:
        inside = _is_word(token) or (begun is not None and _joins(token))
        if inside and begun is None:
            begun = token.i
        elif not inside and begun is not None:
            yield begun, token.i, label
            begun = None
    if begun is not None:
        yield begun, len(document), label


def _is_word(token: Token) -> bool:
    return not token.is_stop and any(character.isalpha() for character in token.text)


def _joins(token: Token) -> bool:
    """Whether it is the hyphen of `well-known`, which spaCy takes for a token of its own."""
    if token.text not in _HYPHENS or token.i + 1 == len(token.doc):
        return False
    return not token.whitespace_ and not token.nbor(-1).whitespace_ and _is_word(token.nbor(1))
