"""What an article says to a claim: its sentences, by BM25."""

import bm25s
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluators.claims.article_evidence import ArticleEvidence
from evaluators.claims.bm25 import K1, TOP, B, SmallIndex, best, words
from evaluators.claims.claim import Evidence, Passage

MILL = "The mill at Holm was built in 1784. It ground rye. A fire destroyed the mill in 1902. Nobody was hurt."


def found(text: str, claim: str) -> list[str]:
    return [passage.text for passage in ArticleEvidence("Holm", text).passages([claim], "Holm")[0]]


def test_a_passage_names_its_page_and_its_place() -> None:
    evidence: Evidence = ArticleEvidence("Holm", MILL)
    assert evidence.passages(["They ground rye.", "Dogs bark."], "another title") == [
        [Passage(title="Holm", sentence=1, text="It ground rye.")],
        [],
    ]


def test_the_rarer_the_words_shared_the_earlier_the_passage() -> None:
    assert found(MILL, "The mill burnt in the fire.") == [
        "A fire destroyed the mill in 1902.",
        "The mill at Holm was built in 1784.",
    ]


def test_one_score_by_hand() -> None:
    # "rye" stands in one of four sentences, once among its three words; (8 + 3 + 7 + 3) / 4 words are the mean length.
    scores = SmallIndex(["The mill at Holm was built in 1784.", "It ground rye.", MILL[50:84], "Nobody was hurt."])
    expected = np.log(1 + 3.5 / 1.5) * 1 / (1 + 1.5 * (0.25 + 0.75 * 3 / 5.25))
    assert scores.scores("rye") == pytest.approx([0, expected, 0, 0])


def test_no_more_than_the_best_are_passages_and_equal_ones_stand_in_their_order() -> None:
    text = " ".join(f"Rye number {place} grew." for place in range(9))
    assert found(text, "rye") == [f"Rye number {place} grew." for place in range(TOP)]


@pytest.mark.parametrize(
    ("text", "claim", "passages"),
    [
        ("", "anything", []),
        ("no end at all", "end", []),
        ("One sentence.", "one", ["One sentence."]),
        ("One sentence.", "", []),
        ("One sentence.", "?!", []),
        ("ولدت ليلى في حلب. ماتت في دمشق.", "ليلى من حلب", ["ولدت ليلى في حلب."]),
        ("猫は寝た。犬は走った。", "犬", ["犬は走った。"]),
        ("The 🙂 won. It rained.", "🙂", []),
        ("ISTANBUL grew. It rained.", "istanbul", ["ISTANBUL grew."]),
    ],
)
def test_any_text_in_any_script(text: str, claim: str, passages: list[str]) -> None:
    assert found(text, claim) == passages


SENTENCES = st.lists(st.lists(st.sampled_from("abcdefg"), min_size=1, max_size=8).map(" ".join), min_size=1, max_size=9)


@given(SENTENCES, st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=6))
def test_scores_are_those_of_bm25s_to_the_bit(sentences: list[str], claim: list[str]) -> None:
    package = bm25s.BM25(k1=K1, b=B, method="lucene")
    package.index([words(sentence) for sentence in sentences], show_progress=False)
    assert SmallIndex(sentences).scores(" ".join(claim)).tolist() == package.get_scores(claim).tolist()


@given(st.lists(st.sampled_from([0.0, 0.5, 1.0, 2.0]), max_size=12), st.integers(1, 5))
def test_the_best_are_those_above_nothing_by_score_and_then_by_place(scores: list[float], top: int) -> None:
    ranked = sorted((-score, place) for place, score in enumerate(scores) if score > 0)
    assert best(np.array(scores, np.float32), top) == [place for _, place in ranked[:top]]
