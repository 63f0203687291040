"""Measure how many words and phrases a text shares with the article."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING

from evaluators.analysis import Analysis
from newwiki.records import Metric, Unscorable
from newwiki.registry import evaluator

if TYPE_CHECKING:
    from sacrebleu.metrics.chrf import CHRF
    from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

    from evaluators.grams import KnownGrams

_LONGEST = 4  # words of an n-gram


@evaluator(
    metrics=[
        Metric(
            "bleu",
            unit="points",
            minimum=0.0,
            maximum=100.0,
            direction="higher",
            definition="BLEU of one text against one article: geometric mean of n-gram precisions, n from 1 to 4, "
            "times brevity penalty",
            source="Papineni et al. 2002; Post 2018 (sacreBLEU); New-Wiki Eval paper, appendix",
        )
    ],
    version="1",
    packages=["sacrebleu"],
    # sacreBLEU's signature without the version, which is among the dependencies.
    parameters={"signature": "nrefs:1|case:mixed|eff:yes|tok:13a|smooth:exp"},
    core=True,
)
def bleu(analysis: Analysis, reference: Analysis) -> float | Unscorable:
    """Return sacreBLEU's sentence BLEU with effective order, from 0 to 100, higher shares more.

    Source: Papineni et al. 2002; Post 2018, A call for clarity in reporting BLEU scores. Pitfall: open-ended text is
    near 0 whatever its quality, which is why the New-Wiki Eval paper puts it in its appendix.
    """
    if reason := analysis.wordless_beside(reference):
        return reason
    score = _sentence_bleu(analysis.text, reference.text)
    # Rounding may lift the geometric mean of four 100s above 100.
    return min(score, 100.0)


@evaluator(
    metrics=[
        Metric(
            "chrf",
            unit="points",
            minimum=0.0,
            maximum=100.0,
            direction="higher",
            definition="chrF2 of one text against one article: F-score, recall weighing twice, of the mean precision "
            "and recall of character n-grams, n from 1 to 6, without white space",
            source="Popović 2015; Post 2018 (sacreBLEU)",
        )
    ],
    version="1",
    packages=["sacrebleu"],
    parameters={"signature": "nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no"},
)
def chrf(analysis: Analysis, reference: Analysis) -> float | Unscorable:
    """Return sacreBLEU's sentence chrF2, from 0 to 100, higher shares more. It needs no words, so it suits every
    script.

    Source: Popović 2015, chrF: character n-gram F-score for automatic MT evaluation; Post 2018. Pitfalls: made for
    translations; two unrelated English articles score about 31, and a text shorter than the article loses by its
    recall.
    """
    if reason := analysis.wordless_beside(reference):
        return reason
    score: float = _chrf_against(reference.text).corpus_score([analysis.text], None).score
    return min(score, 100.0)


def _sentence_bleu(text: str, reference: str) -> float:
    """Return sacreBLEU's score from n-grams that are counted here, in a fraction of the time."""
    from sacrebleu.metrics.bleu import BLEU

    tokens, known = _tokens(text), _read(reference)
    total = [max(0, len(tokens) - n + 1) for n in range(1, _LONGEST + 1)]
    score: float = BLEU.compute_bleu(
        known.shared(tokens), total, len(tokens), known.length, smooth_method="exp", effective_order=True
    ).score
    return score


# The completions of one article come one after another, so few references suffice.
@lru_cache(maxsize=32)
def _read(reference: str) -> KnownGrams:
    from evaluators.grams import KnownGrams

    return KnownGrams(_tokens(reference), _LONGEST)


def _tokens(text: str) -> list[str]:
    tokens: list[str] = _tokenizer()(text.rstrip()).split()
    return tokens


@cache
def _tokenizer() -> Tokenizer13a:
    from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

    return Tokenizer13a()


@lru_cache(maxsize=32)
def _chrf_against(reference: str) -> CHRF:
    """Return chrF2 with the n-grams of the reference counted once."""
    from sacrebleu.metrics.chrf import CHRF

    return CHRF(references=[[reference]])
