"""Turn texts into verdicts on their claims: find passages, classify pairs, and let the surest pair decide."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from evaluators.claims.article_evidence import ArticleEvidence
from evaluators.claims.claim import Claim, Label, Passage, Verdict
from evaluators.claims.pair_classifier import Pair, PairClassifier, Shares
from evaluators.claims.sentence_processing import (
    SENTENCE_PROCESSING_PACKAGES,
    SENTENCE_PROCESSING_VERSION,
    claims_of,
)
from newwiki.records import SourceArticle

if TYPE_CHECKING:
    from evaluators.claims.evidence_index import EvidenceIndex

Found = list[list[list[Passage]]]  # passages by text and claim
LookUp = Callable[
    [Sequence[SourceArticle], Sequence[Sequence[str]], str | None], Found
]  # (articles, claims of each text, their language) → passages

# Part of every fingerprint: raise it whenever the same shares would give another verdict.
_DECISION = "1"

_KNOWN = 50_000  # the latest pairs, which are cached in some 30 MB


def decide(claim: Claim, passages: Sequence[Passage], shares: Sequence[Shares]) -> Verdict:
    """Return the verdict on a claim from its passages, the likeliest first, and the shares of each.

    A pair's own label is that of its largest share, or not enough info if two are equally large. Among the pairs with
    another label, the one whose label has the largest share decides, the earlier one of two equal pairs. If there is
    none, the verdict is not enough info, with the first passage.
    """
    labels = [_label(pair) for pair in shares]
    decided = [place for place, label in enumerate(labels) if label != "not enough info"]
    if not passages:
        return Verdict(claim=claim, label="not enough info")
    place = max(decided, key=lambda place: _largest(shares[place])) if decided else 0
    deciding = shares[place]
    return Verdict(
        claim=claim,
        label=labels[place],
        supported=deciding.supported,
        refuted=deciding.refuted,
        not_enough_info=deciding.not_enough_info,
        passage=passages[place],
        cut=deciding.cut,
    )


class ClaimChecker:
    """The maker of one part: for each text the verdicts on its sentences, in plain JSON types."""

    def __init__(
        self,
        part: str,
        classifier: PairClassifier,
        look_up: LookUp,
        parameters: Mapping[str, object],
        packages: Sequence[str],
    ) -> None:
        """Create the maker; `parameters` and `packages` describe the evidence."""
        self.parts = frozenset({part})
        self._part, self._classifier, self._look_up = part, classifier, look_up
        self._known: dict[Pair, Shares] = {}
        self.model = classifier.model
        self.model_sha256: str | None = classifier.model_sha256
        self.dtype: str | None = classifier.dtype
        self.backend: str | None = classifier.backend
        self.packages: tuple[str, ...] = (*classifier.packages, *packages, *SENTENCE_PROCESSING_PACKAGES)
        self.parameters: Mapping[str, object] = {
            **classifier.parameters,
            **parameters,
            "sentence_processing": SENTENCE_PROCESSING_VERSION,
            "decision": _DECISION,
        }

    def make_beside(
        self, articles: Sequence[SourceArticle], texts: Sequence[str], parts: Set[str], language: str | None = None
    ) -> Mapping[str, Sequence[Any]]:
        """Classify the pairs of all texts together; a pair that occurs again is taken from the cache."""
        claims = [
            [self._readable(claim) for claim in claims_of(text, article.title, language)]
            for article, text in zip(articles, texts, strict=True)
        ]
        wanted = [[claim.text for claim in text_claims if claim.checkable] for text_claims in claims]
        found = self._look_up(articles, wanted, language)
        pairs = [
            (passage.text, claim)
            for text_claims, text_passages in zip(wanted, found, strict=True)
            for claim, passages in zip(text_claims, text_passages, strict=True)
            for passage in passages
        ]
        shares = iter(self._shares(pairs))
        return {
            self._part: [
                [_plain(verdict) for verdict in _verdicts(text_claims, iter(passages), shares)]
                for text_claims, passages in zip(claims, found, strict=True)
            ]
        }

    def _shares(self, pairs: Sequence[Pair]) -> list[Shares]:
        found = {pair: known for pair in pairs if (known := self._known.get(pair))}
        new = [pair for pair in dict.fromkeys(pairs) if pair not in found]
        found |= zip(new, self._classifier.shares(new), strict=True)
        self._known |= found
        for pair in list(self._known)[: max(0, len(self._known) - _KNOWN)]:
            self._known.pop(pair, None)
        return [found[pair] for pair in pairs]

    def _readable(self, claim: Claim) -> Claim:
        """Mark a claim as not checkable if it leaves no room for evidence in the model's window."""
        if not claim.checkable or self._classifier.fits(claim.text):
            return claim
        return Claim(sentence=claim.sentence, start=claim.start, end=claim.end, text=claim.text, checkable=False)


def by_article(part: str, classifier: PairClassifier) -> ClaimChecker:
    """Return a checker whose evidence is the article itself: its first sentence, and all that follows."""
    parameters = {**ArticleEvidence.parameters, "article": "the first sentence and the rest"}
    return ClaimChecker(part, classifier, _in_articles, parameters, ArticleEvidence.packages)


def by_index(part: str, classifier: PairClassifier, index: EvidenceIndex) -> ClaimChecker:
    """Return a checker whose evidence is an index of many pages."""

    def look_up(articles: Sequence[SourceArticle], claims: Sequence[Sequence[str]], language: str | None) -> Found:
        texts = [(text_claims, article.title) for article, text_claims in zip(articles, claims, strict=True)]
        return index.passages_of_texts(texts)

    return ClaimChecker(part, classifier, look_up, index.parameters, index.packages)


def _in_articles(articles: Sequence[SourceArticle], claims: Sequence[Sequence[str]], language: str | None) -> Found:
    return [
        _evidence(article.title, f"{article.first_sentence} {article.completion}", language).passages(
            text_claims, article.title
        )
        for article, text_claims in zip(articles, claims, strict=True)
    ]


_evidence = lru_cache(maxsize=32)(ArticleEvidence)  # the texts of one article follow each other


def _verdicts(
    claims: Sequence[Claim], passages: Iterator[Sequence[Passage]], shares: Iterator[Shares]
) -> Iterator[Verdict]:
    """Yield the verdicts of a text: `passages` are those of its checkable claims, `shares` starts with theirs."""
    for claim in claims:
        found = next(passages) if claim.checkable else ()
        yield decide(claim, found, [next(shares) for _ in found])


def _plain(verdict: Verdict) -> dict[str, Any]:
    """Convert a verdict to plain values under the names of `newwiki.records.CheckedClaim`."""
    claim, passage = verdict.claim, verdict.passage
    return {
        "sentence": claim.sentence,
        "start_char": claim.start,
        "end_char": claim.end,
        "claim": claim.text,
        "checkable": claim.checkable,
        "label": verdict.label,
        "supported": verdict.supported,
        "refuted": verdict.refuted,
        "not_enough_info": verdict.not_enough_info,
        "evidence_title": passage.title if passage else None,
        "evidence_sentence": passage.sentence if passage else None,
        "evidence": passage.text if passage else None,
        "evidence_cut": verdict.cut if passage else None,
    }


def _label(shares: Shares) -> Label:
    """Return the label of the largest share."""
    if shares.supported > max(shares.refuted, shares.not_enough_info):
        return "supported"
    return "refuted" if shares.refuted > max(shares.supported, shares.not_enough_info) else "not enough info"


def _largest(shares: Shares) -> float:
    return max(shares.supported, shares.refuted)
