"""Measure how similar a text is to the article in its words, each weighted by how informative it is."""

from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from math import log, log1p, sqrt

from evaluators.analysis import Analysis
from evaluators.counts import terms
from evaluators.sentences import split_sentences
from newwiki.records import Metric, Unscorable
from newwiki.registry import evaluator
from newwiki.text.sentences import SENTENCES_VERSION


@evaluator(
    metrics=[
        Metric(
            "tfidf_relevance",
            unit="cosine",
            minimum=0.0,
            maximum=1.0,
            direction="higher",
            definition="cosine of the word vectors of text and article with weights (1 + ln count) "
            "ln(1 + (N - d + 1/2) / (d + 1/2)), d of the article's N sentences having the word",
            source="Massarelli et al. 2020, table 4 (tf-idf score); weights: Manning et al. 2008, sec. 6.4, "
            "Robertson and Zaragoza 2009",
        )
    ],
    version="1",
    parameters={"words": "runs of letters and digits, casefolded", "sentences": SENTENCES_VERSION},
)
def tfidf_relevance(analysis: Analysis, reference: Analysis) -> float | Unscorable:
    """Return the cosine of two tf-idf vectors, from 0 to 1, higher is closer to the article in its words.

    Source: Massarelli et al. 2020, How decoding strategies affect the verifiability of generated text, table 4, which
    gives no details beyond "tf-idf score"; its numbers (160 to 570) have no upper bound and cannot be compared with
    these. Here counts are damped as 1 + ln (Manning, Raghavan and Schütze 2008, section 6.4) and the inverse document
    frequency is that of BM25 (Robertson and Zaragoza 2009), which is never 0, over the sentences of the article: no
    other text is needed, so a score does not depend on the snapshot. Another article scores about 0.11, the first 300
    words of the article 0.75. Pitfalls: words are not stemmed; a text that repeats the prompt's own words scores well;
    an article of one sentence weighs all its words equally.
    """
    if reason := analysis.wordless_beside(reference):
        return reason
    weights, unseen, theirs = _article(reference.text, reference.language)
    own = {word: (1 + log(count)) * weights.get(word, unseen) for word, count in Counter(terms(analysis.text)).items()}
    product = sum(weight * theirs.get(word, 0.0) for word, weight in own.items())
    lengths = _length(own) * _length(theirs)
    # A sign that counts as a word but is neither letter nor digit leaves a vector empty.
    return min(product / lengths, 1.0) if lengths else Unscorable("no words")


# The completions of one article come one after another, so few references suffice.
@lru_cache(maxsize=32)
def _article(text: str, language: str | None) -> tuple[Mapping[str, float], float, Mapping[str, float]]:
    """Return the inverse document frequency of each word of the article, that of all other words, and its vector."""
    sentences = split_sentences(text, language) or [text]
    having = Counter(word for sentence in sentences for word in set(terms(sentence)))
    weights = {word: _rarity(count, len(sentences)) for word, count in having.items()}
    counts = Counter(terms(text))
    vector = {word: (1 + log(count)) * weights[word] for word, count in counts.items()}
    return weights, _rarity(0, len(sentences)), vector


def _rarity(having: int, sentences: int) -> float:
    return log1p((sentences - having + 0.5) / (having + 0.5))


def _length(vector: Mapping[str, float]) -> float:
    return sqrt(sum(weight * weight for weight in vector.values()))
