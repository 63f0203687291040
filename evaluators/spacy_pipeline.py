"""Run a spaCy pipeline on any text and on any number of texts."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

# Maximum number of characters without white space that spaCy's tokenizer gets at once: its time grows with the square
# of a run of marks (20,000 quotation marks took it half a minute).
LONGEST_RUN = 64
_LONG_RUN = re.compile(rf"\S{{{LONGEST_RUN}}}(?=\S)")
_SURROGATE = re.compile("[\ud800-\udfff]")  # spaCy cannot store these
_BATCH = 64  # texts; more take more memory and no less time
_KEPT_WORDS = 200_000  # about 80 MB


@contextmanager
def documents(nlp: Language, texts: Sequence[str]) -> Iterator[Iterator[Doc]]:
    """Yield the texts as the pipeline's documents, in order; read them before leaving the context. Characters that
    spaCy cannot store become replacement characters, so that positions stay those of the text."""
    nlp.max_length = sys.maxsize  # spaCy refuses long texts to limit memory; here every text is read whole
    with _bounded_memory(nlp):
        yield nlp.pipe((_tokenized(nlp, text) for text in texts), batch_size=_BATCH)


def _tokenized(nlp: Language, text: str) -> Doc:
    from spacy.tokenizer import Tokenizer
    from spacy.tokens import Doc

    readable = _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text)
    # Chinese, Japanese and Thai have their own tokenizers, which read text without spaces.
    pieces = _pieces(readable) if isinstance(nlp.tokenizer, Tokenizer) else [readable]
    documents = [nlp.make_doc(piece) for piece in pieces]
    return documents[0] if len(documents) == 1 else Doc.from_docs(documents, ensure_whitespace=False)


def _bounded_memory(nlp: Language) -> AbstractContextManager[object]:
    """Limit memory: spaCy keeps every word that it has ever seen, so beyond `_KEPT_WORDS` a batch's words are freed."""
    forgetting: AbstractContextManager[object] = nlp.memory_zone()
    return forgetting if len(nlp.vocab) > _KEPT_WORDS else nullcontext()


def _pieces(text: str) -> list[str]:
    """Split the text into pieces without long runs of non-spaces: usually only one."""
    ends = [run.end() for run in _LONG_RUN.finditer(text)]
    return [text[start:end] for start, end in zip([0, *ends], [*ends, len(text)], strict=True)]
