"""The golden sentences are invented and labelled by hand, after OntoNotes' kinds of entities, articles left off."""

import hashlib
from collections import Counter
from itertools import pairwise

import pytest
import spacy
from hypothesis import given
from hypothesis import strategies as st

import evaluators.rules
from evaluators.rules import COMPONENT, find_entities, load_rules, set_entities
from evaluators.tagger import Tagger

GOLDEN = [
    (
        "Marta Lindqvist (born 14 March 1987 in Uppsala, Sweden) is a Swedish rower who won two medals "
        "at the 2015 European Rowing Championships.",
        "Marta Lindqvist|14 March 1987|Uppsala|Sweden|Swedish|two|2015 European Rowing Championships",
    ),
    (
        "The Halden Bridge is a 412-metre cable-stayed bridge over the Arve River, opened on June 3, 2021, "
        "by President Alain Corbet.",
        "Halden Bridge|412-metre|Arve River|June 3, 2021|Alain Corbet",
    ),
    (
        "In its first year the company, founded by J. R. Whitcombe and Dr. Ana Souza, sold 12,500 units "
        "and earned $3.4 million.",
        "first year|J. R. Whitcombe|Ana Souza|12,500|$3.4 million",
    ),
    (
        "However, the University of Tarvan rejected the plan in the early 1990s, and only 38% of the students in "
        "the Ministry of Culture survey supported it.",
        "University of Tarvan|early 1990s|38%|Ministry of Culture",
    ),
    (
        "Critics from The Morning Herald praised the film, which runs for 97 minutes and was shot in New Zealand "
        "and South Korea during the winter of 2019.",
        "The Morning Herald|97 minutes|New Zealand|South Korea|winter of 2019",
    ),
    (
        "She moved to the U.S. in 1974, joined Baker, Stone & Sons Ltd. as an engineer, and retired at the age of 61.",
        "U.S.|1974|Baker, Stone & Sons Ltd.|61",
    ),
    (
        "After the Second Battle of Kessel, General Otto von Rahden withdrew 20 kilometres toward the Polish border "
        "with about 3,000 men.",
        "Second Battle of Kessel|Otto von Rahden|20 kilometres|Polish|about 3,000",
    ),
    (
        "Every Tuesday at 9:30 p.m. the BBC broadcasts a show in Welsh; the third season averaged 1.2 million viewers.",
        "Tuesday|9:30 p.m.|BBC|Welsh|third|1.2 million",
    ),
    (
        "Located in the Gulf of Bothnia, the island has 240 inhabitants, most of whom speak Finnish or Russian.",
        "Gulf of Bothnia|240|Finnish|Russian",
    ),
    (
        "Arsenal beat Real Madrid in May 2006, while Saint-Clair finished fourth in the 2005–06 season "
        "of the Premier League.",
        "Arsenal|Real Madrid|May 2006|Saint-Clair|fourth|2005–06|Premier League",
    ),
    (
        "During the 19th century, Irish and Italian families settled along Lake Ontario, where land cost £40 an acre.",
        "19th century|Irish|Italian|Lake Ontario|£40",
    ),
    (
        "They released their debut album, Paper Lanterns, through Northern Sky Records on 1 October.",
        "Paper Lanterns|Northern Sky Records|1 October",
    ),
]


def test_the_golden_sentences_are_tagged_with_strict_f1_of_080(rules: Tagger) -> None:
    found = rules.tag([sentence for sentence, _ in GOLDEN])
    hits = sum(
        (Counter(mine) & Counter(labels.split("|"))).total() for mine, (_, labels) in zip(found, GOLDEN, strict=True)
    )
    labelled = sum(len(labels.split("|")) for _, labels in GOLDEN)
    assert labelled >= 60
    assert 2 * hits / (labelled + sum(map(len, found))) >= 0.8


def test_a_word_at_the_start_of_a_sentence_is_a_name_unless_it_is_also_written_small(rules: Tagger) -> None:
    assert rules.tag(["Rivers are long. He likes rivers.", "Rivers is a novelist."]) == [[], ["Rivers"]]


def test_function_words_begin_no_name(rules: Tagger) -> None:
    assert rules.tag(["In Paris. The Seine. However, Rome. A. J. Ayer came."]) == [
        ["Paris", "Seine", "Rome", "A. J. Ayer"]
    ]


def test_a_name_does_not_cross_a_line(rules: Tagger) -> None:
    assert rules.tag(["Paris\nBerlin"]) == [["Paris", "Berlin"]]


def test_texts_without_names_have_none(rules: Tagger) -> None:
    assert rules.tag(["", "...", "🙂 🎉", "مرحبا بالعالم", "这是第一句话。", "all of it is small"]) == [[]] * 6


def test_the_rules_are_a_spacy_component_that_any_pipeline_takes() -> None:
    load_rules()
    nlp = spacy.blank("de")
    nlp.add_pipe(COMPONENT)
    assert nlp.get_pipe_meta(COMPONENT).assigns == ["doc.ents"]
    assert [entity.text for entity in nlp("Anna Berg wohnt in Oslo.").ents] == ["Anna Berg", "Oslo"]


@pytest.mark.parametrize(
    ("text", "entity", "before", "after"),
    [
        ("in pre-1990s Oslo", "1990s", ["in", "pre-1990s", "Oslo"], ["in", "pre-", "1990s", "Oslo"]),
        ("by Section 377A", "Section 377", ["by", "Section", "377A"], ["by", "Section", "377", "A"]),
        ("the end.Bergen", "Bergen", ["the", "end", ".", "Bergen"], ["the", "end", ".", "Bergen"]),
    ],
)
def test_a_token_is_cut_where_an_entity_begins_or_ends_within_it(
    text: str, entity: str, before: list[str], after: list[str]
) -> None:
    doc = spacy.blank("en")(text)
    assert [token.text for token in doc] == before
    doc = set_entities(doc)
    assert doc.text == text
    assert [token.text for token in doc] == after
    assert entity in [found.text for found in doc.ents]


def test_a_long_text_is_tagged_like_its_parts(rules: Tagger) -> None:
    sentence = "Yesterday Anna Berg of pre-1990s Oslo sold 3 boats for $40. "
    (entities,) = rules.tag([sentence * 4_000])
    assert len(entities) == 4_000 * len(rules.tag([sentence])[0])


def test_the_version_is_the_hash_of_the_rules(rules: Tagger) -> None:
    with open(evaluators.rules.__file__, "rb") as source:
        assert rules.model_sha256 == hashlib.sha256(source.read()).hexdigest()


@given(st.text(alphabet="ABab 19.,–-'$%\nMayof the\ud800\xa0()/", max_size=80))
def test_spacys_entities_are_what_the_rules_find_to_the_character(rules: Tagger, text: str) -> None:
    places = [*find_entities(text)]
    assert all(end <= start for (_, end), (start, _) in pairwise(places))
    assert rules.tag([text]) == [[text[start:end] for start, end in places]]
