"""What a text adds to its prompt: saying the prompt again gains nothing."""

from math import sqrt

import pytest

from evaluators.analysis import Analysis, Analyst
from evaluators.embedding import Embedder, load_embedder
from evaluators.new_content import entity_precision_new, entity_recall_new, sbert_new
from evaluators.scoring import fingerprint, made_by
from evaluators.semantic import sbert
from evaluators.tagger import Mention, Tagger
from newwiki.records import Unscorable
from newwiki.registry import evaluators
from tests.evaluators.handmade import compass

PROMPT = "Ada Varn\n\nAda Varn was a builder of bridges from Orlo."
SENTENCE = "Ada Varn was a builder of bridges from Orlo."
ARTICLE = "Born in Bergen, Ada Varn built the Halden Bridge. She died in Rome."
PARTS = {"embedding", "new_embedding"}
NAMES = ("Ada Varn", "Varn", "Orlo", "Bergen", "Halden Bridge", "Rome", "Paris")


def naming(text: str) -> Analysis:
    """The text with its names marked, the longest first."""
    places = [(text.index(name), name) for name in NAMES if name in text]
    longest = [one for one in places if not any(other is not one and one[1] in other[1] for other in places)]
    mentions = tuple(Mention(start, start + len(name), "NAME") for start, name in sorted(longest))
    return Analysis(text, PROMPT, {"mentions": mentions})


@pytest.fixture(scope="module")
def compass_analyst(tmp_path_factory: pytest.TempPathFactory) -> Analyst:
    """Of a model to which "river" is (1, 0) and "bridge" (0, 1)."""
    return Analyst(load_embedder(str(compass(tmp_path_factory.mktemp("compass"), words=30)), "float32"))


@pytest.mark.by_hand("sbert_new")
def test_sbert_of_what_is_new_by_hand(compass_analyst: Analyst) -> None:
    # The prompt has five rivers. Without them the text is three bridges and four rivers: (4, 3) / 5.
    text, prompt = "river " * 5 + "bridge bridge bridge river river river river", "river " * 5
    here, river, bridge = compass_analyst.analyse([text, "river", "bridge"], PARTS, [prompt, "", ""])
    assert sbert_new(here, river) == pytest.approx(4 / 5)
    assert sbert_new(here, bridge) == pytest.approx(3 / 5)
    assert sbert(here, river) == pytest.approx(9 / sqrt(9**2 + 3**2))


def test_saying_only_the_prompt_again_scores_zero(analyst: Analyst) -> None:
    again, over_and_over, article = analyst.analyse([SENTENCE, f"{SENTENCE} " * 9, ARTICLE], PARTS, [PROMPT] * 3)
    assert sbert_new(again, article) == sbert_new(over_and_over, article) == 0.0
    assert isinstance(sbert(again, article), float)


@pytest.mark.parametrize("text", ["", "🙂", "..."])
def test_text_without_words_has_no_score(analyst: Analyst, text: str) -> None:
    here, article = analyst.analyse([text, ARTICLE], PARTS, [PROMPT] * 2)
    assert sbert_new(here, article) == Unscorable("no words")
    assert sbert_new(article, here) == Unscorable("the reference has no words")


def test_text_without_copied_spans_has_the_number_of_sbert(analyst: Analyst) -> None:
    here, article = analyst.analyse(["She drew bridges in Rome.", ARTICLE], PARTS, [PROMPT] * 2)
    assert sbert_new(here, article) == sbert(here, article)


def test_each_different_text_is_embedded_once(embedder: Embedder, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    embed = Embedder._embed

    def counted(self: Embedder, texts: list[str], *, whole: bool) -> object:
        read.extend(texts)
        return embed(self, texts, whole=whole)

    monkeypatch.setattr(Embedder, "_embed", counted)
    texts = [ARTICLE, SENTENCE, f"{SENTENCE} {ARTICLE}"]
    made = embedder.make([PROMPT] * 3, texts, PARTS)
    assert read == texts  # the third is the first without the sentence
    assert made["new_embedding"][1] is None
    assert (made["new_embedding"][2] == made["embedding"][0]).all()
    read.clear()
    assert (embedder.make([PROMPT], texts[2:], {"new_embedding"})["new_embedding"][0] == made["embedding"][0]).all()
    assert read == [ARTICLE]


def test_rules_for_spans_belong_to_what_depends_on_them_alone(embedder: Embedder) -> None:
    fingerprints = {
        name: fingerprint(evaluators.get(name), Analyst(embedder)).parameters for name in ("sbert", "sbert_new")
    }
    assert "spans" in fingerprints["sbert_new"] and "spans" not in fingerprints["sbert"]
    assert made_by(embedder, "new_embedding") != made_by(embedder, "embedding") == made_by(embedder, "prompt_embedding")


@pytest.mark.by_hand("entity_recall_new", "entity_precision_new")
def test_new_entities_by_hand() -> None:
    # New in the article: Bergen, Halden Bridge, Rome. New in the text: Bergen, Rome, Paris.
    text = naming(f"{SENTENCE} Varn went from Bergen to Rome and Paris.".replace("Varn went", "She went"))
    article = naming(ARTICLE)
    assert entity_recall_new(text, article) == pytest.approx(2 / 3)
    assert entity_precision_new(text, article) == pytest.approx(2 / 3)


def test_part_of_a_name_in_the_prompt_is_not_new() -> None:
    assert entity_precision_new(naming("Varn liked Rome."), naming(ARTICLE)) == 1


def test_prompt_again_names_nothing_new() -> None:
    assert entity_recall_new(naming(SENTENCE), naming(ARTICLE)) == 0
    assert entity_precision_new(naming(SENTENCE), naming(ARTICLE)) == Unscorable("no new entities in the text")
    assert entity_recall_new(naming(ARTICLE), naming(SENTENCE)) == Unscorable("no new entities in the reference")


def test_mentions_in_repeated_spans_do_not_count() -> None:
    """The article says that it was Rome, and the text names it only in a span that it repeats from itself."""
    text = "they all went to Rome, they all went to Rome"
    analysis = Analysis(text, PROMPT, {"mentions": [[text.rindex("Rome"), len(text), "GPE"]]})
    assert entity_recall_new(analysis, naming(ARTICLE)) == 0


@pytest.mark.slow
def test_article_is_far_above_its_first_sentence_and_another_text(rules: Tagger, embedder: Embedder) -> None:
    texts = [ARTICLE, f"{SENTENCE} " * 3, "Tomato soup should simmer for an hour in Paris."]
    article, *others = Analyst(rules, embedder).analyse(texts, {*PARTS, "mentions"}, [PROMPT] * 3)
    for metric in (sbert_new, entity_recall_new):
        highest = max(float(metric(text, article)) for text in others)
        assert float(metric(article, article)) == pytest.approx(1) and highest < 0.2
