"""Old articles with new ones that are like them, each in one pair at most."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from flows.experiments.leakage.matching import CALIPER, ArticleFacts, match


def facts(page_id: int, words: int, citations: int | None = 0, topic: str | None = None) -> ArticleFacts:
    return ArticleFacts(page_id=page_id, words=words, citations=citations, topic=topic)


def pairs(old: list[ArticleFacts], new: list[ArticleFacts]) -> set[tuple[int, int]]:
    return {(one.old_page_id, one.new_page_id) for one in match(old, new).pairs}


def test_the_pairs_together_are_as_near_as_they_can_be() -> None:
    """The first old one is nearest to the first new one; but then the second would have none that is near."""
    old = [facts(1, 1000), facts(2, 1100)]
    new = [facts(11, 1050), facts(12, 900), *(facts(20 + n, words) for n, words in enumerate((10, 100_000)))]
    assert pairs(old, new) == {(1, 12), (2, 11)}


def test_what_is_too_far_apart_is_no_pair() -> None:
    found = match([facts(1, 500), facts(2, 50_000)], [facts(11, 510), facts(12, 5_000)])
    assert [(one.old_page_id, one.new_page_id) for one in found.pairs] == [(1, 11)]
    assert found.pairs[0].distance < CALIPER


def test_topics_are_never_mixed_where_both_snapshots_have_some() -> None:
    old = [facts(1, 1000, topic="Human"), facts(2, 1000, topic="Place")]
    new = [facts(11, 1000, topic="Place"), facts(12, 1000, topic=None), facts(13, 9000, topic="Human")]
    assert pairs(old, new) == {(2, 11)}
    assert match(old, new).by == ["length", "citations", "topic"]


def test_what_is_not_known_of_all_has_no_part() -> None:
    found = match([facts(1, 1000, citations=None)], [facts(11, 1000, citations=40, topic="Human")])
    assert found.by == ["length"]
    assert len(found.pairs) == 1


def test_what_is_left_between_them_is_told() -> None:
    old, new = [facts(n, 1000) for n in range(20)], [facts(100 + n, 1100 + 400 * n) for n in range(20)]
    found = match(old, new)
    assert found.pairs
    scale = np.log([one.words for one in (*old, *new)]).std()
    by_id = {one.page_id: one.words for one in new}
    apart = [np.log(1000) - np.log(by_id[one.new_page_id]) for one in found.pairs]
    assert found.imbalance["length"] == pytest.approx(np.mean(apart) / scale)
    assert found.imbalance["citations"] == 0


ARTICLES = st.lists(st.tuples(st.integers(1, 10**6), st.integers(0, 500)), max_size=12)


@given(ARTICLES, ARTICLES)
def test_no_article_is_in_two_pairs(old: list[tuple[int, int]], new: list[tuple[int, int]]) -> None:
    found = match([facts(n, *one) for n, one in enumerate(old)], [facts(n, *one) for n, one in enumerate(new)]).pairs
    assert len({one.old_page_id for one in found}) == len({one.new_page_id for one in found}) == len(found)
