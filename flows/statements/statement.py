"""What the paper says of decoders and models, as `statements.toml` lists it."""

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
# Where no other is said: what the rest is tested by
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
    """One of them. `section` and `quote` are the sentence's place in the paper, `says` what is read out of it, `test`
    how it is tested (`flows/statements/testing.py`).

    Of the test: its `metrics` by the paper's names, the `parameter` and those that it is set against (`than`), the
    `direction` in which the number goes, `by` how much (a name in `margins`), the `models` and those that they are set
    against (`than`). Of several comparisons `share` must be so. `why` says why there is no test.
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
        """The experiment that tests it."""
        return self.experiment or ("models" if self.test in _OF_MODELS else "decoder-grid")

    @property
    def kind(self) -> str:
        """What it is about."""
        return "penalties" if self.parameter == "penalty" else _KINDS[self.test]


@dataclass(frozen=True)
class PaperModel:
    """A model of the paper: under what names its runs are found, as file names are matched, and its parameters."""

    name: str
    called: Sequence[str]
    parameters: float

    def is_called(self, model: str) -> bool:
        """Whether the last part of a model's path or hub id is such a name."""
        last = PurePath(model).name.lower()
        return any(fnmatchcase(last, pattern) for pattern in self.called)


@dataclass(frozen=True)
class Statements:
    """All of the file."""

    margins: Mapping[str, float]
    models: Sequence[PaperModel]
    statements: Sequence[Statement]

    def of(self, experiment: str) -> list[Statement]:
        return [one for one in self.statements if one.asked_by == experiment]


@cache
def paper() -> Statements:
    """What `statements.toml` says. Raises TypeError or KeyError for a key that it should not have, or lacks."""
    read = tomllib.loads((files("flows.statements") / "statements.toml").read_text("utf-8"))
    margins = read.pop("margins")
    models = [PaperModel(name, **of_model) for name, of_model in read.pop("models").items()]
    found = [_statement(sentence, one) for sentence in read["sentence"] for one in sentence["statement"]]
    return Statements(margins, models, found)


def _statement(sentence: Mapping[str, Any], one: Mapping[str, Any]) -> Statement:
    unknown = one.keys() - {field.name for field in fields(Statement)}
    if unknown:
        raise TypeError(f"statement '{one['name']}' has a key that means nothing: {unknown.pop()}")
    return Statement(section=sentence["section"], quote=sentence["quote"], **one)
