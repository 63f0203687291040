from math import sqrt

import pytest

from evaluators.analysis import Analyst
from evaluators.embedding import Embedder, load_embedder
from evaluators.semantic import embedding_coherence, sbert, sbert_truncated
from newwiki.records import Unscorable
from tests.evaluators.handmade import compass

ARTICLE = "The Halden Bridge is a cable-stayed bridge over the Arve, opened in 2021 after nine years of work."


def score(analyst: Analyst, text: str, reference: str) -> float | Unscorable:
    here, there = analyst.analyse([text, reference], {"embedding"})
    return sbert(here, there)


@pytest.fixture(scope="module")
def seven_at_once(tmp_path_factory: pytest.TempPathFactory) -> Analyst:
    """Of a model that reads seven words at once: "river" is (1, 0) to it and "bridge" (0, 1)."""
    return Analyst(load_embedder(str(compass(tmp_path_factory.mktemp("compass"), words=7)), "float32"))


@pytest.mark.by_hand("sbert", "sbert_truncated")
def test_sbert_and_its_truncated_kin_by_hand(seven_at_once: Analyst) -> None:
    # Four and three words in the first chunk: (4, 3) / 5. One in the second: (0, 1). Weighted by their words, both are
    # 7 (4, 3) / 5 + (0, 1) = (28, 26) / 5.
    texts = ["river " * 4 + "bridge " * 4, "river", "bridge"]
    here, river, bridge = seven_at_once.analyse(texts, {"embedding", "embedding_truncated"})
    assert sbert_truncated(here, river) == pytest.approx(4 / 5)
    assert sbert_truncated(here, bridge) == pytest.approx(3 / 5)
    assert sbert(here, river) == pytest.approx(28 / sqrt(28**2 + 26**2))
    assert sbert(here, bridge) == pytest.approx(26 / sqrt(28**2 + 26**2))


@pytest.mark.by_hand("embedding_coherence")
def test_embedding_coherence_by_hand(seven_at_once: Analyst) -> None:
    # The prompt is (0, 1), the text (4, 3) / 5.
    text, prompt = "river " * 4 + "bridge " * 3, "bridge"
    (here,) = seven_at_once.analyse([text], {"embedding", "prompt_embedding"}, [prompt])
    assert embedding_coherence(here, here) == pytest.approx(3 / 5)


def test_sbert_is_the_cosine_of_sentence_transformers(analyst: Analyst, embedder: Embedder) -> None:
    from sentence_transformers.util import cos_sim

    other = "A road bridge near Halden crosses the river."
    expected = cos_sim(*embedder._transformer.encode([other, ARTICLE])).item()
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


def test_truncated_sbert_is_blind_to_what_comes_after_256_tokens(analyst: Analyst, embedder: Embedder) -> None:
    from sentence_transformers.util import cos_sim

    beginning = "The lighthouse at the cape was built of local granite by the harbour company. " * 25
    texts = [beginning + "The pool won the cup. " * 100, beginning + "Ferns like wet soil. " * 100]
    here, there, other = analyst.analyse([*texts, ARTICLE], {"embedding", "embedding_truncated"})
    assert sbert_truncated(here, there) == pytest.approx(1, abs=1e-6)
    assert sbert(here, there) < 0.95
    expected = cos_sim(*embedder._transformer.encode([texts[0], ARTICLE])).item()
    assert sbert_truncated(here, other) == pytest.approx(expected, abs=1e-5)


def test_truncated_sbert_is_the_same_whether_sbert_is_asked_for_or_not(analyst: Analyst) -> None:
    text = ARTICLE * 40
    (alone,) = analyst.analyse([text], {"embedding_truncated"})
    (beside,) = analyst.analyse([text], {"embedding", "embedding_truncated"})
    assert (alone.embedded("embedding_truncated") == beside.embedded("embedding_truncated")).all()


def test_coherence_is_the_nearness_of_text_and_prompt(analyst: Analyst, embedder: Embedder) -> None:
    prompts = ["Halden Bridge\n\nThe Halden Bridge crosses the Arve.", "Soup\n\nTomato soup is a dish."]
    near, far = analyst.analyse([ARTICLE, ARTICLE], {"embedding", "prompt_embedding"}, prompts)
    here, there = embedder.embed([ARTICLE, prompts[0]])
    assert embedding_coherence(near, near) == pytest.approx(float(here @ there), abs=1e-6)
    assert embedding_coherence(far, far) < embedding_coherence(near, near)


def test_there_is_no_coherence_without_a_prompt_or_a_text(analyst: Analyst) -> None:
    text, empty = analyst.analyse([ARTICLE, ""], {"embedding", "prompt_embedding"}, ["", "A prompt."])
    assert embedding_coherence(text, text) == Unscorable("no prompt")
    assert embedding_coherence(empty, text) == Unscorable("no words")
