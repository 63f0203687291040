"""The tables and figures of the papers behind the experiments, as data: one file per paper, in this folder.

A file names the command that answers each table and figure, or the reason why none does, and holds the printed numbers.
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


class PaperMetric(Table):
    """A metric of a paper, by its `title` there. `here` lists our metrics that may stand for it, the nearest first; it
    is empty if an experiment has it in its own table. A paper's number, in `unit`, times `factor` is in our unit.
    `near` describes how close ours is; if it is on another scale, the two are not `comparable`. `low` and `high` are
    the range by which the paper rescales it in its figures."""

    title: str
    here: Names = ()
    unit: str = ""
    factor: float = 1.0
    near: str = ""
    comparable: bool = True
    low: float | None = None
    high: float | None = None


class PaperModel(Table):
    """A paper's model by its `name` there: its hub id if it has one, how the paper's differs from it (`differs`), and
    why it is not available or cannot run (`why`). `articles` marks a row of articles, as if a model had written
    them."""

    name: str
    model: str = ""
    differs: str = ""
    why: str = ""
    articles: bool = False

    @model_validator(mode="after")
    def _is_something(self) -> Self:
        if not (self.model or self.why or self.articles):
            raise ValueError(f"the model {self.name} needs a hub id (model), or the reason why it has none (why)")
        return self


class Row(Table):
    """Numbers of one model under one decoder. `decoder` is one of our specifications, `against` that of the other side
    of a comparison, `labels` holds the row's other labels. A value is a number, a number with its spread, or `-` if the
    paper has none."""

    model: str = ""
    decoder: str = ""
    against: str = ""
    labels: dict[str, str | float] = Field(default_factory=dict)
    values: Annotated[tuple[Cell, ...], Field(strict=False)]


class Exhibit(Table):
    """A table or a figure. One without a number has the letter A, for appendix. `page` is given if known; `measures` is
    empty if it measures nothing; `says` holds the conclusions of the paper's prose, in our words. `note` describes what
    cannot be read in the source text of the numbers, contradictions, and interpretations. `spread` says what the
    spreads of its numbers are."""

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
        """Kind and number, such as `table 3`."""
        return f"{self.kind} {self.number}"

    @model_validator(mode="after")
    def _agrees_with_itself(self) -> Self:
        if not (self.commands or self.why):
            raise ValueError(f"{self.name} has neither a command nor a reason why there is none")
        for row in self.rows:
            if len(row.values) != len(self.columns):
                raise ValueError(f"{self.name} has {len(self.columns)} columns and a row of {len(row.values)}")
        if any(isinstance(cell, tuple) for row in self.rows for cell in row.values) != bool(self.spread):
            raise ValueError(f"{self.name} must set spread if its numbers have spreads, and only then")
        return self


@dataclass(frozen=True)
class Number:
    """One printed number with everything that identifies it. `value` and `spread` are in the paper's unit."""

    exhibit: str
    model: PaperModel | None
    decoder: str
    against: str
    labels: Mapping[str, str | float]
    metric: PaperMetric
    value: float
    spread: float | None


class Paper(Table):
    """A paper. `lacks` says what is missing from the text that its numbers were taken from."""

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
        metrics, models = [metric.title for metric in self.metrics], [model.name for model in self.models]
        for names in (metrics, models, [exhibit.name for exhibit in self.exhibits]):
            if twice := {name for name in names if names.count(name) > 1}:
                raise ValueError(f"{twice.pop()} occurs twice")
        for exhibit in self.exhibits:
            if unknown := set(exhibit.columns) - set(metrics):
                raise ValueError(f"{exhibit.name} has a column '{unknown.pop()}', which is not one of the metrics")
            if unknown := {row.model for row in exhibit.rows} - {"", *models}:
                raise ValueError(f"{exhibit.name} has a row of '{unknown.pop()}', which is not one of the models")
        return self

    def metric(self, title: str) -> PaperMetric:
        return next(metric for metric in self.metrics if metric.title == title)

    def table(self, number: str) -> Exhibit:
        """Return the table. Raises UsageError if it does not exist."""
        return self._exhibit("table", number)

    def figure(self, number: str) -> Exhibit:
        """Return the figure. Raises UsageError if it does not exist."""
        return self._exhibit("figure", number)

    def numbers(self, exhibit: Exhibit) -> Iterator[Number]:
        """Yield all printed numbers of an exhibit, row by row."""
        metrics = [self.metric(title) for title in exhibit.columns]
        models = {model.name: model for model in self.models}
        for row in exhibit.rows:
            for metric, cell in zip(metrics, row.values, strict=True):
                if cell != "-":
                    value, spread = cell if isinstance(cell, tuple) else (cell, None)
                    origin = (models.get(row.model), row.decoder, row.against, row.labels)
                    yield Number(exhibit.name, *origin, metric, value, spread)

    def _exhibit(self, kind: Kind, number: str) -> Exhibit:
        exhibits = {exhibit.number: exhibit for exhibit in self.exhibits if exhibit.kind == kind}
        if number not in exhibits:
            raise UsageError(f"paper {self.id} has no {kind} '{number}'; it has: {', '.join(exhibits)}")
        return exhibits[number]


@cache
def papers() -> Mapping[str, Paper]:
    """Return all papers by id, in order."""
    data = sorted(
        (file for file in files(__package__).iterdir() if file.name.endswith(".toml")), key=lambda file: file.name
    )
    ordered = [Paper.model_validate(tomllib.loads(file.read_text("utf-8"))) for file in data]
    return {paper.id: paper for paper in ordered}


def named(name: str) -> list[Paper]:
    """Return the paper with this id, or all its parts, as 000 has 000-1, 000-2 and 000-3. Raises UsageError."""
    matches = [paper for paper in papers().values() if name in (paper.id, paper.id.partition("-")[0])]
    if not matches:
        raise UsageError(
            f"there is no paper '{name}'{did_you_mean(name, papers()) or ';'} the papers are: {', '.join(papers())}"
        )
    return matches
