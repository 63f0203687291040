"""Choose the model to load for each model of a paper, or give the reason why none is loaded, before any work starts."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from flows.evaluating.generate import find_models
from newwiki.errors import NewWikiError, UsageError, did_you_mean
from newwiki.foreign_json import read_object
from newwiki.models.checkpoint import is_at_hand, split_revision
from newwiki.papers.published import Paper, PaperModel

_AMATEUR = re.compile(r"(?<=amateur=)[^,]+")


@dataclass(frozen=True)
class ChosenModel:
    """The loaded model for a model of a paper: the same model, or a stand-in that the user named."""

    of: str
    name: str
    backend: str
    stands_in: bool

    @property
    def words(self) -> str:
        return f"{self.name}, in the place of {self.of}" if self.stands_in else self.name


@dataclass(frozen=True)
class ChosenModels:
    """The loaded model, or the reason why none is loaded, by the paper's name of a model.

    `amateurs` holds the same for the amateur models of decoders, by their names on the Hub.
    """

    models: Mapping[str, ChosenModel | str]
    amateurs: Mapping[str, ChosenModel | str]

    @property
    def loaded(self) -> list[ChosenModel]:
        return [model for model in self.models.values() if isinstance(model, ChosenModel)]

    def decoder(self, specification: str) -> str:
        """Replace the amateur in a decoder with the loaded model. Raises NotLoaded if no model is loaded for it."""
        match = _AMATEUR.search(specification)
        if not match:
            return specification
        amateur = self.amateurs[match.group()]
        if isinstance(amateur, str):
            raise NotLoaded(amateur)
        return _AMATEUR.sub(lambda _: amateur.name, specification)


class NotLoaded(Exception):
    """The reason why a model is not loaded."""


def choose_models(paper: Paper, stand_ins: Mapping[str, str], loading: Mapping[str, str]) -> ChosenModels:
    """Choose the available models of the paper. Raises UsageError if a stand-in of the user cannot be loaded."""
    models = {model.name: _chosen(model, stand_ins, loading) for model in paper.models if not model.articles}
    amateurs = {name: _chosen(PaperModel(name=name, model=name), stand_ins, loading) for name in _amateurs(paper)}
    return ChosenModels(models, amateurs)


def refuse_unknown(papers: list[Paper], stand_ins: Mapping[str, str]) -> None:
    """Raise UsageError for a stand-in that replaces a model which no paper has."""
    known = {
        name for paper in papers for model in paper.models if not model.articles for name in (model.name, model.model)
    }
    known |= {name for paper in papers for name in _amateurs(paper)}
    for name in stand_ins:
        if name not in known:
            listed = ", ".join(sorted(known - {""}))
            raise UsageError(f"the paper has no model '{name}'{did_you_mean(name, known) or ';'} it has: {listed}")


def _amateurs(paper: Paper) -> list[str]:
    decoders = [text for exhibit in paper.exhibits for row in exhibit.rows for text in (row.decoder, row.against)]
    return list(dict.fromkeys(match.group() for text in decoders if (match := _AMATEUR.search(text))))


def _chosen(model: PaperModel, stand_ins: Mapping[str, str], loading: Mapping[str, str]) -> ChosenModel | str:
    named = stand_ins.get(model.name) or stand_ins.get(model.model)
    hint = f"name one in its place: --stand-in '{model.name}=MODEL'"
    if named:
        return _find_model(model.name, named, loading, stands_in=True)
    if model.why or model.differs:
        return f"{model.why or model.differs}; {hint}"
    try:
        if not is_at_hand(*split_revision(model.model)):
            return f"{model.model} is not on this machine: download it (hf download {model.model}), or {hint}"
        return _find_model(model.name, model.model, loading, stands_in=False)
    except NewWikiError as error:
        return f"{error}; or {hint}"


def _find_model(of: str, name: str, loading: Mapping[str, str], *, stands_in: bool) -> ChosenModel:
    """Choose the backend by the model's configuration file, because encoder-decoder models need `seq2seq`."""
    folder = find_models("hf", [name], dict(loading))[name]
    config = (
        read_object((folder / "config.json").read_bytes(), f"'{folder}/config.json'", allow_nan=True) if folder else {}
    )
    kinds = config.get("architectures") or []
    both = config.get("is_encoder_decoder") or any(kind.endswith("ForConditionalGeneration") for kind in kinds)
    return ChosenModel(of, name, "seq2seq" if both else "hf", stands_in)
