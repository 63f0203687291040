import pytest

from evaluators.analysis import Analyst
from evaluators.semantic import sbert
from newwiki.records import Unscorable

ARTICLE = "The Halden Bridge is a cable-stayed bridge over the Arve, opened in 2021 after nine years of work."


def score(analyst: Analyst, text: str, reference: str) -> float | Unscorable:
    here, there = analyst.analyse([text, reference], {"embedding"})
    return sbert(here, there)


def test_sbert_is_the_cosine_of_sentence_transformers(analyst: Analyst) -> None:
    from sentence_transformers.util import cos_sim

    other = "A road bridge near Halden crosses the river."
    expected = cos_sim(*analyst.embedder._transformer.encode([other, ARTICLE])).item()
    assert score(analyst, other, ARTICLE) == pytest.approx(expected, abs=1e-5)


def test_an_article_is_as_near_to_itself_as_can_be(analyst: Analyst) -> None:
    assert score(analyst, ARTICLE, ARTICLE) == pytest.approx(1, abs=1e-6)


def test_nearer_meaning_scores_higher(analyst: Analyst) -> None:
    near = score(analyst, "Work on the bridge across the Arve took nine years.", ARTICLE)
    far = score(analyst, "Tomato soup should simmer for an hour.", ARTICLE)
    assert isinstance(near, float)
    assert isinstance(far, float)
    assert -1 <= far < near <= 1


@pytest.mark.parametrize("text", ["", "...", "🙂"])
def test_a_text_without_words_has_no_score(analyst: Analyst, text: str) -> None:
    assert score(analyst, text, ARTICLE) == Unscorable("no words")
    assert score(analyst, ARTICLE, text) == Unscorable("the reference has no words")


def test_another_script_is_scored(analyst: Analyst) -> None:
    assert isinstance(score(analyst, "هذا نص عربي.", ARTICLE), float)
