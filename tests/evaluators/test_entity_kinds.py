"""People, places and organizations of two texts, each compared by itself."""

import pytest

from evaluators.analysis import Analysis, Analyst
from evaluators.entities import load_tagger
from evaluators.entity_kinds import entity_kinds
from evaluators.tagger import Mention, Tagger
from newwiki.records import Unscorable

ARTICLE = [("Ada Varn", "PERSON"), ("Orlo", "GPE"), ("Lumen", "LOC"), ("UN", "ORG"), ("2013", "DATE")]


def having(*named: tuple[str, str]) -> Analysis:
    text, mentions = "words", []
    for name, label in named:
        mentions.append(Mention(len(text) + 1, len(text) + 1 + len(name), label))
        text += f" {name}"
    return Analysis(text, parts={"mentions": tuple(mentions)})


def of(*named: tuple[str, str]) -> list[float | Unscorable]:
    """The overlaps of people, places and organizations with the article."""
    return [*entity_kinds(having(*named), having(*ARTICLE)).values()]


@pytest.mark.by_hand("entity_overlap_people", "entity_overlap_places", "entity_overlap_organizations")
def test_each_kind_by_hand() -> None:
    # People 1 of 2, places 1 of 3 (Orlo of Orlo, Lumen, Rome), organizations 0 of 2.
    named = [("ADA VARN", "PERSON"), ("Bo", "PERSON"), ("Orlo", "GPE"), ("Rome", "GPE"), ("EU", "ORG")]
    assert of(*named) == [1 / 2, pytest.approx(1 / 3), 0]


def test_name_of_another_kind_is_another_entity() -> None:
    assert of(("UN", "PERSON")) == [0, 0, 0]


@pytest.mark.parametrize(
    "labels",
    [("PER", "LOC", "ORG"), ("persName", "placeName", "orgName"), ("person", "country or city", "organization")],
)
def test_labels_of_other_pipelines_are_known(labels: tuple[str, str, str]) -> None:
    text = having(*zip(("Ada Varn", "Orlo", "UN"), labels, strict=True))
    assert [*entity_kinds(text, text).values()] == [1, 1, 1]


def test_kind_that_neither_text_names_has_no_number() -> None:
    text = having(("Orlo", "GPE"), ("yesterday", "DATE"))
    assert [*entity_kinds(text, text).values()] == [
        Unscorable("no people in either text"),
        1,
        Unscorable("no organizations in either text"),
    ]


@pytest.mark.slow
def test_rules_tell_no_kinds_apart_and_name_the_remedy(rules: Tagger) -> None:
    text, silent = Analyst(rules).analyse(["Anna Berg went to Oslo.", "so it is."], {"mentions"})
    for pair in ((text, text), (text, silent), (silent, text)):
        assert all("--entities spacy:" in one.reason for one in entity_kinds(*pair).values())


def test_texts_without_words_have_no_score() -> None:
    assert set(entity_kinds(having(), Analysis("", parts={"mentions": ()})).values()) == {
        Unscorable("the reference has no words")
    }


def test_one_pass_gives_names_and_kinds() -> None:
    """A trained pipeline tells a person from a place in both languages of labels."""
    pytest.importorskip("en_core_web_sm", reason="no trained pipeline is installed")
    tagger = load_tagger("spacy:en_core_web_sm")
    text = "Barack Obama was born in Honolulu and worked for the United Nations."
    (analysis,) = Analyst(tagger).analyse([text], {"entities", "mentions"})
    assert [text[one.start : one.end] for one in analysis.part("mentions")] == list(analysis.named())
    assert {one.label for one in analysis.part("mentions")} == {"PERSON", "GPE", "ORG"}
    assert [*entity_kinds(analysis, analysis).values()] == [1, 1, 1]
