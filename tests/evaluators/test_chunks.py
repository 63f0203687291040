"""Texts in chunks, by a tokenizer that gives a token a word or mark, and two more a chunk."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluators.networks.chunks import Chunk, cut, first_chunk
from tests.evaluators.classifiers import WORDS, tokenizer

TOKENIZER = tokenizer()
CLS, SEP, GOOD, BAD = 2, 3, 4, 5


def test_chunks_by_hand() -> None:
    """A window of 4 has room for two words between [CLS] and [SEP]; the last chunk has what is left."""
    assert cut(TOKENIZER, "good bad good", 4) == [Chunk((CLS, GOOD, BAD, SEP), 2), Chunk((CLS, GOOD, SEP), 1)]


@pytest.mark.parametrize("text", ["", " \n"])
def test_a_text_without_tokens_is_a_chunk_of_no_size(text: str) -> None:
    assert cut(TOKENIZER, text, 8) == [Chunk((CLS, SEP), 0)]


def test_half_a_surrogate_pair_is_read_as_a_question_mark() -> None:
    assert cut(TOKENIZER, "good \ud800", 8) == cut(TOKENIZER, "good ?", 8)


@given(st.lists(st.sampled_from([*WORDS, "x" * 200, "\n", ""]), max_size=80).map(" ".join), st.integers(4, 16))
def test_the_first_chunk_is_the_first_of_all(text: str, window: int) -> None:
    assert first_chunk(TOKENIZER, text, window) == cut(TOKENIZER, text, window)[0]
