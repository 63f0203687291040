from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc

from evaluators.entities import SpacyTagger, folder_sha256, load_tagger
from evaluators.tagger import Tagger
from newwiki.errors import TerminalError, UsageError
from newwiki.registry import makers
from newwiki.settings import Settings


@spacy.registry.tokenizers("newwiki_test_whole")
def _whole() -> Callable[[Language], Callable[[str], Doc]]:
    """A text is one token."""
    return lambda nlp: lambda text: Doc(nlp.vocab, words=[text])


def test_a_spacy_pipeline_in_a_folder_tags_every_mention(spacy_pipeline: Path) -> None:
    tagger = load_tagger(f"spacy:{spacy_pipeline}")
    assert tagger.tag(["Paris and New York and Paris.", "", "Nowhere."]) == [["Paris", "New York", "Paris"], [], []]


def test_a_spacy_pipeline_is_known_by_its_name_and_its_files(spacy_pipeline: Path) -> None:
    tagger = load_tagger(f"spacy:{spacy_pipeline}")
    assert tagger.model == "spacy:en_two_cities-1.0"
    assert tagger.model_sha256 == folder_sha256(spacy_pipeline)
    assert tagger.packages == ("spacy",)


def test_the_hash_of_a_folder_changes_with_any_file(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "weights").write_bytes(b"1")
    first = folder_sha256(tmp_path)
    (tmp_path / "b" / "weights").write_bytes(b"2")
    second = folder_sha256(tmp_path)
    (tmp_path / "b" / "weights").rename(tmp_path / "b" / "other")
    assert len({first, second, folder_sha256(tmp_path)}) == 3


def test_a_missing_pipeline_names_both_remedies() -> None:
    with pytest.raises(TerminalError) as error:
        load_tagger("spacy:xx_not_there_sm")
    assert "python -m spacy download xx_not_there_sm" in str(error.value)
    assert "--entities rules-v1" in str(error.value)


def test_pipeline_that_is_neither_installed_nor_a_folder_is_not_at_hand(spacy_pipeline: Path) -> None:
    choices = {f"spacy:{spacy_pipeline}": True, "rules-v1": True, "spacy:json": True}  # json: any installed package
    choices |= {"spacy:xx_not_installed": False, "spacy:/no/such/folder": False, "gliner:/no/such/folder": False}
    known = makers.get("entities")
    assert {choice: known.at_hand(Settings(entities=choice)) for choice in choices} == choices


def test_a_pipeline_that_finds_no_entities_is_refused(tmp_path: Path) -> None:
    spacy.blank("en").to_disk(tmp_path)
    with pytest.raises(TerminalError, match="no component that finds entities"):
        load_tagger(f"spacy:{tmp_path}")


@pytest.mark.parametrize("choice", ["rules-v9", "spacy", "spacy:", ""])
def test_an_unknown_tagger_is_misuse(choice: str) -> None:
    with pytest.raises(UsageError, match="rules-v1"):
        load_tagger(choice)


def test_only_what_the_entity_recogniser_does_not_read_is_switched_off(tmp_path: Path) -> None:
    nlp = spacy.blank("en")
    for pipe in ("tok2vec", "tagger", "parser", "ner"):
        nlp.add_pipe(pipe)
    nlp.get_pipe("ner").add_label("GPE")
    nlp.get_pipe("tagger").add_label("NN")
    nlp.get_pipe("parser").add_label("nsubj")
    nlp.initialize()
    nlp.to_disk(tmp_path)
    tagger: Any = load_tagger(f"spacy:{tmp_path}")
    assert tagger._nlp.disabled == ["tagger"]
    assert tagger._nlp.pipe_names == ["tok2vec", "parser", "ner"]


def test_a_text_longer_than_spacys_limit_is_tagged_whole(spacy_pipeline: Path) -> None:
    text = "Paris is large. " * 70_000
    (entities,) = load_tagger(f"spacy:{spacy_pipeline}").tag([text])
    assert len(text) > 1_000_000
    assert len(entities) == 70_000


@pytest.mark.parametrize("choice", ["rules-v1", "spacy"])
def test_the_stand_in_goes_the_road_of_every_pipeline(choice: str, spacy_pipeline: Path) -> None:
    tagger = load_tagger(choice if choice == "rules-v1" else f"spacy:{spacy_pipeline}")
    assert tagger.packages == ("spacy",)
    assert tagger.parameters == {"longest_run": 64}
    assert tagger.tag(["Paris and New York.", "Nowhere.", ""])[0] == ["Paris", "New York"]
    # Half a surrogate pair, a null, and marks without an end, over which spaCy's tokenizer alone takes minutes.
    assert tagger.tag(["\ud800 Paris \x00 is old.", "Paris " + '"' * 20_000 + " Paris"]) == [["Paris"], ["Paris"] * 2]


def test_a_long_run_is_read_in_pieces_and_entities_stay_whole(rules: Tagger) -> None:
    for before in range(50, 70):
        assert rules.tag([f"{'-' * before}Anna Berg-Olsen, {'x' * 300}."]) == [["Anna Berg-Olsen"]]


def test_runs_of_a_script_without_spaces_are_left_to_its_own_tokenizer(tmp_path: Path) -> None:
    nlp = spacy.blank("ja", config={"nlp": {"tokenizer": {"@tokenizers": "newwiki_test_whole"}}})
    ruler = nlp.add_pipe("entity_ruler")
    ruler.add_patterns([{"label": "ALL", "pattern": "句" * 200}])
    assert SpacyTagger(nlp, "whole", "").tag(["句" * 200]) == [["句" * 200]]


def test_the_words_of_a_long_run_of_texts_are_forgotten_and_no_entity_changes(
    monkeypatch: pytest.MonkeyPatch, spacy_pipeline: Path
) -> None:
    tagger: Any = load_tagger(f"spacy:{spacy_pipeline}")
    texts = [f"Paris and w{number} are in New York." for number in range(200)]
    kept = tagger.tag(texts)
    monkeypatch.setattr("evaluators.spacy_pipeline._KEPT_WORDS", 0)
    assert tagger.tag([text.replace(" w", " v") for text in texts]) == kept == [["Paris", "New York"]] * 200
    words = {lexeme.text for lexeme in tagger._nlp.vocab}
    assert "w199" in words and "v199" not in words
