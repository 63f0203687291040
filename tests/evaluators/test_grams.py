from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping

from hypothesis import given
from hypothesis import strategies as st
from nltk.util import ngrams

from evaluators.grams import KnownGrams, count_grams

TEXTS = st.lists(st.lists(st.sampled_from("abc"), max_size=9), max_size=5)
Where = tuple[tuple[int, int], ...]


def where(rows: Iterable[tuple[int, Hashable, int]]) -> Mapping[Hashable, Where]:
    """The texts that each n-gram is in, and how often."""
    found = defaultdict(list)
    for text, gram, count in rows:
        found[gram].append((text, count))
    return {gram: tuple(sorted(places)) for gram, places in found.items()}


def counted(texts: list[list[str]], n: int) -> Mapping[Hashable, Where]:
    return where((place, *row) for place, text in enumerate(texts) for row in Counter(ngrams(text, n)).items())


@given(TEXTS)
def test_ngrams_are_counted_as_one_by_one(texts: list[list[str]]) -> None:
    before: Mapping[Hashable, Where] = {}
    for n, grams in enumerate(count_grams(texts, 4), start=1):
        rows = list(zip(grams.text.tolist(), grams.gram.tolist(), grams.count.tolist(), strict=True))
        here, expected = where(rows), counted(texts, n)
        assert rows == sorted(rows)
        assert set(here) == set(range(grams.different))
        if n == 1:
            assert sorted(here.values()) == sorted(expected.values())
            assert not grams.prefix.any()
        else:
            shorter = counted(texts, n - 1)
            pairs = sorted((here[gram], before[prefix]) for gram, prefix in enumerate(grams.prefix.tolist()))
            assert pairs == sorted((places, shorter[gram[:-1]]) for gram, places in expected.items())  # type: ignore[index]
        before = here


@given(st.lists(st.sampled_from("abc"), max_size=12), st.lists(st.sampled_from("abcd"), max_size=12))
def test_what_two_texts_share_is_what_their_counters_share(known: list[str], text: list[str]) -> None:
    expected = [(Counter(ngrams(known, n)) & Counter(ngrams(text, n))).total() for n in range(1, 5)]
    assert KnownGrams(known, 4).shared(text) == expected
