"""The tables and figures of the papers behind the experiments, as data: one file a paper, beside this module.

A file says which command answers each table and figure, or why none does, and has the numbers that the paper prints.
"""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from newwiki.errors import UsageError, did_you_mean
from newwiki.toml_tables import Table

Kind = Literal["table", "figure"]
Cell = float | Literal["-"] | Annotated[tuple[float, float], Field(strict=False)]
Names = Annotated[tuple[str, ...], Field(strict=False)]

# The commands that the files name and the house does not have yet.
COMMANDS_TO_COME = ("newwiki experiment corpora",)


class PaperMetric(Table):
    """What a paper measures, under its `title` there. `here` are the metrics that may stand for it, the nearest first,
    and none where an experiment has it in its own table. A paper's number, in `unit`, times `factor` is in ours. `near`
    is how near ours comes; where it is on another scale the two are not `comparable`. `low` and `high` are the range by
    which the paper rescales it in its figures."""

    title: str
    here: Names = ()
    unit: str = ""
    factor: float = 1.0
    near: str = ""
    comparable: bool = True
    low: float | None = None
    high: float | None = None


class PaperModel(Table):
    """A paper's model by its `name` there: its hub id where there is one, how the paper's differs from it (`differs`),
    and why it cannot be had or run (`why`). `articles` stand in a row as if a model had written them."""

    name: str
    model: str = ""
    differs: str = ""
    why: str = ""
    articles: bool = False

    @model_validator(mode="after")
    def _is_something(self) -> Self:
        if not (self.model or self.why or self.articles):
            raise ValueError(f"of {self.name} it is not said what it is on the hub, nor why it is nowhere")
        return self


class Row(Table):
    """Numbers of one model under one decoder. `decoder` is a specification of ours, `against` that of the other side
    where two were compared, `labels` are what else stands at the row. A value is a number, a number with its spread, or
    `-` where the paper has none."""

    model: str = ""
    decoder: str = ""
    against: str = ""
    labels: dict[str, str | float] = Field(default_factory=dict)
    values: Annotated[tuple[Cell, ...], Field(strict=False)]


class Exhibit(Table):
    """A table or a figure. One without a number has the letter A, of the appendix. `page` is given where it is known;
    `measures` is empty where it measures nothing; `says` is what the paper's prose says of it, in our words. `note` is
    what of it cannot be read in the text that its numbers were taken from, what contradicts itself, and what was read
    into it. `spread` is what the spreads of its numbers are."""

    kind: Kind
    number: str
    caption: str
    section: str
    page: int | None = None
    measures: str = ""
    commands: Names = ()
    why: str = ""
    says: Names = ()
    note: str = ""
    spread: str = ""
    columns: Names = ()
    rows: Annotated[tuple[Row, ...], Field(strict=False)] = ()

    @property
    def name(self) -> str:
        """`table 3`."""
        return f"{self.kind} {self.number}"

    @model_validator(mode="after")
    def _agrees_with_itself(self) -> Self:
        if not (self.commands or self.why):
            raise ValueError(f"{self.name} has neither a command nor a reason why there is none")
        for row in self.rows:
            if len(row.values) != len(self.columns):
                raise ValueError(f"{self.name} has {len(self.columns)} columns and a row of {len(row.values)}")
        if any(isinstance(cell, tuple) for row in self.rows for cell in row.values) != bool(self.spread):
            raise ValueError(f"{self.name} says what its spreads are where it has some, and nowhere else")
        return self


@dataclass(frozen=True)
class Number:
    """One number that a paper prints, with all that it is of. `value` and `spread` are in the paper's unit."""

    exhibit: str
    model: PaperModel | None
    decoder: str
    against: str
    labels: Mapping[str, str | float]
    metric: PaperMetric
    value: float
    spread: float | None


class Paper(Table):
    """A paper. `lacks` is what of it is not in the text that its numbers were taken from."""

    id: str
    short: str
    title: str
    citation: str
    lacks: str = ""
    metrics: Annotated[tuple[PaperMetric, ...], Field(strict=False)] = ()
    models: Annotated[tuple[PaperModel, ...], Field(strict=False)] = ()
    exhibits: Annotated[tuple[Exhibit, ...], Field(strict=False)]

    @model_validator(mode="after")
    def _names_what_it_has(self) -> Self:
        metrics, models = [one.title for one in self.metrics], [one.name for one in self.models]
        for names in (metrics, models, [one.name for one in self.exhibits]):
            if twice := {name for name in names if names.count(name) > 1}:
                raise ValueError(f"there are two of {twice.pop()}")
        for one in self.exhibits:
            if strange := set(one.columns) - set(metrics):
                raise ValueError(f"{one.name} has a column '{strange.pop()}', which is none of the metrics")
            if strange := {row.model for row in one.rows} - {"", *models}:
                raise ValueError(f"{one.name} has a row of '{strange.pop()}', which is none of the models")
        return self

    def metric(self, title: str) -> PaperMetric:
        return next(one for one in self.metrics if one.title == title)

    def table(self, number: str) -> Exhibit:
        """Raises UsageError where there is no such table."""
        return self._exhibit("table", number)

    def figure(self, number: str) -> Exhibit:
        """Raises UsageError where there is no such figure."""
        return self._exhibit("figure", number)

    def numbers(self, exhibit: Exhibit) -> Iterator[Number]:
        """All that it prints, row by row."""
        metrics = [self.metric(title) for title in exhibit.columns]
        models = {one.name: one for one in self.models}
        for row in exhibit.rows:
            for metric, cell in zip(metrics, row.values, strict=True):
                if cell != "-":
                    value, spread = cell if isinstance(cell, tuple) else (cell, None)
                    of = (models.get(row.model), row.decoder, row.against, row.labels)
                    yield Number(exhibit.name, *of, metric, value, spread)

    def _exhibit(self, kind: Kind, number: str) -> Exhibit:
        there = {one.number: one for one in self.exhibits if one.kind == kind}
        if number not in there:
            raise UsageError(f"paper {self.id} has no {kind} '{number}'; there are: {', '.join(there)}")
        return there[number]


@cache
def papers() -> Mapping[str, Paper]:
    """All of them by id, in order."""
    data = sorted(
        (file for file in files(__package__).iterdir() if file.name.endswith(".toml")), key=lambda one: one.name
    )
    found = [Paper.model_validate(tomllib.loads(file.read_text("utf-8"))) for file in data]
    return {one.id: one for one in found}


def named(name: str) -> list[Paper]:
    """The paper of this id; all parts of it where it has some, as 000 has 000-1, 000-2 and 000-3. Raises UsageError."""
    found = [one for one in papers().values() if name in (one.id, one.id.partition("-")[0])]
    if not found:
        raise UsageError(
            f"there is no paper '{name}'{did_you_mean(name, papers()) or ';'} there are: {', '.join(papers())}"
        )
    return found
