"""Analyze a text once, for use by all evaluators."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from evaluators.counts import Readability, count_readability, count_tokens
from newwiki import registry
from newwiki.errors import TerminalError
from newwiki.records import SourceArticle, Unscorable
from newwiki.text.words import split_words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Part of every fingerprint: raise it whenever a number in an `Analysis` changes for the same text, except those of its
# `Readability`, which have a version of their own.
ANALYSIS_VERSION = "1"


class MakerFacts(Protocol):
    """The description of a model that makes `parts` of analyses. All other fields enter the fingerprint of every score
    that uses those parts."""

    parts: frozenset[str]
    model: str
    model_sha256: str | None
    packages: tuple[str, ...]
    parameters: Mapping[str, object]
    dtype: str | None
    backend: str | None


class TextMaker(MakerFacts, Protocol):
    """A model that makes parts of texts, independent of the article that they are about."""

    def make(self, prompts: Sequence[str], texts: Sequence[str], parts: Set[str]) -> Mapping[str, Sequence[Any]]:
        """Return these parts of each text; `prompts` holds the prompt that each text continues."""
        ...


@runtime_checkable
class ArticleMaker(MakerFacts, Protocol):
    """A maker whose parts of a text depend on the article that it is about; an article is about itself."""

    def make_beside(
        self, articles: Sequence[SourceArticle], texts: Sequence[str], parts: Set[str], language: str | None
    ) -> Mapping[str, Sequence[Any]]:
        """Return these parts of each text; `articles` holds the article that each text is about, `language` is the code
        of their language, None if it is not known."""
        ...


Maker = TextMaker | ArticleMaker


@dataclass(frozen=True, eq=False)
class Analysis:
    """A text, the prompt that it continues, its counts, and the `parts` that models made of it.

    `words` are those of `newwiki.text.words`; `tokens` counts words and punctuation marks. `language` is the code of
    the text's language, None if it is not known.
    """

    text: str
    prompt: str = ""
    parts: Mapping[str, Any] = field(default_factory=dict)
    language: str | None = None

    @cached_property
    def words(self) -> tuple[str, ...]:
        return tuple(split_words(self.text))

    @cached_property
    def tokens(self) -> int:
        return count_tokens(self.text)

    @cached_property
    def readability(self) -> Readability:
        return count_readability(self.text)

    @property
    def wordless(self) -> bool:
        """Whether the text has no word at all: it is empty, or has only punctuation marks, symbols or emoji."""
        return self.readability.words == 0

    def wordless_beside(self, reference: Analysis) -> Unscorable | None:
        """Explain why the text cannot be compared with the reference, if either has no word; else None."""
        if self.wordless:
            return Unscorable("no words")
        return Unscorable("the reference has no words") if reference.wordless else None

    def part(self, name: str) -> Any:
        """Return what a model made of the text. Raises TerminalError if the text was analyzed without it."""
        if name not in self.parts:
            raise TerminalError(f'the text was analyzed without {name}; declare needs={{"{name}"}} in the evaluator')
        return self.parts[name]

    def named(self) -> tuple[str, ...]:
        """Return every mention of an entity, in order. Raises TerminalError if the text was analyzed without them."""
        return tuple(self.part("entities"))

    def embedded(self, part: str = "embedding") -> NDArray[np.float32]:
        """Return a unit vector; NaN if the model's tokenizer finds nothing in the text. Raises TerminalError
        likewise."""
        import numpy as np

        return np.asarray(self.part(part), dtype=np.float32)


class Analyst:
    """Analyzes texts with the given models."""

    def __init__(self, *makers: Maker) -> None:
        self._makers = makers
        self.seconds: dict[str, float] = defaultdict(float)  # by model

    def makers(self, needs: Set[str]) -> list[Maker]:
        """Return the models that make these parts. Raises TerminalError if no model makes one of them."""
        made = frozenset[str]().union(*(maker.parts for maker in self._makers))
        if lacking := sorted(needs - made):
            option = registry.makers.get(lacking[0]).options.get("model")
            remedy = f"; choose one with {option}" if option else ""
            raise TerminalError(f"no loaded model makes the part '{lacking[0]}'{remedy}")
        return [maker for maker in self._makers if maker.parts & needs]

    def analyse(
        self,
        texts: Sequence[str],
        needs: Set[str],
        prompts: Sequence[str] | None = None,
        known: Sequence[Mapping[str, Any]] | None = None,
        articles: Sequence[SourceArticle] | None = None,
        language: str | None = None,
    ) -> list[Analysis]:
        """Return one Analysis per text in this language, in order. The models for `needs` see the whole list at once;
        parts that are `known` for all texts are not made again.

        Raises TerminalError if `needs` names a part without a model, or a part that depends on `articles` when there
        are none.
        """
        if not texts:
            return []
        prompts = prompts or [""] * len(texts)
        parts = [dict(text_parts) for text_parts in known or [{}] * len(texts)]
        lacking = {need for need in needs if any(need not in text_parts for text_parts in parts)}
        for maker in self.makers(lacking):
            started = time.perf_counter()
            if not isinstance(maker, ArticleMaker):
                made = maker.make(prompts, texts, maker.parts & lacking)
            elif articles:
                made = maker.make_beside(articles, texts, maker.parts & lacking, language)
            else:
                raise TerminalError(
                    f"{', '.join(sorted(maker.parts))} depends on the article, and no articles are known here"
                )
            self.seconds[maker.model] += time.perf_counter() - started
            for name, values in made.items():
                for text_parts, value in zip(parts, values, strict=True):
                    text_parts[name] = value
        return [Analysis(*each, language) for each in zip(texts, prompts, parts, strict=True)]
