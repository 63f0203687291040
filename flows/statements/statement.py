"""The paper's statements about decoders and models, as listed in `statements.toml`."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from fnmatch import fnmatchcase
from functools import cache
from importlib.resources import files
from pathlib import PurePath
from typing import Any, Literal

Test = Literal[
    "trend", "spread", "small", "largest", "correlation", "weak", "no_other", "models", "level", "model_spread", "size",
    "size_spread", "none",
]  # fmt: skip
# The tests of the experiment `models`; the default experiment of all other tests is `decoder-grid`
_OF_MODELS = frozenset({"models", "level", "model_spread", "size", "size_spread"})
_KINDS: Mapping[Test, str] = {
    "trend": "trend",
    "spread": "spread",
    "small": "size of effect",
    "largest": "size of effect",
    "correlation": "correlation",
    "weak": "correlation",
    "no_other": "correlation",
    "models": "named models",
    "level": "named models",
    "model_spread": "named models",
    "size": "number of parameters",
    "size_spread": "number of parameters",
    "none": "not tested",
}


@dataclass(frozen=True, kw_only=True)
class Statement:
    """A statement of the paper.

    - `section` and `quote` locate the sentence in the paper, and `says` is the statement that is read from it.
    - `test` is the kind of test (`flows/statements/testing.py`).
    - `metrics` have the paper's names.
    - `parameter` or `models` are compared with the parameters or models in `than`.
    - `direction` is the direction in which the number goes, and `by` the size of the change (a name in `margins`).
    - `share` is the share of several comparisons that must hold.
    - `why` is the reason for a missing test.
    """

    name: str
    section: str
    quote: str
    says: str
    test: Test
    experiment: str = ""
    metrics: Sequence[str] = ()
    parameter: str | None = None
    direction: Literal["up", "down"] = "up"
    by: str | None = None
    of: Literal["all texts", "each prompt"] = "all texts"
    models: Sequence[str] = ()
    than: Sequence[str] = ()
    besides: Sequence[Sequence[str]] = ()
    share: Literal["all", "most", "all but two"] = "all"
    level: float = 0.0
    why: str | None = None

    @property
    def asked_by(self) -> str:
        """The name of the experiment that tests the statement."""
        return self.experiment or ("models" if self.test in _OF_MODELS else "decoder-grid")

    @property
    def kind(self) -> str:
        """The subject of the statement."""
        return "penalties" if self.parameter == "penalty" else _KINDS[self.test]


@dataclass(frozen=True)
class PaperModel:
    """A model of the paper: the file name patterns that match its runs' models, and its number of parameters."""

    name: str
    called: Sequence[str]
    parameters: float

    def is_called(self, model: str) -> bool:
        """Return whether the last part of a model's path or hub id matches one of the patterns."""
        last = PurePath(model).name.lower()
        return any(fnmatchcase(last, pattern) for pattern in self.called)


@dataclass(frozen=True)
class Statements:
    """The contents of `statements.toml`."""

    margins: Mapping[str, float]
    models: Sequence[PaperModel]
    statements: Sequence[Statement]

    def of(self, experiment: str) -> list[Statement]:
        return [statement for statement in self.statements if statement.asked_by == experiment]


@cache
def paper() -> Statements:
    """Read `statements.toml`. Raises TypeError or KeyError for an unknown or a missing key."""
    read = tomllib.loads((files("flows.statements") / "statements.toml").read_text("utf-8"))
    margins = read.pop("margins")
    models = [PaperModel(name, **values) for name, values in read.pop("models").items()]
    statements = [_statement(sentence, entry) for sentence in read["sentence"] for entry in sentence["statement"]]
    return Statements(margins, models, statements)


def _statement(sentence: Mapping[str, Any], entry: Mapping[str, Any]) -> Statement:
    unknown = entry.keys() - {field.name for field in fields(Statement)}
    if unknown:
        raise TypeError(f"statement '{entry['name']}' has a key that means nothing: {unknown.pop()}")
    return Statement(section=sentence["section"], quote=sentence["quote"], **entry)
