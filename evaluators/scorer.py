"""Metrics that a TOML file describes: a classifier or regressor reads a text, and what it says is the score."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evaluators.analysis import Analysis
from newwiki.errors import UsageError, did_you_mean
from newwiki.models.checkpoint import is_at_hand
from newwiki.records import Direction, Metric, Unscorable
from newwiki.registry import Evaluator, MakerLoader, check_names, evaluators, makers

if TYPE_CHECKING:
    from evaluators.classifier import Classifier

PRESETS = Path(__file__).resolve().parent / "scorers"

_VERSION = "1"  # of what is done with a model's outputs: raise it whenever the same model would give other numbers


@dataclass(frozen=True)
class Scorer:
    """One metric, the model behind it, and how its outputs become a number.

    `model` is a folder (seen from `file`) or a hub id, at `revision`; without one the metric waits for a user's model.
    `output` is the logit itself (raw), its sigmoid, its share of the softmax, or the `values` of all labels weighted
    by their softmax (expected). The model `reads` the whole text or each sentence, in chunks of `window` tokens with
    the special ones (0: as many as it takes), `batch` of them at a time.
    """

    file: Path
    name: str
    definition: str
    model: str = ""
    revision: str = "main"
    output: str = "raw"
    label: str = ""
    values: tuple[float, ...] = ()
    reads: str = "text"
    window: int = 0
    batch: int = 16
    dtype: str = "float32"
    unit: str = "score"
    minimum: float | None = None
    maximum: float | None = None
    direction: Direction = "none"
    source: str = "a scorer of the user's own"
    pitfalls: str = ""

    @property
    def place(self) -> str:
        """The model's folder, or its hub id."""
        folder = self.file.parent / self.model
        return str(folder) if folder.is_dir() else self.model

    def score(self, analysis: Analysis, reference: Analysis) -> float | Unscorable:
        """What the model says of the text: the mean over its chunks by their tokens, or over its sentences."""
        if analysis.wordless:
            return Unscorable("no words")
        value = analysis.part(self.name)
        if value is None:
            return Unscorable("no sentence end" if self.reads == "sentence" else "no tokens to read")
        return float(value)


def add_preset(file: Path) -> None:
    """Registers the metric of a file that comes with the project."""
    scorer = read_scorer(file)
    evaluators.add(scorer.name, _evaluator(scorer))
    makers.add(scorer.name, _loader(scorer))


def add_scorers(files: str) -> None:
    """Registers the metrics of the files between commas. One may take the place of a preset, as a better model does.

    Raises UsageError for a file that is not as it should be, and for the name of any other metric.
    """
    for file in filter(None, (part.strip() for part in files.split(","))):
        scorer = read_scorer(Path(file))
        givers = {metric.name: one for one in evaluators.all().values() for metric in one.metrics}
        giver = givers.get(scorer.name)
        before = getattr(giver.function, "__self__", None) if giver else None
        replaceable = isinstance(before, Scorer) and (before.file == scorer.file or before.file.parent == PRESETS)
        if giver and not replaceable:
            raise UsageError(f"'{file}': there is a metric '{scorer.name}' already; give yours another name")
        one = _evaluator(scorer)
        check_names(one.name, one.metrics)
        evaluators.put(scorer.name, one)
        makers.put(scorer.name, _loader(scorer))


def read_scorer(file: Path) -> Scorer:
    """The scorer of a file. Raises UsageError with the key that is wrong and what it may be."""
    try:
        written = tomllib.loads(file.read_text("utf-8"))
    except FileNotFoundError:
        raise UsageError(f"there is no scorer file '{file}'") from None
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"'{file}' cannot be read as TOML: {error}") from None
    for key, value in written.items():
        if key not in _RULES:
            known = ", ".join(sorted(_RULES))
            raise UsageError(f"'{file}' sets '{key}'; a scorer has only: {known}{did_you_mean(key, _RULES)}")
        allowed, holds = _RULES[key]
        if not holds(value):
            raise UsageError(f"'{file}': {key} is {value!r}, and must be {allowed}")
    for field in fields(Scorer):
        if field.name != "file" and field.name not in written and field.default is MISSING:
            raise UsageError(f"'{file}' lacks {field.name}, which is {_RULES[field.name][0]}")
    values: dict[str, Any] = {key: tuple(value) if key == "values" else value for key, value in written.items()}
    scorer = Scorer(file=file.resolve(), **values)
    _check_together(scorer, file)
    return scorer


def _check_together(scorer: Scorer, file: Path) -> None:
    if scorer.output == "softmax" and not scorer.label:
        raise UsageError(f"'{file}': output softmax needs a label, the one whose share is the score")
    if (scorer.output == "expected") != bool(scorer.values):
        raise UsageError(f"'{file}': output expected, and no other, needs values: a number for each label of the model")
    if scorer.output == "expected" and scorer.label:
        raise UsageError(f"'{file}': output expected is of all labels; leave label out")
    if scorer.minimum is not None and scorer.maximum is not None and scorer.minimum >= scorer.maximum:
        raise UsageError(f"'{file}': minimum {scorer.minimum:g} must be below maximum {scorer.maximum:g}")


Rule = tuple[str, Callable[[Any], bool]]


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < float("inf")


def _one_of(*words: str) -> Rule:
    return "one of " + ", ".join(words), lambda value: value in words


def _from(least: int) -> Rule:
    return f"a whole number from {least}", lambda value: type(value) is int and value >= least


_NAME: Rule = (
    "small letters, digits and underscores, a letter first",
    lambda value: isinstance(value, str) and bool(re.fullmatch(r"[a-z][a-z0-9_]*", value)),
)
_WORDS: Rule = ("a text in quotes", lambda value: isinstance(value, str) and bool(value.strip()))
_NUMBER: Rule = ("a number", _is_number)
_NUMBERS: Rule = (
    "a list of two numbers or more",
    lambda value: isinstance(value, list) and len(value) > 1 and all(map(_is_number, value)),
)
_RULES: Mapping[str, Rule] = {
    "name": _NAME,
    "definition": _WORDS,
    "model": _WORDS,
    "revision": _WORDS,
    "output": _one_of("raw", "sigmoid", "softmax", "expected"),
    "label": _WORDS,
    "values": _NUMBERS,
    "reads": _one_of("text", "sentence"),
    "window": _from(8),
    "batch": _from(1),
    "dtype": _one_of("float32", "bfloat16", "float16"),
    "unit": _WORDS,
    "minimum": _NUMBER,
    "maximum": _NUMBER,
    "direction": _one_of("higher", "lower", "none"),
    "source": _WORDS,
    "pitfalls": _WORDS,
}


def _evaluator(scorer: Scorer) -> Evaluator:
    metric = Metric(
        scorer.name,
        scorer.unit,
        scorer.minimum,
        scorer.maximum,
        scorer.direction,
        scorer.definition,
        scorer.source,
        pitfalls=scorer.pitfalls,
    )
    needs = frozenset({scorer.name})
    return Evaluator(scorer.name, scorer.score, (metric,), _VERSION, needs, (), {}, core=False, costly=True, alone=True)


def _loader(scorer: Scorer) -> MakerLoader:
    def load(settings: object) -> Classifier:
        from evaluators.classifier import load_classifier

        return load_classifier(scorer)

    return MakerLoader(
        load, {"model": "--scorer"}, lambda settings: bool(scorer.model) and is_at_hand(scorer.place, scorer.revision)
    )
