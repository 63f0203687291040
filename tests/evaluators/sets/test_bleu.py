from collections.abc import Callable
from math import exp
from statistics import fmean

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu

from evaluators.corpus import Corpus
from evaluators.sets.bleu import backward_bleu, self_bleu
from newwiki.records import SetScore, Unscorable

Make = Callable[..., Corpus]
TEXTS = st.lists(st.lists(st.sampled_from("abcd"), max_size=12), min_size=2, max_size=6)


def nltk_bleu(references: list[list[str]], text: list[str], longest: int) -> float:
    """As Texygen calls it, without the references that have no word."""
    weights = (1 / longest,) * longest
    method = SmoothingFunction().method1
    score: float = sentence_bleu([words for words in references if words], text, weights, smoothing_function=method)
    return score


@pytest.mark.by_hand("self_bleu")
def test_self_bleu_by_hand(corpus: Make) -> None:
    # The first text has 4 of 5 words, 3 of 4 bigrams, 2 of 3 trigrams and 1 of 2 4-grams in the second, and so it is
    # the other way round: the fourth root of 4/5 · 3/4 · 2/3 · 1/2 = 1/5. They are as long as each other.
    assert self_bleu(corpus(["a b c d e", "a b c d f"])) == SetScore(pytest.approx(0.2**0.25))


def test_self_bleu_without_a_match_is_smoothed_and_without_a_word_0(corpus: Make) -> None:
    # 4 of 4 words, then 0.1 of 3 bigrams, 2 trigrams and 1 4-gram.
    assert self_bleu(corpus(["a b c d", "d c b a"])) == SetScore(pytest.approx((0.1 / 3 * 0.1 / 2 * 0.1) ** 0.25))
    assert self_bleu(corpus(["a b c d", "e f g h"])) == SetScore(0.0)


def test_the_same_text_twice_has_a_self_bleu_of_1(corpus: Make) -> None:
    assert self_bleu(corpus(["a b c d e", "a b c d e"])) == SetScore(1.0)


@pytest.mark.by_hand("backward_bleu")
def test_backward_bleu_by_hand(corpus: Make) -> None:
    # 3 of 4 words, 2 of 3 bigrams, 1 of 2 trigrams: the third root of 1/4. One word of four is lacking: exp(1 - 5/4).
    assert backward_bleu(corpus(["a b c x y"], ["a b c d"])) == SetScore(pytest.approx(0.25 ** (1 / 3) * exp(-0.25)))
    # Each word counts as often as in the text that has it most.
    assert backward_bleu(corpus(["a a a", "b b b"], ["a a a", "b b b"])) == SetScore(1.0)


@settings(max_examples=30)
@given(TEXTS)
def test_self_bleu_is_the_mean_of_nltks(texts: list[list[str]]) -> None:
    corpus = Corpus({(page, 0): tuple(words) for page, words in enumerate(texts)}, dict.fromkeys(range(len(texts)), ()))
    long = [place for place, words in enumerate(texts) if len(words) >= 4]
    found = self_bleu(corpus)
    if sum(map(bool, texts)) < 2:
        assert found == Unscorable("fewer than two texts with words")
    elif not long:
        assert found == Unscorable("no text has four words")
    else:
        scores = [nltk_bleu(texts[:place] + texts[place + 1 :], texts[place], 4) for place in long]
        assert found == SetScore(pytest.approx(fmean(scores)))


@settings(max_examples=30)
@given(TEXTS, TEXTS)
def test_backward_bleu_is_the_mean_of_nltks(texts: list[list[str]], articles: list[list[str]]) -> None:
    pairs = list(zip(texts, articles, strict=False))
    corpus = Corpus(
        {(page, 0): tuple(words) for page, (words, _) in enumerate(pairs)},
        {page: tuple(words) for page, (_, words) in enumerate(pairs)},
    )
    long = [words for _, words in pairs if len(words) >= 3]
    found = backward_bleu(corpus)
    if not any(words for words, _ in pairs):
        assert found == Unscorable("no words")
    elif not long:
        assert found == Unscorable("no article has three words")
    else:
        assert found == SetScore(pytest.approx(fmean(nltk_bleu([w for w, _ in pairs], words, 3) for words in long)))
