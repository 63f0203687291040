"""Find named entities with a spaCy pipeline, a GLiNER model or rules."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from evaluators.entity_spans import SpanFinder
from evaluators.gliner_tagger import load_gliner
from evaluators.installed_pipelines import REUPLOADS, load_pipeline, name_of, package_of, pipeline_sha256
from evaluators.numpy_products import multiply_by_numpy
from evaluators.rules import load_rules, rules_sha256
from evaluators.spacy_pipeline import LONGEST_RUN
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
        self._finder = SpanFinder(nlp)

    def find(self, texts: Sequence[str]) -> list[list[Mention]]:
        return [[Mention(*span) for span in spans] for spans in self._finder.find(texts)]


def _is_at_hand(settings: Settings) -> bool:
    kind, _, model = settings.entities.partition(":")
    is_package = kind == "spacy" and package_of(model) is not None
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
    nlp = load_entity_pipeline(pipeline)
    return SpacyTagger(nlp, name_of(nlp), pipeline_sha256(nlp))


def load_entity_pipeline(pipeline: str) -> Language:
    """Load an installed spaCy pipeline, or one in a folder, with only the components that its entities depend on.

    Raises TerminalError if there is no such pipeline or it finds no entities.
    """
    try:
        nlp = load_pipeline(pipeline)
    except OSError as error:
        download = f"python -m spacy download {pipeline}"
        remedy = "pip install 'newwiki-eval[offline]'" if pipeline in REUPLOADS else download
        raise TerminalError(
            f"the spaCy pipeline '{pipeline}' is not installed; run {remedy}, or choose "
            f"--entities {STAND_IN} (NEWWIKI_ENTITIES={STAND_IN}), a stand-in of regular expressions whose scores "
            "are never mixed with others"
        ) from error
    finders = {name for name in nlp.pipe_names if "doc.ents" in nlp.get_pipe_meta(name).assigns}
    if not finders:
        raise TerminalError(f"the spaCy pipeline '{pipeline}' has no component that finds entities; choose another")
    # A rule component may use tags or lemmas, so only pipelines that find entities by `ner` alone are thinned.
    if finders == {"ner"}:
        nlp.select_pipes(disable=_UNREAD.intersection(nlp.pipe_names))
    multiply_by_numpy(nlp)
    return nlp
