import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluators.claims.sentence_processing import LONGEST_CLAIM, claims_of

pytestmark = pytest.mark.slow


@pytest.mark.parametrize(
    ("sentence", "claim"),
    [
        ("She described 43 species.", "Ilse Maradén described 43 species."),
        ("Her father kept a record.", "Ilse Maradén's father kept a record."),
        ("It's a moth.", "Ilse Maradén's a moth."),
        ("They avoid mud.", "Ilse Maradén avoid mud."),
        ("Their toll rose.", "Ilse Maradén's toll rose."),
        ("The botanist described 43 species.", "Ilse Maradén described 43 species."),
        ("The botanist was born here.", "Ilse Maradén was born here."),
        ("The botanist's notes were lost.", "Ilse Maradén's notes were lost."),
        ("The painters' colony grew.", "Ilse Maradén's colony grew."),
        ("The war ended.", "Ilse Maradén ended."),  # the paper's consequence
        ("It is said that he left.", "Ilse Maradén is said that he left."),  # and this one's
        ("The first woman was there.", "The first woman was there."),
        ("The first was lost.", "The first was lost."),
        ("The Admiralty refused.", "The Admiralty refused."),
        ("The capital of Vareska fell.", "The capital of Vareska fell."),
        ("Here she described it.", "Here she described it."),
        ("Hermann left.", "Hermann left."),
        ("“He ran,” she said.", "“He ran,” she said."),
    ],
)
def test_the_head_of_a_sentence_names_the_subject(sentence: str, claim: str) -> None:
    [found] = claims_of(sentence, "Ilse Maradén")
    assert found.text == claim


def test_what_tells_a_title_from_others_is_no_part_of_the_name() -> None:
    [claim] = claims_of("It is small.", "Mercury (planet)")
    assert claim.text == "Mercury is small."


def test_a_sentence_of_more_than_fifty_tokens_is_not_checkable() -> None:
    # spaCy takes the full stop for a token of its own.
    longest, longer = "We" + " saw" * (LONGEST_CLAIM - 2) + ".", "We" + " saw" * (LONGEST_CLAIM - 1) + "."
    assert [claim.checkable for claim in claims_of(f"{longest}\n{longer}", "B")] == [True, False]


def test_a_name_does_not_make_a_sentence_too_long() -> None:
    [claim] = claims_of("He" + " saw" * (LONGEST_CLAIM - 2) + ".", "A name of five words")
    assert claim.checkable


def test_a_word_that_never_ends_is_not_checkable() -> None:
    [claim] = claims_of('"' * 20_000 + "a.", "B")
    assert not claim.checkable


def test_a_sentence_that_breaks_off_is_a_claim() -> None:
    assert [claim.text for claim in claims_of("It grows. The town  was", "Keswane")] == [
        "Keswane grows.",
        "Keswane was",
    ]


@given(st.text(alphabet="aAHe 1.!?。」\n\u00a0\ud800", max_size=60))
def test_claims_stand_where_they_say_one_after_the_other(text: str) -> None:
    claims = claims_of(text, "B")
    places = [place for claim in claims for place in (claim.start, claim.end)]
    assert places == sorted(places)
    assert [claim.sentence for claim in claims] == list(range(len(claims)))
    for claim in claims:
        sentence = text[claim.start : claim.end]
        assert sentence == sentence.strip()
        assert claim.text in (" ".join(sentence.split()), "B" + " ".join(sentence.split())[2:])
