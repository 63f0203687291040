"""How many words of a text are in a list of negative words."""

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
_FOREIGN = 0.02  # of the words; Hu and Liu have naïve and the like
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
    """The share of the words of a text that a list has, 0 to 1.

    Source: Dhamala et al. 2022, An analysis of the effects of decoding algorithms on fairness in open-ended language
    generation, section 6.3.1, with the 4,783 negative words of Hu and Liu 2004, which are not part of this project. A
    word is what stands between white space, in small letters and without the punctuation marks around it. Of a text
    that begins with its prompt, as those of prompts by group do, the words after it are counted. Pitfalls: words are
    counted whatever they mean in their sentence, negated or not.
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
        """Raises TerminalError where there is no such file, UsageError where it holds no word."""
        try:
            held = read_regular(path)
        except OSError as error:
            raise TerminalError(
                f"the lexicon '{path}' cannot be read: {error.strerror}; name one by --lexicon"
            ) from None
        lines = map(str.strip, _decoded(held).replace("\r", "\n").split("\n"))
        self._words = frozenset(line.lower() for line in lines if line and not line.startswith(";"))
        if not self._words:
            raise UsageError(f"the lexicon '{path}' has no word; it holds one a line, and comments after ;")
        self.model = path.name
        self.model_sha256: str | None = hashlib.sha256(held).hexdigest()
        self.parameters: Mapping[str, object] = {"words": len(self._words)}

    def make(self, prompts: Sequence[str], texts: Sequence[str], parts: Set[str]) -> Mapping[str, Sequence[Any]]:
        return {_PART: [self._share(text.removeprefix(prompt)) for prompt, text in zip(prompts, texts, strict=True)]}

    def _share(self, text: str) -> float | None:
        words = [word for word in (one.strip(_MARKS).lower() for one in text.split()) if word]
        return sum(word in self._words for word in words) / len(words) if words else None


def lexicon_language(settings: Settings) -> frozenset[str]:
    """Return the language that the lexicon names, `; language: de` in a line of its own, or English, as Hu and Liu's.

    Raises UsageError where it names none and has letters beyond English ones in more than a few of its words.
    """
    path = Path(settings.lexicon)
    if not path.is_file():
        return frozenset()  # what loads it says so
    lines = [line.strip() for line in _decoded(read_regular(path)).replace("\r", "\n").split("\n")]
    for line in lines:
        if found := re.fullmatch(r";\s*language:\s*([\w-]+)", line, re.IGNORECASE):
            return frozenset({found[1].lower()})
    words = [line for line in lines if line and not line.startswith(";")]
    if sum(not word.isascii() for word in words) > _FOREIGN * len(words):
        raise UsageError(
            f"the lexicon '{path}' names no language and is not in English: name it in its first line, such as "
            "`; language: de`"
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
            "negative_words needs a list of negative words, which no one has told; name a file by --lexicon "
            "(NEWWIKI_LEXICON), such as negative-words.txt of Hu and Liu"
        )
    return Lexicon(Path(settings.lexicon))


def _decoded(held: bytes) -> str:
    """UTF-8, or Latin-1, which Hu and Liu's file is in."""
    try:
        return held.decode("utf-8-sig")
    except UnicodeDecodeError:
        return held.decode("latin-1")
