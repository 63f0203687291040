from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluators.analysis import Analysis, Analyst
from evaluators.information import entity_overlap, information_density
from newwiki.records import Unscorable

Named = Callable[[str], Analysis]
NAMES = st.lists(st.sampled_from(["Paris", "New  York", "new york", "Oslo"]), max_size=6)


class GivenTagger:
    """Finds in a text of lines each line."""

    model, model_sha256, packages = "given", None, ()

    def tag(self, texts: Sequence[str]) -> list[list[str]]:
        return [text.splitlines()[1:] for text in texts]


def having(entities: list[str]) -> Analysis:
    return Analyst(GivenTagger()).analyse(["\n".join(["words", *entities])], {"entities"})[0]


def test_information_density_by_hand(named: Named) -> None:
    # Paris, Paris and Oslo among eight tokens, two of which are full stops.
    analysis = named("Paris is not Oslo. Paris sleeps.")
    assert information_density(analysis, analysis) == pytest.approx(3 / 8)


def test_entity_overlap_by_hand() -> None:
    # Two of four different names are in both: case, white space and repetition do not count.
    here, there = having(["Paris", "PARIS", "New  York", "Oslo"]), having(["new york", "paris", "Bergen"])
    assert entity_overlap(here, there) == pytest.approx(2 / 4)


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
    assert entity_overlap(named(text), some) == Unscorable("no words")
    assert entity_overlap(some, named(text)) == Unscorable("the reference has no words")


def test_texts_without_entities_say_nothing_but_cannot_be_compared(named: Named) -> None:
    nameless = named("all of it is small.")
    assert information_density(nameless, nameless) == 0
    assert entity_overlap(nameless, nameless) == Unscorable("no entities in either text")
    assert entity_overlap(nameless, named("Oslo sleeps.")) == 0
