"""Scores of many texts beside many references, as sacrebleu, nltk and counting by hand have them."""

import math
from collections import Counter

import pytest
from nltk.translate.nist_score import corpus_nist
from sacrebleu.metrics.bleu import BLEU

from evaluators.token_scores import backward_bleu, bleu, nist, trigram_entropy

TEXTS = [("the", "cat", "sat", "on", "the", "mat"), ("a", "dog", "sat", "on", "a", "cat", "now")]
REFERENCES = [
    ("the", "cat", "lay", "on", "the", "mat"),
    ("a", "dog", "sat", "on", "the", "mat"),
    ("there", "was", "a", "cat", "on", "it"),
]


def test_bleu_is_the_mean_of_each_texts_beside_all_references() -> None:
    metric = BLEU(
        max_ngram_order=3, smooth_method="floor", smooth_value=0.1, tokenize="none", effective_order=False, force=True
    )
    references = [" ".join(one) for one in REFERENCES]
    scores = [metric.sentence_score(" ".join(one), references).score / 100 for one in TEXTS]
    assert bleu(TEXTS, REFERENCES) == pytest.approx(sum(scores) / 2)


def test_backward_bleu_changes_their_places() -> None:
    assert backward_bleu(TEXTS, REFERENCES) == bleu(REFERENCES, TEXTS)
    assert backward_bleu(TEXTS, TEXTS) == pytest.approx(1.0)


def test_nist_beside_one_reference_is_nltks() -> None:
    """Of several nltk takes the best one by n; here, as in NIST's own script, the one that has an n-gram most."""
    for reference in REFERENCES:
        assert nist([TEXTS[0]], [reference]) == pytest.approx(corpus_nist([[reference]], [TEXTS[0]], n=3))


def test_an_n_gram_counts_as_often_as_one_reference_has_it() -> None:
    once, twice = ("a", "b", "c"), ("a", "a", "b")
    assert nist([("a", "a", "a")], [once, twice]) == pytest.approx((2 * math.log2(6 / 3)) / 3 + math.log2(3 / 1) / 2)


def test_nist_by_hand() -> None:
    """Of the references' 6 tokens a is there twice, b and x once; ab is half of what begins with a, and what follows b
    and ab is sure."""
    assert nist([("a", "b", "x")], [("a", "b", "x"), ("a", "c", "y")]) == pytest.approx(
        (math.log2(6 / 2) + 2 * math.log2(6)) / 3 + (1 + 0) / 2 + 0.0
    )


def test_short_texts_are_penalised() -> None:
    whole, short = REFERENCES, [one[:4] for one in REFERENCES]
    beta = math.log(0.5) / math.log(1.5) ** 2
    assert nist(short, whole) < nist(whole, whole)
    assert nist([("a",)], [("a", "b")]) == pytest.approx(1.0 * math.exp(beta * math.log(0.5) ** 2))


def test_trigram_entropy_is_in_nats() -> None:
    texts = [tuple("abca"), tuple("abcd")]
    shares = [times / 4 for times in Counter(["abc", "bca", "abc", "bcd"]).values()]
    assert trigram_entropy(texts, []) == pytest.approx(-sum(share * math.log(share) for share in shares))
