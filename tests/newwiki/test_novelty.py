import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newwiki.novelty import NEAR_DUPLICATE, WORTH_REPORTING, Index, Sketcher, jaccard

SKETCHER = Sketcher()
WORDS = st.lists(st.sampled_from(["a", "b", "c", "d", "e"]), max_size=30).map(" ".join)


def similarity(one: str, other: str) -> float:
    return jaccard(SKETCHER.sketch(one), SKETCHER.sketch(other))


def grams(text: str) -> set[tuple[str, ...]]:
    words = text.split()
    width = min(5, len(words))
    return {tuple(words[start : start + width]) for start in range(len(words) - width + 1)} if width else set()


def made(words: int, seed: int) -> list[str]:
    return random.Random(seed).choices([f"word{number}" for number in range(5000)], k=words)


@given(WORDS, WORDS)
def test_the_similarity_is_the_jaccard_index_of_the_sets_of_five_grams(one: str, other: str) -> None:
    either = grams(one) | grams(other)
    expected = len(grams(one) & grams(other)) / len(either) if either else 0.0
    assert similarity(one, other) == similarity(other, one) == expected


def test_by_hand() -> None:
    """Six words have two 5-grams; they share one of three."""
    assert similarity("the river rises in the hills", "the river rises in the vale") == pytest.approx(1 / 3)


def test_case_and_punctuation_make_no_difference() -> None:
    assert similarity("The Lumen, a river, rises – in the hills.", "the lumen a river rises in the hills") == 1


def test_texts_without_words_are_like_nothing() -> None:
    assert similarity("", "") == similarity("…", "–") == 0


def test_a_tenth_rewritten_in_one_passage_is_a_near_duplicate_but_not_if_scattered() -> None:
    """A word stands in five 5-grams: 0.9 to the fifth of them survive words changed here and there."""
    original = made(1000, 0)
    passage = [*original[:450], *made(100, 1), *original[550:]]
    changed = set(random.Random(2).sample(range(1000), 100))
    scattered = [f"other{place}" if place in changed else word for place, word in enumerate(original)]
    assert similarity(" ".join(original), " ".join(passage)) == pytest.approx(0.9 / 1.1, abs=0.02)
    survivors = 0.9**5
    expected = survivors / (2 - survivors)
    assert expected < NEAR_DUPLICATE < 0.9 / 1.1 - 0.02
    assert similarity(" ".join(original), " ".join(scattered)) == pytest.approx(expected, abs=0.03)


def test_compared_with_all_at_once_or_in_batches_the_same_is_found() -> None:
    texts = [" ".join(made(300, seed)[:200] + made(100, seed % 7)) for seed in range(40)]
    sketches = [SKETCHER.sketch(text) for text in texts]
    at_once = list(Index(sketches).similar(sketches[0]))
    batches = [sketches[start : start + 9] for start in range(0, 40, 9)]
    in_batches = [Index(batch).similar(sketches[0]) for batch in batches]
    assert at_once == [(9 * b + place, value) for b, batch in enumerate(in_batches) for place, value in batch]
    assert [place for place, _ in at_once] == [0, 7, 14, 21, 28, 35]


def test_what_is_similar_is_found_among_many_and_nothing_else() -> None:
    sketcher, texts = Sketcher(), [made(600, seed) for seed in range(200)]
    others = [sketcher.sketch(" ".join(text)) for text in texts]
    index = Index(others)
    for shared in (600, 500, 250, 150):
        mixed = sketcher.sketch(" ".join(texts[77][:shared] + made(600 - shared, 999)))
        ((place, found),) = index.similar(mixed)
        assert place == 77
        assert found == jaccard(mixed, others[77]) >= WORTH_REPORTING


def test_nothing_is_similar_to_anything_in_an_empty_collection() -> None:
    assert list(Index([]).similar(Sketcher().sketch("one two three four five"))) == []
    assert list(Index([Sketcher().sketch("")]).similar(Sketcher().sketch(""))) == []


@given(
    st.lists(
        st.lists(st.sampled_from(["a b c d e", "f g h i j k", "l", "m n", "o p q r s t"]), max_size=9), max_size=9
    ),
    st.sampled_from([1_000_000, 2]),
)
def test_every_pair_is_found_as_if_it_were_looked_at_alone(sentences: list[list[str]], at_once: int) -> None:
    """Texts of pooled sentences, in which many share many grams; also where they are counted two at a time."""
    sketches = [SKETCHER.sketch(" ".join(text)) for text in sentences]
    index = Index(sketches)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("newwiki.novelty._AT_ONCE", at_once)
        earlier = [list(similar) for similar in index.each_with_earlier()]
        for number, sketch in enumerate(sketches):
            naive = [(place, jaccard(sketch, other)) for place, other in enumerate(sketches)]
            worth_reporting = [pair for pair in naive if pair[1] >= WORTH_REPORTING]
            assert list(index.similar(sketch)) == worth_reporting
            assert earlier[number] == [pair for pair in worth_reporting if pair[0] < number]


def test_a_sketch_is_the_same_today_and_after_other_texts() -> None:
    text = "the lumen is a river of the north that rises in the hills"
    busy = Sketcher()
    busy.sketch(" ".join(made(500, 3)))
    one, other = Sketcher().sketch(text), busy.sketch(text)
    assert (one == other).all()
    assert len(one) == 9


def test_real_new_articles_of_one_kind_are_similar_but_no_duplicates(beside: Callable[[str], Path]) -> None:
    """1,000 articles of two weeks of June 2024. The two most similar ones are about Ourisia macrocarpa and calycina."""
    texts = json.loads(beside("articles/wikipedia_english_20240601to20240615.json").read_text())
    sketches = [SKETCHER.sketch(text) for text in texts]
    index = Index(sketches)
    found = [
        (value, texts[place], texts[other])
        for place, earlier in enumerate(index.each_with_earlier())
        for other, value in earlier
    ]
    value, *most_similar = max(found)
    assert value == pytest.approx(0.40, abs=0.005)
    assert all("\nOurisia" in text for text in most_similar)
