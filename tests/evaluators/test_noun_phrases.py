"""Noun phrases: by a parser that is trained here on nine sentences, and by the rule, by hand."""

from pathlib import Path

import pytest
import spacy
from spacy.training import Example
from spacy.util import fix_random_seed

from evaluators.analysis import Analyst
from evaluators.noun_phrases import NOUN_PHRASES, load_phrase_finder, phrases_of
from evaluators.scoring import fingerprint
from newwiki.errors import TerminalError, UsageError

# By hand: RAKE's candidates with spaCy's stop words, less the stop words at their beginning
RULED = [
    ("The old lighthouse of Sarn was built by an engineer.", "old lighthouse|sarn|built|engineer"),
    ("A lighthouse, THE LIGHTHOUSE and\nthe\nlighthouse", "lighthouse"),
    ("A high-speed ferry - and its 12 boats", "high-speed ferry|boats"),
    ("It was his, and they were there.", ""),
    ("12,000 (3.5 %) …", ""),
    ("", ""),
]
_FORMS = (
    "The {0} saw the old {1} .",
    "A {1} saw the {0} .",
    "The {0} saw it .",
)
_WORDS = [("keeper", "lamp"), ("boat", "tower"), ("gull", "bridge")]


@pytest.fixture(scope="module")
def parser(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A pipeline of a morphologizer and a parser that have learnt their nine sentences by heart."""
    nlp = spacy.blank("en", meta={"name": "nine_sentences", "version": "1.0"})
    examples = [_example(nlp, form, words) for form in _FORMS for words in _WORDS]
    nlp.add_pipe("morphologizer")
    nlp.add_pipe("parser", config={"min_action_freq": 1})  # by default labels below 30 become one
    fix_random_seed(0)
    optimizer = nlp.initialize(lambda: examples)
    for _ in range(30):
        nlp.update(examples, sgd=optimizer)
    folder = tmp_path_factory.mktemp("pipelines") / "nine_sentences"
    nlp.to_disk(folder)
    return folder


def _example(nlp: spacy.Language, form: str, words: tuple[str, str]) -> Example:
    text = form.format(*words)
    tokens = text.split()
    subject, verb, thing = 1, 2, len(tokens) - 2
    kinds = {"the": "DET", "a": "DET", "old": "ADJ", "saw": "VERB", "it": "PRON", ".": "PUNCT"}
    heads = dict.fromkeys(range(3, thing), thing) | {
        0: subject,
        subject: verb,
        verb: verb,
        thing: verb,
        thing + 1: verb,
    }
    deps = {subject: "nsubj", verb: "ROOT", thing: "dobj", thing + 1: "punct"}
    told = {
        "pos": [kinds.get(token.lower(), "NOUN") for token in tokens],
        "heads": [heads[at] for at in range(len(tokens))],
        "deps": [deps.get(at, "amod" if tokens[at] == "old" else "det") for at in range(len(tokens))],
    }
    return Example.from_dict(nlp.make_doc(text), told)


@pytest.mark.parametrize(("text", "phrases"), RULED)
def test_the_rule_cuts_at_stop_words_marks_and_numbers(text: str, phrases: str) -> None:
    [found] = load_phrase_finder("chunks-v1").find([text])
    assert "|".join(found) == phrases


def test_a_parser_finds_what_it_parses_and_each_phrase_once(parser: Path) -> None:
    finder = load_phrase_finder(f"spacy:{parser}")
    texts = [
        "The keeper saw the old lamp .",
        "A tower saw the boat .",
        "The gull saw it .",
        "The boat saw the old boat .",
    ]
    assert finder.find(texts) == [("keeper", "old lamp"), ("tower", "boat"), ("gull",), ("boat", "old boat")]


def test_texts_of_any_make_are_read() -> None:
    found = load_phrase_finder("chunks-v1").find(["x" * 3000, "lone \ud800 half", "a bridge"])
    assert found[2] == ("bridge",)


def test_who_found_them_is_a_fingerprint(parser: Path) -> None:
    by_rule, by_parser = (
        fingerprint(NOUN_PHRASES, Analyst(load_phrase_finder(name))) for name in ("chunks-v1", f"spacy:{parser}")
    )
    assert (by_rule.model, by_parser.model) == ("chunks-v1", "spacy:en_nine_sentences-1.0")
    assert by_rule.evaluator_id != by_parser.evaluator_id
    assert by_rule.model_sha256 and by_parser.model_sha256
    assert set(by_rule.dependencies) == {"spacy"}
    [analysis] = Analyst(load_phrase_finder("chunks-v1")).analyse(["the bridge"], NOUN_PHRASES.needs)
    assert phrases_of(analysis) == ("bridge",)


def test_what_cannot_find_noun_phrases_is_refused_with_a_remedy(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no noun phrase finder 'nltk'; write spacy:NAME_OR_PATH"):
        load_phrase_finder("nltk")
    with pytest.raises(TerminalError, match=r"python -m spacy download xx_none, or choose --noun-phrases chunks-v1"):
        load_phrase_finder("spacy:xx_none")
    spacy.blank("en").to_disk(tmp_path / "blank")
    with pytest.raises(TerminalError, match="has no parser; choose another, or --noun-phrases chunks-v1"):
        load_phrase_finder(f"spacy:{tmp_path / 'blank'}")
