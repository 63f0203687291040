import sys
from pathlib import Path
from typing import Any

import pytest

from evaluators.entities import folder_sha256, load_tagger
from newwiki.errors import TerminalError, UsageError


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


def test_missing_spacy_names_both_remedies(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "spacy", None)
    with pytest.raises(TerminalError, match=r"newwiki-eval\[spacy\].*--entities rules-v1"):
        load_tagger("spacy:en_core_web_sm")


def test_a_pipeline_that_finds_no_entities_is_refused(tmp_path: Path) -> None:
    import spacy

    spacy.blank("en").to_disk(tmp_path)
    with pytest.raises(TerminalError, match="no component that finds entities"):
        load_tagger(f"spacy:{tmp_path}")


@pytest.mark.parametrize("choice", ["rules-v9", "spacy", "spacy:", ""])
def test_an_unknown_tagger_is_misuse(choice: str) -> None:
    with pytest.raises(UsageError, match="rules-v1"):
        load_tagger(choice)


def test_only_what_the_entity_recogniser_does_not_read_is_switched_off(tmp_path: Path) -> None:
    import spacy

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
