"""Which sentences of many pages speak to a claim: those of the pages that it names, then all others, by BM25."""

from collections.abc import Sequence
from pathlib import Path

import bm25s
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evaluators.claims.bm25 import K1, TOP, B, best, words
from evaluators.claims.claim import Evidence, Passage
from evaluators.claims.evidence_index import EvidenceIndex
from evaluators.claims.index_builder import build
from evaluators.sentences import split_sentences
from newwiki.errors import TerminalError
from newwiki.sources.current_revisions import CurrentRevisions
from newwiki.text.language import load_language
from newwiki.text.prose import extract_prose
from tests.evaluators.claims.gold import GOLD
from tests.evaluators.claims.indexes import built, found, silently

PAGES = [
    ("Mercury (planet)", "Mercury is the smallest planet. It has no moon."),
    ("Mercury (element)", "Mercury is a liquid metal. It is poisonous."),
    ("York", "York lies on the Ouse. The Romans founded it."),
    ("New York", "New York lies on the Hudson. The Dutch founded it."),
    ("It", "It is a novel. A clown haunts a town in it."),
    ("Rye", "The Dutch sold rye to the Romans. A metal mill ground it."),
]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> EvidenceIndex:
    return built(PAGES, tmp_path_factory.mktemp("evidence") / "index")


@pytest.fixture(scope="module")
def sample(sample_wiki: Path) -> list[tuple[str, str]]:
    """The sample wiki's pages as they stand, as prose."""
    return [
        (page.title, extract_prose(page.wikitext, load_language("en"), page.title))
        for batch, _ in CurrentRevisions((str(sample_wiki),)).newest()
        for page in batch
    ]


def test_the_gold_evidence_of_nine_claims_in_ten_is_among_the_passages(
    sample: list[tuple[str, str]], tmp_path: Path
) -> None:
    """Recall@5 on the sample wiki."""
    index = built(sample, tmp_path / "index")
    texts = index.passages_of_texts([([one.claim], one.about) for one in GOLD])
    hits = [
        any((passage.title, passage.text[: len(gold.sentence)]) == (gold.page, gold.sentence) for passage in passages)
        for gold, [passages] in zip(GOLD, texts, strict=True)
    ]
    assert len(hits) >= 20
    assert sum(hits) / len(hits) >= 0.9


def test_gold_evidence_is_one_sentence_of_the_wiki_said_in_other_words(sample: list[tuple[str, str]]) -> None:
    sentences = [(title, sentence) for title, text in sample for sentence in split_sentences(text, None)]
    for gold in GOLD:
        [(page, sentence)] = [one for one in sentences if one[1].startswith(gold.sentence)]
        assert page == gold.page
        assert set(words(gold.claim)) != set(words(sentence))
    assert sum(gold.about != gold.page for gold in GOLD) >= 8


def test_an_index_is_evidence_whose_passages_name_page_and_place(index: EvidenceIndex) -> None:
    evidence: Evidence = index
    assert evidence.passages(["A poisonous one."], "no such page")[0][0] == Passage(
        title="Mercury (element)", sentence=1, text="It is poisonous."
    )


def test_the_sentences_of_the_page_that_the_text_is_about_come_first(index: EvidenceIndex) -> None:
    on_york = found(index, "The Dutch founded it.", "York")
    on_new_york = found(index, "The Dutch founded it.", "New York")
    assert on_york[:2] == [("York", "The Romans founded it."), ("York", "York lies on the Ouse.")]
    assert on_new_york[:2] == [("New York", "The Dutch founded it."), ("New York", "New York lies on the Hudson.")]
    assert ("New York", "The Dutch founded it.") in on_york


def test_a_text_with_the_name_of_several_pages_is_about_all_of_them(index: EvidenceIndex) -> None:
    claim = "The planet is of metal."
    assert [title for title, _ in found(index, claim, "Mercury (planet)")][:1] == ["Mercury (planet)"]
    assert {title for title, _ in found(index, claim, "Mercury")[:3]} == {"Mercury (planet)", "Mercury (element)"}


def test_of_titles_within_each_other_the_longest_is_meant(index: EvidenceIndex) -> None:
    of_new_york = [title for title, _ in found(index, "The Romans founded New York.")]
    assert of_new_york[:2] == ["New York", "New York"]
    of_york = [title for title, _ in found(index, "In a new war the Romans founded York.")]
    assert of_york[:2] == ["York", "York"]


def test_a_title_of_one_word_stands_in_a_claim_as_it_is_written(index: EvidenceIndex) -> None:
    assert found(index, "In it a clown haunts a mill.", "Rye")[0][0] == "Rye"
    assert found(index, "In It a clown haunts a mill.")[0] == ("It", "A clown haunts a town in it.")


def test_what_no_page_is_named_for_is_found_all_the_same(index: EvidenceIndex) -> None:
    assert found(index, "a mill of metal")[0] == ("Rye", "A metal mill ground it.")


@pytest.mark.parametrize("claim", ["", "?!", "xylophone"])
def test_a_claim_that_shares_no_word_has_no_passage(index: EvidenceIndex, claim: str) -> None:
    assert found(index, claim, "York") == []


def test_texts_asked_together_get_what_each_gets_alone(index: EvidenceIndex) -> None:
    texts = [(["The Dutch founded it.", ""], "York"), ([], "Rye"), (["Mercury is liquid."], "no such page")]
    assert index.passages_of_texts(texts) == [index.passages(claims, title) for claims, title in texts]


SENTENCE = st.lists(st.sampled_from("abcdefg"), min_size=1, max_size=6).map(" ".join)
PAGE_OF = st.lists(SENTENCE, min_size=1, max_size=4, unique=True)
CLAIM = st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=5)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(PAGE_OF, min_size=1, max_size=4), CLAIM)
def test_passages_are_those_that_bm25s_ranks_highest_on_named_pages_and_then_elsewhere(
    tmp_path_factory: pytest.TempPathFactory, pages: list[list[str]], claim: list[str]
) -> None:
    """The package's own index of the same sentences gives the scores."""
    titled = [(f"Page {place}", sentences) for place, sentences in enumerate(pages)]
    index = built(titled, tmp_path_factory.mktemp("evidence") / "index")
    sentences = [(title, sentence) for title, own in titled for sentence in own]
    package = bm25s.BM25(k1=K1, b=B, method="lucene")
    package.index([words(sentence) for _, sentence in sentences], show_progress=False)
    scores = package.get_scores(claim)
    everywhere = [sentences[place] for place in best(scores, len(sentences))]
    assert found(index, " ".join(claim)) == everywhere[:TOP]
    own = [one for one in everywhere if one[0] == "Page 0"]
    others = [one for one in everywhere if one[0] != "Page 0"]
    assert found(index, " ".join(claim), "Page 0") == (own + others)[:TOP]


@pytest.mark.parametrize(
    ("pages", "claim", "title", "passages"),
    [
        ([("حلب", "ولدت ليلى في حلب. ماتت في دمشق.")], "ليلى من حلب", "", [("حلب", "ولدت ليلى في حلب.")]),
        ([("🙂", "The 🙂 won."), ("Rain", "It won.")], "It won", "🙂", [("🙂", "The 🙂 won."), ("Rain", "It won.")]),
        ([("ß", "A letter.")], "A Letter", "SS", [("ß", "A letter.")]),
        ([("Mill", "One sentence.")], "one", "Mill", [("Mill", "One sentence.")]),
        ([("Empty", ""), ("Blank", [" ", ""]), ("Mill", "A mill.")], "a mill", "Empty", [("Mill", "A mill.")]),
        ([("Mill", ["A  mill\nof rye."])], "rye", "Mill", [("Mill", "A mill of rye.")]),
        ([("(band)", "They play."), ("Mill", "A mill.")], "They mill", "(band)",
         [("(band)", "They play."), ("Mill", "A mill.")]),
    ],
)  # fmt: skip
def test_any_page_in_any_script(
    tmp_path: Path, pages: list[tuple[str, str | Sequence[str]]], claim: str, title: str,
    passages: list[tuple[str, str]],
) -> None:  # fmt: skip
    assert found(built(pages, tmp_path / "index"), claim, title) == passages


def test_pages_with_the_same_title_are_one(tmp_path: Path) -> None:
    pages = [("Mill", f"It ground rye. Mill number {place} stood alone.") for place in range(10_000)]
    index = built(pages, tmp_path / "index")
    assert (index.manifest.pages, index.manifest.sentences, index.manifest.repeated) == (1, 10_001, 9_999)
    assert found(index, "Number 4321 stood there.", "Mill")[0] == ("Mill", "Mill number 4321 stood alone.")


def test_pages_with_the_same_name_are_all_meant(tmp_path: Path) -> None:
    pages = [(f"Mill ({place})", f"It ground {place} bags.") for place in range(10_000)]
    index = built(pages, tmp_path / "index")
    assert found(index, "The Mill ground 4321 bags.")[0] == ("Mill (4321)", "It ground 4321 bags.")
    assert found(index, "It ground bags.", "Mill (77)")[0] == ("Mill (77)", "It ground 77 bags.")


def test_no_sentence_at_all_makes_no_index(tmp_path: Path) -> None:
    with pytest.raises(TerminalError, match="none of the pages has a sentence"):
        build([("Empty", "")], tmp_path / "index", [], silently)
    assert not (tmp_path / "index").exists()
