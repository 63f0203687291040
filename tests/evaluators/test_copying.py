"""What a text has from its article word for word, counted by hand and by looking everywhere."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluators.analysis import Analysis
from evaluators.copying import copying
from newwiki.records import Unscorable

ARTICLE = Analysis("The bridge over the Lumen was built in 1820 by Ada Varn, and burnt down in 1901.")


def of(text: str, prompt: str = "", article: Analysis = ARTICLE) -> dict[str, float | Unscorable]:
    return copying(Analysis(text, prompt), article)


@pytest.mark.by_hand("copied_span", "copied_5grams")
@pytest.mark.parametrize(
    ("text", "prompt", "span", "grams"),
    [
        # "was built in 1820 by" and 4 words before: of 12 words 8 grams, those that end at by, ada, varn are copied
        ("It is known that it was built in 1820 by Ada Varn.", "", 7, 3 / 8),
        ("Nothing here is from there at all.", "", 0, 0),
        ("THE BRIDGE, over the LUMEN!", "", 5, 1),
        # What the prompt says is no copying …
        ("The bridge over the Lumen fell.", "The bridge over the Lumen.", 0, 0),
        # … but what goes beyond it is: the whole run, and the grams that the prompt has not
        ("The bridge over the Lumen was built.", "The bridge over the Lumen.", 7, 2 / 3),
        ("Lumen Lumen", "", 1, Unscorable("fewer than 5 words")),
    ],
)
def test_by_hand(text: str, prompt: str, span: float, grams: float | Unscorable) -> None:
    assert of(text, prompt) == {"copied_span": span, "copied_5grams": grams}


@pytest.mark.parametrize(("text", "reason"), [("", "no words"), ("🙂 …", "no words")])
def test_without_words_there_is_nothing_to_copy(text: str, reason: str) -> None:
    assert set(of(text).values()) == {Unscorable(reason)}
    assert set(of("a b", article=Analysis(text)).values()) == {Unscorable(f"the reference has {reason}")}


def test_an_article_that_was_written_down_whole_is_one_run() -> None:
    words = len(ARTICLE.text.split())
    assert of(ARTICLE.text) == {"copied_span": words, "copied_5grams": 1.0}


def test_scripts_that_go_the_other_way() -> None:
    hebrew = Analysis("העיר אורלו שוכנת על גדות הנהר לומן ויש בה גשר")
    assert of("ידוע כי העיר אורלו שוכנת על גדות הנהר", article=hebrew) == {"copied_span": 6, "copied_5grams": 0.5}


def _runs(words: list[str]) -> set[tuple[str, ...]]:
    return {tuple(words[a:b]) for a in range(len(words)) for b in range(a + 1, len(words) + 1)}


WORDS = st.lists(st.sampled_from("abc"), min_size=1, max_size=12)


@given(WORDS, WORDS, WORDS)
def test_the_longest_run_at_each_end_is_the_one_that_counts(
    text: list[str], article: list[str], prompt: list[str]
) -> None:
    """Looking at every run that ends at each word."""
    known, asked = _runs(article), _runs(prompt)
    longest = 0
    for end in range(1, len(text) + 1):
        here = [tuple(text[start:end]) for start in range(end) if tuple(text[start:end]) in known]
        whole = max(here, key=len, default=())
        longest = max(longest, len(whole) if whole and whole not in asked else 0)
    found = of(" ".join(text), " ".join(prompt), Analysis(" ".join(article)))
    assert found["copied_span"] == longest
    grams = [tuple(text[start : start + 5]) for start in range(len(text) - 4)]
    if grams:
        assert found["copied_5grams"] == sum(gram in known and gram not in asked for gram in grams) / len(grams)
