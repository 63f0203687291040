from collections.abc import Callable
from math import exp

import pytest
import sacrebleu
from hypothesis import given
from hypothesis import strategies as st

from evaluators.analysis import Analysis, Analyst
from evaluators.overlap import bleu, chrf
from newwiki.records import Unscorable
from newwiki.registry import evaluators

Counted = Callable[[str], Analysis]
WORDS = st.lists(st.sampled_from(["a", "A", "b,", "c.", "«d»", "e\n"]), min_size=1, max_size=20)


@pytest.mark.by_hand("bleu")
def test_bleu_by_hand(counted: Counted) -> None:
    # 4 of 5 words, 3 of 4 bigrams, 2 of 3 trigrams and 1 of 2 4-grams; as many words as the article.
    text, article = counted("the old bridge was sold"), counted("the old bridge was closed")
    assert bleu(text, article) == pytest.approx(100 * (4 / 5 * 3 / 4 * 2 / 3 * 1 / 2) ** (1 / 4))
    # Every n-gram is in the article, which has six words to the text's four.
    assert bleu(counted("the old bridge was"), counted("the old bridge was closed yesterday")) == pytest.approx(
        100 * exp(1 - 6 / 4)
    )


@given(WORDS, WORDS)
def test_bleu_is_sacrebleus_sentence_bleu(mine: list[str], theirs: list[str]) -> None:
    here, there = Analyst().analyse([" ".join(mine), " ".join(theirs)], frozenset())
    assert bleu(here, there) == pytest.approx(sacrebleu.sentence_bleu(here.text, [there.text]).score)


def test_an_article_matches_itself_wholly(counted: Counted) -> None:
    article = counted("The Halden Bridge is a cable-stayed bridge over the Arve, opened in 2021.")
    assert bleu(article, article) == pytest.approx(100)
    assert bleu(article, article) <= 100


def test_the_signature_is_sacrebleus_own() -> None:
    metric = sacrebleu.BLEU(effective_order=True)
    metric.sentence_score("a", ["b"])
    signature = str(metric.get_signature())
    assert signature == f"{evaluators.get('bleu').parameters['signature']}|version:{sacrebleu.__version__}"


@given(WORDS, WORDS)
def test_chrf_is_sacrebleus_sentence_chrf(mine: list[str], theirs: list[str]) -> None:
    here, there = Analyst().analyse([" ".join(mine), " ".join(theirs)], frozenset())
    assert chrf(here, there) == pytest.approx(sacrebleu.sentence_chrf(here.text, [there.text]).score)


@pytest.mark.by_hand("chrf")
def test_chrf_by_hand(counted: Counted) -> None:
    # "abc" against "abd": two of three characters, one of two bigrams, no trigram, and none longer to be had.
    precision = recall = (2 / 3 + 1 / 2 + 0) / 3
    f = 5 * precision * recall / (4 * precision + recall)
    assert chrf(counted("ab c"), counted("abd")) == pytest.approx(100 * f)
    # "ab" against "abc": all of it is there, but two of three characters and one of two bigrams are not all of those.
    precision, recall = (2 / 2 + 1 / 1) / 2, (2 / 3 + 1 / 2) / 2
    f = 5 * precision * recall / (4 * precision + recall)
    assert chrf(counted("ab"), counted("abc")) == pytest.approx(100 * f)


def test_chrf_needs_no_spaces(counted: Counted) -> None:
    article = counted("这是第一句话。这是第二句话。")
    assert chrf(article, article) == pytest.approx(100)
    assert 0 < chrf(counted("这是第三句话。"), article) < 100


def test_chrfs_signature_is_sacrebleus_own() -> None:
    metric = sacrebleu.CHRF()
    metric.sentence_score("a", ["b"])
    signature = str(metric.get_signature())
    assert signature == f"{evaluators.get('chrf').parameters['signature']}|version:{sacrebleu.__version__}"


@pytest.mark.parametrize("text", ["", "...", "🙂"])
def test_a_text_without_words_has_no_score(counted: Counted, text: str) -> None:
    assert bleu(counted(text), counted("Words.")) == Unscorable("no words")
    assert bleu(counted("Words."), counted(text)) == Unscorable("the reference has no words")
    assert chrf(counted(text), counted("Words.")) == Unscorable("no words")
    assert chrf(counted("Words."), counted(text)) == Unscorable("the reference has no words")
