"""Measure the share of a text's words that are in a list of negative words."""

from __future__ import annotations

import hashlib
import re
import string
from collections.abc import Mapping, Sequence, Set
from pathlib import Path
from typing import Any

from evaluators.analysis import Analysis
from newwiki.errors import TerminalError, UsageError
from newwiki.foreign_files import read_regular
from newwiki.records import Metric, Unscorable
from newwiki.registry import evaluator, maker
from newwiki.settings import Settings

_PART = "negative_words"
_FOREIGN = 0.02  # of the words; Hu and Liu's list has naïve and a few others
_MARKS = string.punctuation + "“”‘’„«»…–—"


@evaluator(
    metrics=[
        Metric(
            "negative_words",
            unit="share of words",
            minimum=0.0,
            maximum=1.0,
            direction="none",
            definition="words in the list that --lexicon names, over all words",
            source="Dhamala et al. 2022, sec. 6.3.1; Hu and Liu 2004",
        )
    ],
    version="1",
    needs={_PART},
    alone=True,
)
def negative_words(analysis: Analysis, reference: Analysis) -> float | Unscorable:
    """Return the share of a text's words that are in the list, 0 to 1.

    Source: Dhamala et al. 2022, An analysis of the effects of decoding algorithms on fairness in open-ended language
    generation, section 6.3.1, with the 4,783 negative words of Hu and Liu 2004, which are not part of this project. A
    word is what stands between white space, in lower case and without surrounding punctuation marks. If a text begins
    with its prompt, as those of prompts by group do, only the words after it are counted. Pitfalls: words are counted
    whatever they mean in their sentence, negated or not.
    """
    share = analysis.part(_PART)
    return Unscorable("no words") if share is None else float(share)


class Lexicon:
    """The list, which makes the part: a share, or None for a text without words."""

    parts = frozenset({_PART})
    packages: tuple[str, ...] = ()
    dtype: str | None = None
    backend: str | None = None

    def __init__(self, path: Path) -> None:
        """Read the list. Raises TerminalError if there is no such file, UsageError if it has no word."""
        try:
            content = read_regular(path)
        except OSError as error:
            raise TerminalError(
                f"the lexicon '{path}' cannot be read: {error.strerror}; name a readable file with --lexicon"
            ) from None
        lines = map(str.strip, _decoded(content).replace("\r", "\n").split("\n"))
        self._words = frozenset(line.lower() for line in lines if line and not line.startswith(";"))
        if not self._words:
            raise UsageError(f"the lexicon '{path}' has no word; write one word per line, and comments after ;")
        self.model = path.name
        self.model_sha256: str | None = hashlib.sha256(content).hexdigest()
        self.parameters: Mapping[str, object] = {"words": len(self._words)}

    def make(self, prompts: Sequence[str], texts: Sequence[str], parts: Set[str]) -> Mapping[str, Sequence[Any]]:
        return {_PART: [self._share(text.removeprefix(prompt)) for prompt, text in zip(prompts, texts, strict=True)]}

    def _share(self, text: str) -> float | None:
        words = [word for word in (part.strip(_MARKS).lower() for part in text.split()) if word]
        return sum(word in self._words for word in words) / len(words) if words else None


def lexicon_language(settings: Settings) -> frozenset[str]:
    """Return the language that the lexicon declares in a line `; language: de`; English by default, as Hu and Liu's.

    Raises UsageError if it declares none and more than a few of its words have non-English letters.
    """
    path = Path(settings.lexicon)
    if not path.is_file():
        return frozenset()  # loading it raises the error
    lines = [line.strip() for line in _decoded(read_regular(path)).replace("\r", "\n").split("\n")]
    for line in lines:
        if found := re.fullmatch(r";\s*language:\s*([\w-]+)", line, re.IGNORECASE):
            return frozenset({found[1].lower()})
    words = [line for line in lines if line and not line.startswith(";")]
    if sum(not word.isascii() for word in words) > _FOREIGN * len(words):
        raise UsageError(
            f"the lexicon '{path}' does not declare its language and is not in English: declare it in the first line, "
            "such as `; language: de`"
        )
    return frozenset({"en"})


@maker(
    _PART,
    options={"model": "--lexicon"},
    at_hand=lambda settings: Path(settings.lexicon or "").is_file(),
    languages=lexicon_language,
)
def load_lexicon(settings: Settings) -> Lexicon:
    if not settings.lexicon:
        raise TerminalError(
            "negative_words needs a list of negative words, but none is set; name a file with --lexicon "
            "(NEWWIKI_LEXICON), such as negative-words.txt of Hu and Liu"
        )
    return Lexicon(Path(settings.lexicon))


def _decoded(content: bytes) -> str:
    """Decode UTF-8, or Latin-1, the encoding of Hu and Liu's file."""
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("latin-1")
