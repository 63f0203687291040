"""Where sentences end, and that a tokenizer's pieces do not hide it."""

from pathlib import Path

import pytest
from transformers import AutoTokenizer

from newwiki.decoding.sentence_end import SentenceEnd, ends_sentence
from newwiki.text.language import load_language

TEXT = (
    "Dr. A. Milne was born in the U.S. in 1904. “He wrote books!” she said (see p. 3).\nWho was he? He died at home, "
    'as "The Times" put it, "in peace."  Smith et al. disagree… The end.'
)


@pytest.mark.parametrize(
    "text",
    [
        "He went home.", "He went home. ", "Really?", "No way!", "What?!", "he said.”", 'he said."', "(it was so.)",
        "and so on...", "in 1904.", "the band U2.", "it was so.’ \t", "home .", ".", "[so it is!]", "the word amen.",
    ],
)  # fmt: skip
def test_a_sentence_ends(text: str) -> None:
    assert ends_sentence(text, load_language("en"))


@pytest.mark.parametrize(
    "text",
    [
        "He went home", "He went home,", "", " ", "“", "Dr.", "met Dr. ", "in the U.S.", "in the U.S. ", "(the U.K.)",
        "at 5 p.m.", "by A.", "by J. R. R.", "Smith et al.", "from Jan.", "e.g.", "vs.", "(Mr.", "3.5", "1.) and",
    ],
)  # fmt: skip
def test_a_sentence_goes_on(text: str) -> None:
    assert not ends_sentence(text, load_language("en"))


def test_a_token_ends_what_its_text_with_the_seven_before_ends(toy_checkpoint: Path) -> None:
    """And the tokens that are known beforehand to end nothing do end nothing."""
    tokenizer = AutoTokenizer.from_pretrained(toy_checkpoint)
    sentence = SentenceEnd(tokenizer)
    tokens = tokenizer(TEXT)["input_ids"]
    ends = []
    for place, token in enumerate(tokens):
        text = tokenizer.decode(tokens[max(0, place - 7) : place + 1])
        line_break = "\n" in tokenizer.decode([token])
        assert sentence(tokens[:place], token) == (line_break or ends_sentence(text, load_language("en")))
        if sentence(tokens[:place], token):
            ends.append(tokenizer.decode(tokens[: place + 1]))
    for end in ["1904.", "books!”", "3).", "\n", "he?", 'peace."', "The end."]:
        assert any(text.endswith(end) for text in ends)
    assert not any(text.endswith(("Dr.", "A.", "U.S.", "p.", "al.", "Times", 'Times"')) for text in ends)


def test_a_token_beyond_the_tokenizer_ends_nothing(toy_checkpoint: Path) -> None:
    tokenizer = AutoTokenizer.from_pretrained(toy_checkpoint)
    assert not SentenceEnd(tokenizer)([], len(tokenizer))


def test_any_piece_of_a_closing_quotation_mark_may_be_the_last(toy_checkpoint: Path) -> None:
    """” is three bytes: the token that ends it may have no text of its own."""
    tokenizer = AutoTokenizer.from_pretrained(toy_checkpoint)
    sentence = SentenceEnd(tokenizer)
    *before, last = tokenizer("so it is.”")["input_ids"]
    assert sentence(before, last)
