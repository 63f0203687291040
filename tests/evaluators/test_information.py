from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluators.analysis import Analysis
from evaluators.information import (
    entities_per_sentence,
    entity_overlap,
    entity_precision,
    entity_recall,
    information_density,
)
from newwiki.records import Unscorable

pytestmark = pytest.mark.slow

Named = Callable[[str], Analysis]
NAMES = st.lists(st.sampled_from(["Paris", "New  York", "new york", "Oslo"]), max_size=6)


def having(entities: list[str]) -> Analysis:
    return Analysis("\n".join(["words", *entities]), parts={"entities": tuple(entities)})


@pytest.mark.by_hand("information_density")
def test_information_density_by_hand(named: Named) -> None:
    # Paris, Paris and Oslo among eight tokens, two of which are full stops.
    analysis = named("Paris is not Oslo. Paris sleeps.")
    assert information_density(analysis, analysis) == pytest.approx(3 / 8)


@pytest.mark.by_hand("entity_overlap")
def test_entity_overlap_by_hand() -> None:
    # Two of four different names are in both: case, white space and repetition do not count.
    here, there = having(["Paris", "PARIS", "New  York", "Oslo"]), having(["new york", "paris", "Bergen"])
    assert entity_overlap(here, there) == pytest.approx(2 / 4)


@pytest.mark.by_hand("entity_precision", "entity_recall")
def test_entity_precision_and_recall_by_hand() -> None:
    # Two of the three names here are among the four there.
    here, there = having(["Paris", "PARIS", "New  York", "Oslo"]), having(["new york", "paris", "Bergen", "Rome"])
    assert entity_precision(here, there) == pytest.approx(2 / 3)
    assert entity_recall(here, there) == pytest.approx(2 / 4)


@given(NAMES.filter(bool), NAMES.filter(bool))
def test_overlap_follows_from_precision_and_recall(mine: list[str], theirs: list[str]) -> None:
    here, there = having(mine), having(theirs)
    precision, recall, overlap = (e(here, there) for e in (entity_precision, entity_recall, entity_overlap))
    assert isinstance(precision, float) and isinstance(recall, float)
    assert precision == entity_recall(there, here)
    # Jaccard from precision and recall: 1 / (1/p + 1/r - 1).
    expected = 1 / (1 / precision + 1 / recall - 1) if precision else 0
    assert overlap == pytest.approx(expected)


@pytest.mark.by_hand("entities_per_sentence")
def test_entities_per_sentence_by_hand(named: Named) -> None:
    # Paris, Paris, Oslo and Anna Berg in three sentences, the last of which is cut off.
    text = named("Paris is not Oslo. Paris sleeps. It was Anna Berg who")
    assert entities_per_sentence(text, text) == pytest.approx(4 / 3)
    stopped = named("in Oslo it just stops")
    assert entities_per_sentence(stopped, stopped) == Unscorable("no sentence end")


@given(NAMES, NAMES.filter(bool))
def test_entity_overlap_is_symmetric_and_a_ratio(mine: list[str], theirs: list[str]) -> None:
    overlap = entity_overlap(having(mine), having(theirs))
    assert overlap == entity_overlap(having(theirs), having(mine))
    assert isinstance(overlap, float)
    assert 0 <= overlap <= 1


def test_an_article_overlaps_itself_wholly(named: Named) -> None:
    analysis = named("Anna Berg went to Oslo.")
    assert entity_overlap(analysis, analysis) == 1


@pytest.mark.parametrize("text", ["", "...", "🙂"])
def test_a_text_without_words_has_no_score(named: Named, text: str) -> None:
    some = named("Anna Berg went to Oslo.")
    assert information_density(named(text), some) == Unscorable("no words")
    assert entities_per_sentence(named(text), some) == Unscorable("no words")
    for compare in (entity_overlap, entity_precision, entity_recall):
        assert compare(named(text), some) == Unscorable("no words")
        assert compare(some, named(text)) == Unscorable("the reference has no words")


def test_texts_without_entities_say_nothing_but_cannot_be_compared(named: Named) -> None:
    nameless = named("all of it is small.")
    assert information_density(nameless, nameless) == 0
    assert entity_overlap(nameless, nameless) == Unscorable("no entities in either text")
    assert entity_overlap(nameless, named("Oslo sleeps.")) == 0
    assert entity_precision(nameless, named("Oslo sleeps.")) == Unscorable("no entities in the text")
    assert entity_recall(nameless, named("Oslo sleeps.")) == 0
    assert entity_recall(named("Oslo sleeps."), nameless) == Unscorable("no entities in the reference")
