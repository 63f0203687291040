"""The definition of an experiment: a question about models and snapshots that one command answers and stores."""

import importlib
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import ModuleType
from typing import TYPE_CHECKING, Any, Literal

from flows import experiments
from newwiki.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from markupsafe import Markup

    from flows.experiments.answer_runs import AnswerRun
    from flows.experiments.evaluations import Evaluations
    from flows.presenting.charts import PageSigns
    from storage.database import Database


@dataclass(frozen=True, kw_only=True)
class Answer:
    """The computed answer of an experiment.

    - `verdict` is the answer in a few words.
    - `words` are sentences about what the verdict rests on and what it cannot tell.
    - `runs` are the runs whose texts or scores were read.
    - `read` is everything else from which the numbers were computed. It names evaluators and snapshots by their ids or
      hashes. Its key `models` has the weights' hash of each model whose texts are not stored as runs.
    - `rows` are the rows of each result table.
    - `snapshot_id` is the snapshot whose report shows the answer.
    - `pinned` are the request fields, other than the snapshot, whose values the experiment chose by default.
    - `units` are the numbers of units behind the headline, if they differ from those of all rows with verdicts.
    """

    snapshot_id: str
    verdict: str
    words: Sequence[str]
    runs: Sequence["AnswerRun"]
    read: Mapping[str, Any]
    rows: Sequence[Sequence[Any]]
    pinned: Mapping[str, Any] = field(default_factory=dict)
    units: Sequence[int] = ()


_NOTHING = ("nothing",)
Tone = Literal["good", "bad", "open"]


class Judged(str):
    """A table cell with a verdict; a page shows its tone (`good`, `bad` or `open`) as a color next to the word."""

    tone: Tone

    def __new__(cls, words: str, tone: Tone) -> "Judged":
        cell = super().__new__(cls, words)
        cell.tone = tone
        return cell


@dataclass(frozen=True)
class Table:
    """A table for people: a caption sentence, heads, and cells of text or numbers."""

    caption: str
    heads: Sequence[str]
    cells: Sequence[Sequence[Any]]


@dataclass(frozen=True)
class Figure:
    """A drawing with its caption. Figures that show the answer itself are `first`: they precede everything else."""

    caption: str
    image: "Markup"
    first: bool = False


@dataclass(frozen=True, kw_only=True)
class Findings:
    """The findings of an answer, in sentences: the answer itself, what holds, what does not, and what cannot be told.

    `fails` is None if the experiment tests only for differences, because such a test never shows that none exists.
    """

    answer: str
    holds: Sequence[str] = ()
    fails: Sequence[str] | None = None
    unknown: Sequence[str] = ()

    @property
    def titled(self) -> list[tuple[str, Sequence[str]]]:
        """Return the three lists with their titles; an empty list is replaced by a placeholder sentence."""
        not_asked = ["not tested: a test for differences cannot show that there is no difference"]
        return [
            ("What holds", self.holds or _NOTHING),
            ("What does not hold", not_asked if self.fails is None else self.fails or _NOTHING),
            ("What cannot be told", self.unknown or _NOTHING),
        ]


def _no_figures(signs: "PageSigns") -> Sequence[Figure]:
    return ()


@dataclass(frozen=True)
class Shown:
    """The display form of an answer.

    `records` under `heads` are the rows of CSV and JSON. `figures` draws the figures with the signs of the page that
    shows them.
    """

    heads: Sequence[str]
    records: Sequence[Sequence[Any]]
    findings: Findings
    tables: Sequence[Table]
    figures: Callable[["PageSigns"], Sequence[Figure]] = _no_figures


@dataclass(frozen=True)
class Experiment:
    """An experiment, declared in the folder of its name (with `_` for `-`).

    In that folder, `compute.py` has the function that makes the missing runs and computes the answer, and `show.py` has
    the function that builds tables and figures from a stored answer. `version` increases whenever the same runs would
    give another answer. `example` is a shell line. `question` is the question that the verdicts answer. The units over
    which the verdicts generalize are declared with the result tables (`flows.verdict_kinds`). `request` is a class like
    `ExperimentRequest`, or `ModelFreeRequest` for an experiment that evaluates no model. An experiment that `scores` no
    text has no scoring options.
    """

    name: str
    version: str
    title: str
    question: str
    source: str
    help: str
    example: str
    request: type[Any]
    scores: bool = True

    def compute(self, evaluations: "Evaluations", request: Any) -> Answer:
        answer: Answer = self._module("compute").compute(evaluations, request)
        return answer

    def show(self, database: "Database", experiment_id: str) -> Shown:
        shown: Shown = self._module("show").show(database, experiment_id)
        return shown

    def _module(self, name: str) -> ModuleType:
        return importlib.import_module(f"flows.experiments.{self.name.replace('-', '_')}.{name}")


def every() -> list[Experiment]:
    """Return all experiments that have a folder, sorted by name."""
    folders = sorted(module.name for module in pkgutil.iter_modules(experiments.__path__) if module.ispkg)
    return [importlib.import_module(f"flows.experiments.{name}.request").EXPERIMENT for name in folders]


def named(name: str) -> Experiment:
    """Return the experiment with this name. Raises UsageError if it does not exist."""
    known = {experiment.name: experiment for experiment in every()}
    if name not in known:
        raise UsageError(
            f"there is no experiment '{name}'{did_you_mean(name, known) or ';'} there are: {', '.join(known)}"
        )
    return known[name]
