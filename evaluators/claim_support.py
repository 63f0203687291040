"""Measure which share of a text's claims the evidence supports, refutes, or does not decide."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from evaluators.analysis import Analysis
from evaluators.claims.pair_scorer import read_pair_scorer
from newwiki.errors import TerminalError
from newwiki.models.checkpoint import is_at_hand
from newwiki.records import Direction, Metric, Unscorable
from newwiki.registry import evaluator, maker

if TYPE_CHECKING:
    from evaluators.claims.checking import ClaimChecker
    from newwiki.settings import Settings

_SHARES: dict[str, tuple[str, str, Direction]] = {
    "supported": ("supported", "supports", "higher"),
    "refuted": ("refuted", "refutes", "lower"),
    "not_enough_info": ("not enough info", "neither supports nor refutes, or that cannot be checked", "none"),
}
_SOURCE = "Massarelli et al. 2020, section 5 (fact checker); Thorne et al. 2018, FEVER"
_NO_INDEX = "no evidence index is set; build one with `newwiki evidence build`, and add --evidence FOLDER"


def _metrics(name: str, evidence: str) -> list[Metric]:
    return [
        Metric(
            f"{name}_{share}",
            unit="ratio",
            minimum=0.0,
            maximum=1.0,
            direction=direction,
            definition=f"share of the text's sentences that {evidence} {does}, by --pair-scorer",
            source=_SOURCE,
        )
        for share, (_, does, direction) in _SHARES.items()
    ]


@evaluator(
    metrics=_metrics("claims_article", "the article itself"),
    version="1",
    needs={"claims_article"},
    costly=True,
    alone=True,
    verdicts="claims_article",
)
def claims_article(analysis: Analysis, reference: Analysis) -> dict[str, float] | Unscorable:
    """Compute the shares of the text's sentences by their verdicts, from 0 to 1, which add up to 1.

    Each sentence is a claim (`evaluators.claims.sentence_processing`), for which BM25 finds up to 5 sentences of the
    article, including its first sentence (`evaluators.claims.article_evidence`). A pair scorer reads the claim with
    each of them, and the surest verdict that supports or refutes it decides (`evaluators.claims.checking.decide`).
    Claims that are too long to be checked count as not enough info. The table `claims` holds the verdicts with their
    evidence.

    Source: Massarelli et al. 2020, How decoding strategies affect the verifiability of generated text, section 5, after
    the task FEVER (Thorne et al. 2018). There the evidence is all of Wikipedia, which may include the article.

    Pitfalls: a claim that the article does not make is not therefore false; the verdicts are a model's, so the numbers
    of two pair scorers cannot be compared; the article checked against itself is not quite 1, because the scorer also
    judges a sentence with itself as evidence; a text that repeats one supported sentence is wholly supported.
    """
    return _shares("claims_article", analysis)


@evaluator(
    metrics=_metrics("claims_wiki", "the index of --evidence"),
    version="1",
    needs={"claims_wiki"},
    costly=True,
    alone=True,
    verdicts="claims_wiki",
)
def claims_wiki(analysis: Analysis, reference: Analysis) -> dict[str, float] | Unscorable:
    """Compute the shares of the text's sentences by their verdicts, from 0 to 1, which add up to 1.

    Like `claims_article`, with passages from an index of many pages (`evaluators.claims.evidence_index`), whose content
    hash is part of the fingerprint. Source: Massarelli et al. 2020, section 5, equations 2 and 3, whose fact checker
    uses all of Wikipedia.

    Pitfalls: as for `claims_article`; an index without the article has little evidence on what only that page says;
    numbers by two indexes cannot be compared.
    """
    return _shares("claims_wiki", analysis)


def _shares(part: str, analysis: Analysis) -> dict[str, float] | Unscorable:
    verdicts = analysis.part(part)
    if not verdicts:
        return Unscorable("no sentences")
    counts = Counter(verdict["label"] for verdict in verdicts)
    return {f"{part}_{share}": counts[label] / len(verdicts) for share, (label, *_) in _SHARES.items()}


def with_pair_scorer(choice: str, metric: Metric) -> Metric:
    """Add to a metric of claims what the file of this pair scorer says about its verdicts. Raises UsageError."""
    scorer = read_pair_scorer(choice)
    pitfalls = f"{metric.pitfalls}; the pair scorer: {scorer.pitfalls}" if scorer.pitfalls else metric.pitfalls
    return replace(metric, source=f"{metric.source}; by {scorer.source}", pitfalls=pitfalls)


def _is_at_hand(settings: Settings) -> bool:
    scorer = read_pair_scorer(settings.pair_scorer)
    return is_at_hand(scorer.place, scorer.revision)


@maker("claims_article", options={"model": "--pair-scorer"}, at_hand=_is_at_hand, beside_article=True)
def _by_article(settings: Settings) -> ClaimChecker:
    from evaluators.claims.checking import by_article
    from evaluators.claims.pair_classifier import load_pair_classifier

    return by_article("claims_article", load_pair_classifier(read_pair_scorer(settings.pair_scorer)))


@maker(
    "claims_wiki",
    options={"model": "--pair-scorer"},
    at_hand=lambda settings: bool(settings.evidence) and _is_at_hand(settings),
    beside_article=True,
    unset=lambda settings: "" if settings.evidence else _NO_INDEX,
)
def _by_index(settings: Settings) -> ClaimChecker:
    from evaluators.claims.checking import by_index
    from evaluators.claims.evidence_index import EvidenceIndex
    from evaluators.claims.pair_classifier import load_pair_classifier

    if not settings.evidence:
        raise TerminalError(f"claims_wiki: {_NO_INDEX}")
    index = EvidenceIndex.open(Path(settings.evidence))
    return by_index("claims_wiki", load_pair_classifier(read_pair_scorer(settings.pair_scorer)), index)
