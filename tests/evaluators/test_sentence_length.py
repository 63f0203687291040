from collections.abc import Callable

import pytest

from evaluators.analysis import Analysis
from evaluators.sentence_length import tokens_per_sentence
from newwiki.records import Unscorable

Counted = Callable[[str], Analysis]


@pytest.mark.slow
@pytest.mark.by_hand("tokens_per_sentence")
def test_tokens_per_sentence_by_hand(counted: Counted) -> None:
    # The / bridge / fell / . and It / did / n't / hold / !
    text = counted("The bridge fell. It didn't hold!")
    assert tokens_per_sentence(text, text) == 4.5
    assert tokens_per_sentence(counted("Hello. " + "X" * 200_000), text) == (2 + 200_000 / 64) / 2


def test_tokens_per_sentence_needs_words_and_a_sentence_end(counted: Counted) -> None:
    assert tokens_per_sentence(counted("..."), counted("")) == Unscorable("no words")
    assert tokens_per_sentence(counted("a text that just stops"), counted("")) == Unscorable("no sentence end")
