from collections.abc import Callable
from math import log, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluators.analysis import Analysis, Analyst
from evaluators.relevance import tfidf_relevance
from newwiki.records import Unscorable

Counted = Callable[[str], Analysis]
WORDS = ["bridge", "Bridge", "river", "the", "old", "a"]
SENTENCES = st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=6), min_size=1, max_size=5)


@pytest.mark.by_hand("tfidf_relevance")
def test_tfidf_relevance_by_hand(counted: Counted) -> None:
    # Two sentences: "the" is in both, "bridge" and "river" in one, "hill" in none.
    both, one, none = log(1 + 0.5 / 2.5), log(1 + 1.5 / 1.5), log(1 + 2.5 / 0.5)
    article = counted("The bridge. The river.")
    twice = 1 + log(2)
    expected = (both * twice * both + one * one) / (
        sqrt(both**2 + one**2 + none**2) * sqrt((twice * both) ** 2 + 2 * one**2)
    )
    assert tfidf_relevance(counted("the bridge hill"), article) == pytest.approx(expected)


@given(SENTENCES, SENTENCES)
def test_it_is_the_cosine_of_counted_vectors(mine: list[list[str]], theirs: list[list[str]]) -> None:
    text, article = (" ".join(f"Xx {' '.join(words)} xx." for words in sentences) for sentences in (mine, theirs))
    here, there = Analyst().analyse([text, article], frozenset())
    vocabulary = sorted({word.lower() for word in WORDS} | {"xx"})
    documents = [{word.lower() for word in words} | {"xx"} for words in theirs]
    having = np.array([sum(word in document for document in documents) for word in vocabulary])
    idf = np.log(1 + (len(documents) - having + 0.5) / (having + 0.5))

    def vector(sentences: list[list[str]]) -> np.ndarray:
        words = [word.lower() for sentence in sentences for word in ["xx", *sentence, "xx"]]
        return np.array([1 + log(words.count(word)) if word in words else 0 for word in vocabulary]) * idf

    a, b = vector(mine), vector(theirs)
    assert tfidf_relevance(here, there) == pytest.approx(a @ b / np.linalg.norm(a) / np.linalg.norm(b))


def test_an_article_is_as_near_to_itself_as_can_be_and_nothing_shared_is_nothing(counted: Counted) -> None:
    article = counted("The bridge fell. The river rose.")
    assert tfidf_relevance(article, article) == pytest.approx(1)
    assert tfidf_relevance(counted("Some hills"), article) == 0


def test_telling_words_count_for_more(counted: Counted) -> None:
    article = counted("The bridge is old. The river is long. The town is small. The road is new.")
    telling, common = (tfidf_relevance(counted(text), article) for text in ("bridge and town", "the and is"))
    assert isinstance(telling, float) and isinstance(common, float)
    assert telling > 2 * common > 0


@pytest.mark.parametrize("text", ["", "...", "🙂"])
def test_a_text_without_words_has_no_score(counted: Counted, text: str) -> None:
    assert tfidf_relevance(counted(text), counted("Words.")) == Unscorable("no words")
    assert tfidf_relevance(counted("Words."), counted(text)) == Unscorable("the reference has no words")
