import json
from pathlib import Path

import pyphen
import pytest
import textstat
from hypothesis import given
from hypothesis import strategies as st
from textstat.backend.utils._get_lang_easy_words import get_lang_easy_words

from evaluators.counts import count_readability, count_tokens, terms
from evaluators.easy_words import EASY_WORDS

PROSE = st.text(alphabet="abcdefg tsd'.!?,-–é\n 1(", max_size=200)


@given(PROSE)
def test_words_are_those_of_textstat(text: str) -> None:
    assert count_readability(text).words == textstat.lexicon_count(text)


@given(PROSE)
def test_sentences_are_those_of_textstat_but_for_its_least_of_one(text: str) -> None:
    assert max(1, count_readability(text).sentences) == max(1, textstat.sentence_count(text))


def test_syllables_are_hyphenation_points() -> None:
    # pyphen's English dictionary: read-abil-i-ty, and no break in "area" where a dictionary of speech has three.
    assert count_readability("readability").syllables == 4
    assert count_readability("area").syllables == len(pyphen.Pyphen(lang="en_US").positions("area")) + 1 == 1


def test_complex_words_have_three_syllables_and_are_not_easy() -> None:
    assert count_readability("An animal of considerable readability.").complex_words == 2


def test_easy_words_are_those_of_textstat_that_could_be_complex() -> None:
    hyphenation = pyphen.Pyphen(lang="en_US")
    theirs = {word for word in get_lang_easy_words("en") if len(hyphenation.positions(word)) >= 2}
    # A word loses its hyphen with all punctuation before it is looked up.
    assert {word for word in theirs if "-" not in word} == EASY_WORDS


def test_words_of_another_script_have_no_syllables_to_tell() -> None:
    counts = count_readability("这是第一句话。 Это предложение.")
    assert counts.words == 3
    assert counts.latin_words == 0


@pytest.mark.parametrize("text", ["", "   \n", "... !? —", "🙂 🎉"])
def test_a_text_without_words_counts_none(text: str) -> None:
    counts = count_readability(text)
    assert (counts.words, counts.sentences, counts.syllables) == (0, 0, 0)


def test_ten_megabytes_are_counted_like_their_parts() -> None:
    sentence = "The quick brown fox jumps over the lazy dog. "
    text = sentence * (10_000_000 // len(sentence))
    one, many = count_readability(sentence), count_readability(text)
    assert (many.words, many.sentences) == (one.words * 222222, one.sentences * 222222)
    assert count_tokens(text) == 10 * 222222


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("Don't stop.", 4),
        ("The U.S. paid $10,000 (of 3.5 million).", 11),
        ("It's 2024–25.", 4),
        ("¿Qué?", 3),
    ],
)
def test_tokens_are_words_and_punctuation_marks(text: str, tokens: int) -> None:
    assert count_tokens(text) == tokens


def test_terms_are_words_without_case_or_marks_and_single_characters_where_there_are_no_spaces() -> None:
    assert terms("The *Straße* of 1999: 中文 3.5, مرحبا!") == [
        "the",
        "strasse",
        "of",
        "1999",
        "中",
        "文",
        "3",
        "5",
        "مرحبا",
    ]


ARTICLES = Path(__file__).parents[2] / "../shared/data/articles/wikipedia_english_20240601to20240615.json"


@pytest.mark.slow
@pytest.mark.skipif(not ARTICLES.exists(), reason="needs real articles beside the repository")
def test_tokens_are_spacys_within_one_per_cent_on_real_articles() -> None:
    import spacy

    articles = json.loads(ARTICLES.read_text())[:200]
    nlp = spacy.blank("en")
    theirs = sum(not token.is_space for article in articles for token in nlp(article))
    assert sum(map(count_tokens, articles)) == pytest.approx(theirs, rel=0.01)
