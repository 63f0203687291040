"""A spaCy pipeline as it reads here: whatever a text is made of, and however many there are."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

# Characters without white space that spaCy's tokenizer gets at once: its time grows with the square of a run of marks
# (20,000 quotation marks took it half a minute).
LONGEST_RUN = 64
_LONG_RUN = re.compile(rf"\S{{{LONGEST_RUN}}}(?=\S)")
_SURROGATE = re.compile("[\ud800-\udfff]")  # which spaCy cannot store
_KEPT_WORDS = 200_000  # some 80 MB


@contextmanager
def documents(nlp: Language, texts: Sequence[str]) -> Iterator[Iterator[Doc]]:
    """The texts as the pipeline's documents, in their order, which are to be read before the context is left. What
    spaCy cannot store stands there as replacement characters, so that places are the text's own."""
    nlp.max_length = sys.maxsize  # spaCy refuses long texts for the sake of memory; here every text is read whole
    with _bounded_memory(nlp):
        yield nlp.pipe(_tokenized(nlp, text) for text in texts)


def _tokenized(nlp: Language, text: str) -> Doc:
    from spacy.tokenizer import Tokenizer
    from spacy.tokens import Doc

    readable = _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text)
    # Chinese, Japanese and Thai have tokenizers of their own, which read what is written without spaces.
    pieces = _pieces(readable) if isinstance(nlp.tokenizer, Tokenizer) else [readable]
    found = [nlp.make_doc(piece) for piece in pieces]
    return found[0] if len(found) == 1 else Doc.from_docs(found, ensure_whitespace=False)


def _bounded_memory(nlp: Language) -> AbstractContextManager[object]:
    """spaCy keeps every word that it has ever seen: from `_KEPT_WORDS` on it forgets what a batch has brought."""
    forgetting: AbstractContextManager[object] = nlp.memory_zone()
    return forgetting if len(nlp.vocab) > _KEPT_WORDS else nullcontext()


def _pieces(text: str) -> list[str]:
    """The text in pieces that have no long runs without white space: its only piece, as a rule."""
    ends = [run.end() for run in _LONG_RUN.finditer(text)]
    return [text[start:end] for start, end in zip([0, *ends], [*ends, len(text)], strict=True)]
