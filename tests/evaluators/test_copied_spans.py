"""What a text only repeats, counted by hand and by looking everywhere."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluators.analysis import Analysis
from evaluators.copied_spans import SPAN, marked_words, prompt_copied
from evaluators.counts import located_terms, terms
from newwiki.records import Unscorable

PROMPT = "Lumen Bridge\n\nThe Lumen Bridge is a bridge in Orlo."
NOTHING = Analysis("")


def of(text: str, prompt: str = PROMPT) -> float | Unscorable:
    return prompt_copied(Analysis(text, prompt), NOTHING)


@pytest.mark.by_hand("prompt_copied")
@pytest.mark.parametrize(
    ("text", "share", "new"),
    [
        ("The Lumen Bridge is a bridge in Orlo.", 1, ""),
        ("THE LUMEN BRIDGE – is a bridge! In Orlo", 1, ""),
        # Eight of twelve words; the full stop goes with them.
        ("The Lumen Bridge is a bridge in Orlo. It fell in 1901.", 8 / 12, "It fell in 1901."),
        ("It fell. The Lumen Bridge is a bridge in Orlo, too.", 8 / 11, "It fell. too."),
        # Four words in a row are no span, five are one.
        ("The Lumen Bridge is old.", 0, "The Lumen Bridge is old."),
        ("The Lumen Bridge is a road.", 5 / 6, "road."),
        # The first time that the text says something does not count, the second and third do.
        ("Ada Varn built it in 1820. " * 3, 2 / 3, "Ada Varn built it in 1820."),
        # Each "no" but the first is in a run of five that begins earlier too.
        ("no no no no no no", 5 / 6, "no"),
        # The run over the edge of prompt and text is nowhere in the text.
        ("Orlo is far away.", 0, "Orlo is far away."),
        ("Orlo", 0, "Orlo"),
    ],
)
def test_by_hand(text: str, share: float, new: str) -> None:
    assert of(text) == pytest.approx(share)
    assert marked_words(text, PROMPT).new_text == new


def test_text_without_copied_spans_stays_as_it_is() -> None:
    text = "  «It» fell –\n\nin 1901! 🙂 "
    assert marked_words(text, PROMPT).new_text == text


@pytest.mark.parametrize("text", ["", "🙂 …", "—"])
def test_text_without_words_has_no_share(text: str) -> None:
    assert of(text) == Unscorable("no words")
    assert marked_words(text, PROMPT).new_text == text


def test_without_a_prompt_only_the_text_itself_is_repeated() -> None:
    assert of("one two three four five, one two three four five", "") == 1 / 2


def test_scripts_from_right_to_left_and_without_spaces() -> None:
    hebrew = "העיר אורלו שוכנת על גדות הנהר לומן"
    assert of(f"{hebrew}. יש בה גשר", hebrew) == 7 / 10
    assert of("卢门桥是一座桥。它建于一八二零年。", "卢门桥\n\n卢门桥是一座桥。") == 7 / 15


def test_letters_that_grow_when_case_is_folded_do_not_move_what_follows() -> None:
    text = "İstanbul ẞ ﬃ Straße ends"
    located = located_terms(text)
    assert [word for word, _, _ in located] == terms(text)
    assert [text[start:end] for word, start, end in located if word in ("strasse", "ends")] == ["Straße", "ends"]


def test_mentions_are_copied_only_if_all_their_words_are() -> None:
    text = "The Lumen Bridge is a bridge in Orlo Hill."
    marked = marked_words(text, PROMPT)
    found = {name: marked.is_copied(text.index(name), text.index(name) + len(name)) for name in ("Orlo", "Orlo Hill")}
    assert found == {"Orlo": True, "Orlo Hill": False}
    assert not marked.is_copied(len(text) - 1, len(text))  # the full stop


WORDS = st.lists(st.sampled_from("abc"), max_size=14)


@given(WORDS, WORDS)
def test_a_word_is_copied_where_any_run_around_it_occurs_earlier(text: list[str], prompt: list[str]) -> None:
    """Looking at every run of five words or more."""
    copied = [False] * len(text)
    for start in range(len(text)):
        for end in range(start + SPAN, len(text) + 1):
            run = text[start:end]
            in_prompt = any(prompt[at : at + len(run)] == run for at in range(len(prompt)))
            if in_prompt or any(text[at : at + len(run)] == run for at in range(start)):
                copied[start:end] = [True] * len(run)
    marked = marked_words(" ".join(text), " ".join(prompt))
    assert marked.copied.tolist() == copied
    assert terms(marked.new_text) == [word for word, gone in zip(text, copied, strict=True) if not gone]


def test_time_grows_hardly_faster_than_the_text() -> None:
    text = " ".join(f"word{number * number % 9973}" for number in range(100_000))
    started = time.process_time()
    marked_words(text, PROMPT)
    assert time.process_time() - started < 2
