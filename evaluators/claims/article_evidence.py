"""The sentences of one text as evidence: those that share words with a claim, by BM25."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from evaluators.claims.bm25 import PARAMETERS, TOP, SmallIndex, best
from evaluators.claims.claim import Passage
from evaluators.sentences import SENTENCES_VERSION, split_sentences


class ArticleEvidence:
    """Evidence (`evaluators.claims.claim.Evidence`) from an article: its sentences, as `split_sentences` finds them,
    whichever text is asked about. Made once an article, for all texts about it.

    Passages of a claim are the `TOP` sentences of the highest BM25 (see `evaluators.claims.bm25`), those of equal
    scores in their order; a sentence that has no word of the claim is none.
    """

    parameters: Mapping[str, object] = MappingProxyType(
        {"evidence": "article", "sentences": SENTENCES_VERSION, **PARAMETERS}
    )
    packages: tuple[str, ...] = ()

    def __init__(self, title: str, text: str) -> None:
        self._title = title
        self._sentences = split_sentences(text)
        self._index = SmallIndex(self._sentences)

    def passages(self, claims: Sequence[str], title: str) -> list[list[Passage]]:
        """For each claim up to `TOP` passages of the article, the likeliest first; `title` decides nothing here."""
        return [[self._passage(place) for place in best(self._index.scores(claim), TOP)] for claim in claims]

    def _passage(self, place: int) -> Passage:
        return Passage(title=self._title, sentence=place, text=self._sentences[place])
