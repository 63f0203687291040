"""Count the distinct 4-grams of the texts, and compare with the articles."""

from collections.abc import Sequence
from statistics import fmean

from evaluators.corpus import Corpus, Draw, Words
from evaluators.ngrams import grams
from evaluators.scales import amount
from newwiki.records import Metric, SetScore, Unscorable
from newwiki.registry import set_evaluator

_WORDS = 256
_SOURCE = "Massarelli et al. 2020, table 1"


@set_evaluator(
    metrics=[
        Metric(
            "distinct_4grams",
            unit="4-grams",
            minimum=0.0,
            maximum=_WORDS - 3.0,
            direction="higher",
            definition=f"mean over texts of the different word 4-grams of the first {_WORDS} words",
            source=_SOURCE,
        ),
        amount(
            "four_gram_proportion", "ratio", "distinct_4grams of the texts / distinct_4grams of their articles", _SOURCE
        ),
    ],
    version="1",
    parameters={"words": _WORDS},
)
def four_grams(corpus: Corpus) -> dict[str, SetScore | Unscorable]:
    """Return `distinct_4grams`, from 0 to 253, and its ratio to that of the articles; higher is more varied.

    Source: Massarelli et al. 2020, How decoding strategies affect the verifiability of generated text, "Metrics" and
    table 1, where articles have 222.48. The paper takes 256 tokens; here they are words split at white space. It calls
    the proportion an average ratio, but seven of the eight rows of its table are exactly the ratio of the averages
    (143.52 / 222.48 = 64.51 per cent), which is computed here. Pitfall: a text that ends before 256 words has fewer
    4-grams, and one of fewer than four words counts with 0.
    """
    return {
        "distinct_4grams": corpus.mean_over_draws(_distinct),
        "four_gram_proportion": corpus.mean_over_draws(_proportion),
    }


def distinct_four_grams(words: Words) -> int:
    """Return the number of distinct word 4-grams in the first words of one text."""
    return len(set(grams(words[:_WORDS], 4)))


def _distinct(draw: Draw) -> float | Unscorable:
    return _mean(draw.texts) or Unscorable("no text has four words")


def _proportion(draw: Draw) -> float | Unscorable:
    own, theirs = _mean(draw.texts), _mean(draw.references)
    if not own:
        return Unscorable("no text has four words")
    return own / theirs if theirs else Unscorable("no article has four words")


def _mean(texts: Sequence[Words]) -> float:
    return fmean(distinct_four_grams(words) for words in texts)
