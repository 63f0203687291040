"""Find named entities with a spaCy pipeline, a GLiNER model or rules."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from evaluators.gliner_tagger import load_gliner
from evaluators.rules import load_rules, rules_sha256
from evaluators.spacy_pipeline import LONGEST_RUN, documents
from evaluators.tagger import Mention, Tagger
from newwiki.errors import TerminalError, UsageError
from newwiki.registry import maker

if TYPE_CHECKING:
    from spacy.language import Language

    from newwiki.settings import Settings

DEFAULT_TAGGER = "spacy:en_core_web_sm"
STAND_IN = "rules-v1"

# Components that spaCy's statistical entity recognizer does not use. It does use the parser: entities do not cross
# sentence ends.
_UNREAD = {"tagger", "morphologizer", "attribute_ruler", "lemmatizer", "trainable_lemmatizer", "textcat"}


class SpacyTagger(Tagger):
    """Finds named entities with a spaCy pipeline."""

    packages = ("spacy",)
    parameters = MappingProxyType({"longest_run": LONGEST_RUN})

    def __init__(self, nlp: Language, model: str, model_sha256: str) -> None:
        super().__init__(model, model_sha256)
        self._nlp = nlp

    def find(self, texts: Sequence[str]) -> list[list[Mention]]:
        with documents(self._nlp, texts) as read:
            return [
                [Mention(entity.start_char, entity.end_char, entity.label_) for entity in document.ents]
                for document in read
            ]


def _is_at_hand(settings: Settings) -> bool:
    kind, _, model = settings.entities.partition(":")
    is_package = kind == "spacy" and model.isidentifier() and find_spec(model) is not None
    return settings.entities == STAND_IN or is_package or (bool(model) and Path(model).is_dir())


@maker(*Tagger.parts, options={"model": "--entities"}, at_hand=_is_at_hand)
def _from_settings(settings: Settings) -> Tagger:
    return load_tagger(settings.entities)


def load_tagger(choice: str) -> Tagger:
    """Load the tagger named `spacy:NAME_OR_PATH`, `gliner:FOLDER` or `rules-v1`.

    Raises UsageError for any other name, and TerminalError if there is no such model or it finds no entities.
    """
    if choice == STAND_IN:
        return SpacyTagger(load_rules(), STAND_IN, rules_sha256())
    kind, _, pipeline = choice.partition(":")
    if kind == "gliner" and pipeline:
        return load_gliner(Path(pipeline))
    if kind != "spacy" or not pipeline:
        raise UsageError(
            f"there is no tagger '{choice}'; write spacy:NAME_OR_PATH (such as {DEFAULT_TAGGER}), gliner:FOLDER or "
            f"{STAND_IN}"
        )
    nlp = _load_pipeline(pipeline)
    model = f"spacy:{nlp.meta['lang']}_{nlp.meta['name']}-{nlp.meta['version']}"
    return SpacyTagger(nlp, model, folder_sha256(nlp.path))


def _load_pipeline(pipeline: str) -> Language:
    """Load an installed spaCy pipeline, or one in a folder."""
    import spacy

    try:
        nlp = spacy.load(pipeline)
    except OSError as error:
        raise TerminalError(
            f"the spaCy pipeline '{pipeline}' is not installed; run python -m spacy download {pipeline}, or choose "
            f"--entities {STAND_IN} (NEWWIKI_ENTITIES={STAND_IN}), a stand-in of regular expressions whose scores "
            "are never mixed with others"
        ) from error
    finders = {name for name in nlp.pipe_names if "doc.ents" in nlp.get_pipe_meta(name).assigns}
    if not finders:
        raise TerminalError(f"the spaCy pipeline '{pipeline}' has no component that finds entities; choose another")
    # A rule component may use tags or lemmas, so only pipelines that find entities by `ner` alone are thinned.
    if finders == {"ner"}:
        nlp.select_pipes(disable=_UNREAD.intersection(nlp.pipe_names))
    return nlp


def folder_sha256(folder: Path) -> str:
    """Return a hash over the names and bytes of all files in a folder, in the order of their names."""
    digest = hashlib.sha256()
    for file in sorted(path for path in folder.rglob("*") if path.is_file()):
        digest.update(file.relative_to(folder).as_posix().encode() + b"\0")
        with file.open("rb") as stream:
            digest.update(hashlib.file_digest(stream, "sha256").digest())
    return digest.hexdigest()
