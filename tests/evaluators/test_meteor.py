"""METEOR with exact words and stems is nltk's where WordNet knows no synonym."""

import random
from typing import Any

import pytest
from nltk.translate.meteor_score import single_meteor_score

from evaluators.meteor import References

WORDS = ["the", "The", "mill", "mills", "milling", "milled", "burnt", "burn", "burns", "by", "river", "Rivers", "old"]


class NoSynonyms:
    """In WordNet's place, which is data that no package brings."""

    def synsets(self, word: str) -> list[Any]:
        return []


def nltks(reference: list[str], text: list[str]) -> float:
    return float(single_meteor_score(reference, text, wordnet=NoSynonyms()))


def test_it_is_the_best_of_nltks_over_all_references() -> None:
    draw = random.Random(0)
    texts, references = (
        [[draw.choice(WORDS) for _ in range(draw.randrange(1, 14))] for _ in range(many)] for many in (40, 25)
    )
    known = References([tuple(one) for one in references])
    for text in texts:
        best = max(nltks(reference, text) for reference in references)
        assert known.meteor_exact_stem([tuple(text)]) == pytest.approx(best)


def test_stems_match_where_words_do_not() -> None:
    """Two of two words match in one chunk: 1 - 0.5 (1 / 2)^3."""
    assert References([("mills", "burnt")]).meteor_exact_stem([("Milling", "burnt")]) == pytest.approx(0.9375)


def test_of_several_texts_it_is_the_mean_and_nothing_in_common_is_0() -> None:
    known = References([("mills", "burnt"), ()])
    assert known.meteor_exact_stem([("mills", "burnt"), ("rivers",), ()]) == pytest.approx(0.9375 / 3)
