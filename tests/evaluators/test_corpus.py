from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluators.corpus import DRAWS, Corpus, Draw, draw_keys, split_words
from newwiki.errors import TerminalError
from newwiki.records import SetScore, Unscorable

KEYS = st.sets(st.tuples(st.integers(1, 5), st.integers(0, 9)))


def words_of_first(draw: Draw) -> float | Unscorable:
    return float(len(draw.texts[0])) or Unscorable("no words")


@given(KEYS)
def test_every_draw_has_one_text_of_each_page(keys: set[tuple[int, int]]) -> None:
    draws = draw_keys(keys)
    pages = sorted({page_id for page_id, _ in keys})
    assert all(set(draw) <= keys and [page_id for page_id, _ in draw] == pages for draw in draws)
    most = max((sum(page_id == page for page_id, _ in keys) for page in pages), default=0)
    assert len(draws) == min(most, DRAWS)


@given(KEYS)
def test_draws_take_another_text_of_a_page_while_there_is_one(keys: set[tuple[int, int]]) -> None:
    draws = draw_keys(keys)
    for place, (page, _) in enumerate(draws[0] if draws else []):
        there = sum(page_id == page for page_id, _ in keys)
        assert len({draw[place] for draw in draws}) == min(there, len(draws))


def test_draws_do_not_depend_on_the_order_of_texts_or_on_other_pages() -> None:
    keys = [(page, sample) for page in (1, 2, 3) for sample in range(4)]
    assert draw_keys(keys) == draw_keys(reversed(keys))
    assert [draw[:2] for draw in draw_keys(keys)] == draw_keys(key for key in keys if key[0] < 3)


def test_the_mean_over_draws_has_their_standard_deviation() -> None:
    corpus = Corpus({(1, 0): ("a",), (1, 1): ("a", "b", "c")}, {1: ("a",)})
    assert corpus.mean_over_draws(words_of_first) == SetScore(2.0, pytest.approx(2**0.5))
    assert Corpus({(1, 7): ("a",)}, {1: ("a",)}).mean_over_draws(words_of_first) == SetScore(1.0, None)


def test_one_draw_without_a_number_leaves_none() -> None:
    corpus = Corpus({(1, 0): ("a",), (1, 1): ()}, {1: ("a",)})
    assert corpus.mean_over_draws(words_of_first) == Unscorable("no words")
    assert Corpus({}, {}).mean_over_draws(words_of_first) == Unscorable("no texts")


def test_words_are_split_at_white_space_where_that_tells_words() -> None:
    assert split_words("Beijing (北京) is\n large.") == ("Beijing", "(北京)", "is", "large.")
    for text in ("", " \n", "... !? —", "🙂 🎉", "。！"):
        assert split_words(text) == ()
    assert split_words("这是话。") == ("这", "是", "话")


def test_texts_in_which_a_model_found_nothing_have_no_row() -> None:
    parts: dict[tuple[int, int], dict[str, Any]] = {
        (1, 0): {"embedding": np.array([1.0, 0.0])},
        (2, 0): {"embedding": [None, None]},
    }
    corpus = Corpus({}, {}, parts, {1: {}})
    assert corpus.embedded(parts).tolist() == [[1.0, 0.0]]
    assert corpus.embedded([]).shape[0] == 0
    with pytest.raises(TerminalError, match=r'declare needs=\{"embedding"\}'):
        corpus.embedded_references([1])
