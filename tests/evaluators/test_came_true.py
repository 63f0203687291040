"""What a later edition of an article adds to the first, and which of it a text has said already."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluators.came_true import Additions, CameTrue, Edition, stated_in, terms
from evaluators.fact_recall import Statements

HOLT, BRUNN, DALE = 1, 2, 3
WORDS = st.lists(st.sampled_from(["oslo", "Berg", "1,234", "7", "0,50", "ärger", "x"]), max_size=12).map(" ".join)


def said(of: Additions, page_id: int, text: str, *mentions: str) -> dict[str, CameTrue]:
    return {one.kind: one for one in of.said(page_id, text, mentions)}


@pytest.fixture
def additions() -> Additions:
    """Holt gains an architect and two infobox values; Brunn a painter; Dale has no infobox that was read."""
    found = Additions()
    found.add(
        HOLT,
        Edition("Holt\n\nHolt is a tower of 1801. Ilse Tarn and Zoë Åberg lived there.", (), [("mayor", "Ilse Tarn")]),
        Edition("", ["Ilse Tarn", "Greta Lindqvist", "Zoe Aberg"], [("mayor", "Hugo Pell; Zoe Aberg"), ("men", "452")]),
    )
    found.add(BRUNN, Edition("Brunn\n\nBrunn is a castle.", (), []), Edition("", ["Otto Varga"], []))
    found.add(DALE, Edition("Dale\n\nDale is a dale.", (), None), Edition("", ["Greta Lindqvist"], [("men", "7")]))
    return found


def test_what_came_true_is_what_the_later_edition_alone_says(additions: Additions) -> None:
    found = said(additions, HOLT, "452 men saw Hugo Pell", "GRETA  Lindqvist", "Ilse Tarn", "Nobody")
    assert found["entity"] == CameTrue("entity", ("greta lindqvist",), 1, 1 / 2)
    assert found["infobox"] == CameTrue("infobox", ("452", "hugo pell"), 2, 0.0)


def test_what_the_first_edition_says_anywhere_is_no_addition(additions: Additions) -> None:
    """Accents make no difference, and neither does whether a tagger finds the name there."""
    assert said(additions, HOLT, "Zoe Aberg in 1801", "Zoe Aberg")["entity"].terms == ()
    assert said(additions, HOLT, "Zoe Aberg in 1801")["infobox"].terms == ()


def test_chance_is_what_another_articles_additions_give(additions: Additions) -> None:
    """Of Brunn's two others each names Greta Lindqvist, and one has an infobox that was read, with Hugo Pell in it."""
    found = said(additions, BRUNN, "Hugo Pell met Greta Lindqvist.", "Hugo Pell", "Greta Lindqvist")
    assert found["entity"] == CameTrue("entity", (), 1, 2 / 2)
    assert found["infobox"] == CameTrue("infobox", (), 0, 1 / 1)


def test_an_infobox_that_was_not_read_says_nothing_and_why(additions: Additions) -> None:
    assert said(additions, DALE, "7 men")["infobox"] == CameTrue("infobox", status="no structure")


def test_one_changed_article_has_no_chance_level() -> None:
    alone = Additions()
    alone.add(HOLT, Edition("Holt.", (), []), Edition("", ["Greta Lindqvist"], []))
    assert said(alone, HOLT, "", "Greta Lindqvist")["entity"] == CameTrue("entity", ("greta lindqvist",), 1, None)


@given(st.lists(st.tuples(WORDS, WORDS), min_size=2, max_size=5), WORDS)
def test_chance_is_the_mean_over_all_others_in_the_place_of_its_own(pages: list[tuple[str, str]], text: str) -> None:
    found = Additions()
    for page_id, (first, later) in enumerate(pages):
        found.add(page_id, Edition(first, (), []), Edition("", later.split(), []))
    mentions = text.split()
    for page_id, (first, _) in enumerate(pages):
        own = Statements.of(first)
        new = {one for one in terms(mentions) if not own.state(one)}
        others = [
            len({one for one in terms(later.split()) if not Statements.of(begun).state(one)} & new)
            for other, (begun, later) in enumerate(pages)
            if other != page_id
        ]
        assert said(found, page_id, text, *mentions)["entity"].chance == pytest.approx(sum(others) / len(others))


@given(WORDS, st.lists(WORDS.map(lambda text: " ".join(text.split()[:6]).lower()), max_size=6))
def test_what_is_looked_up_is_what_a_text_states(text: str, facts: list[str]) -> None:
    known = {fact: 1 for fact in (*facts, "1234", "0.5") if fact}
    assert stated_in(text, known) == {fact for fact in known if Statements.of(text).state(fact)}
