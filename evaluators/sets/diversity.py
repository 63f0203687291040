"""Compute diversity as published, over all texts of a run at once."""

from evaluators.corpus import Corpus
from evaluators.ngrams import simctg_diversity
from newwiki.records import Metric, SetScore, Unscorable
from newwiki.registry import set_evaluator


@set_evaluator(
    metrics=[
        Metric(
            "diversity_simctg",
            unit="per cent",
            minimum=0.0,
            maximum=100.0,
            direction="higher",
            definition="(1 - rep_2) (1 - rep_3) (1 - rep_4), each rep_n of the n-grams of all kept texts, without the "
            "last of a text, and rounded to 0.01 per cent",
            source="Su et al. 2022, github.com/yxuansu/SimCTG, measure_repetition_and_diversity",
        )
    ],
    version="2",
)
def diversity_simctg(corpus: Corpus) -> SetScore | Unscorable:
    """Return `diversity` as the script behind published numbers does, from 0 to 100, higher is more varied.

    N-grams are distinct within their text, and counted over all kept texts, so the number does not grow with them, and
    no texts are drawn. Source: Su et al. 2022, `measure_repetition_and_diversity` of the package simctg. Pitfalls:
    about 0.02 from the clean definition; gibberish scores 100; do not compare texts of different lengths by it.
    """
    if not corpus.texts:
        return Unscorable("no texts")
    if all(len(words) < 5 for words in corpus.texts.values()):
        return Unscorable("no text has five words")
    return SetScore(simctg_diversity(corpus.texts.values()))
