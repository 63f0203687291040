"""Use the sentences of one article as evidence: those that share words with a claim, ranked by BM25."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from evaluators.claims.bm25 import PARAMETERS, TOP, SmallIndex, best
from evaluators.claims.claim import Passage
from evaluators.sentences import split_sentences
from newwiki.text.sentences import SENTENCES_VERSION


class ArticleEvidence:
    """Evidence (`evaluators.claims.claim.Evidence`) from an article: its sentences, as `split_sentences` finds them
    in its language. Create it once per article, for all texts about it.

    The passages of a claim are the `TOP` sentences with the highest BM25 scores (see `evaluators.claims.bm25`), in
    order if scores are equal; a sentence without a word of the claim is not a passage.
    """

    parameters: Mapping[str, object] = MappingProxyType(
        {"evidence": "article", "sentences": SENTENCES_VERSION, **PARAMETERS}
    )
    packages: tuple[str, ...] = ()

    def __init__(self, title: str, text: str, language: str | None = None) -> None:
        self._title = title
        self._sentences = split_sentences(text, language)
        self._index = SmallIndex(self._sentences)

    def passages(self, claims: Sequence[str], title: str) -> list[list[Passage]]:
        """Return for each claim up to `TOP` passages of the article, the likeliest first; `title` is ignored."""
        return [[self._passage(place) for place in best(self._index.scores(claim), TOP)] for claim in claims]

    def _passage(self, place: int) -> Passage:
        return Passage(title=self._title, sentence=place, text=self._sentences[place])
