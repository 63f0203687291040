"""What an experiment is: a question to models and snapshots that one command asks, and whose answer is stored."""

import importlib
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import ModuleType
from typing import TYPE_CHECKING, Any, Literal

from flows import experiments
from newwiki.errors import UsageError, did_you_mean
from newwiki.experiment_request import ExperimentRequest

if TYPE_CHECKING:
    from markupsafe import Markup

    from flows.experiments.answer_runs import AnswerRun
    from flows.experiments.evaluations import Evaluations
    from flows.presenting.charts import PageSigns
    from storage.database import Database


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What was found. `verdict` is the answer in a few words, `words` are sentences with what it rests on and what it
    cannot tell apart. `runs` are those whose texts or scores were read. `read` is what else the numbers were computed
    from, and names evaluators and snapshots by their ids or hashes; under `models` it has the weights' hash of each
    model whose texts are no runs. `rows` are the rows of each result table; `snapshot_id` is the snapshot
    whose report shows it. `pinned` are the fields of the request, beside the snapshot, that were chosen because nobody
    named them. `units` are the numbers of units that the headline rests on, where they are not those of all rows with
    verdicts."""

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
    """A cell with a verdict, which a page shows in a colour beside the word: `good`, `bad` or `open`."""

    tone: Tone

    def __new__(cls, words: str, tone: Tone) -> "Judged":
        made = super().__new__(cls, words)
        made.tone = tone
        return made


@dataclass(frozen=True)
class Table:
    """What a person reads: a caption in a sentence, heads, and cells that are text or numbers."""

    caption: str
    heads: Sequence[str]
    cells: Sequence[Sequence[Any]]


@dataclass(frozen=True)
class Figure:
    """A drawing with its caption. Those that show the answer itself are `first`, above everything else."""

    caption: str
    image: "Markup"
    first: bool = False


@dataclass(frozen=True, kw_only=True)
class Findings:
    """What an answer says, in sentences: the answer itself in one, what holds, what does not, and what it cannot tell.
    `fails` is None where the experiment tests for differences alone: such a test never shows that there is none."""

    answer: str
    holds: Sequence[str] = ()
    fails: Sequence[str] | None = None
    unknown: Sequence[str] = ()

    @property
    def titled(self) -> list[tuple[str, Sequence[str]]]:
        """The three lists under their titles, none of them empty."""
        not_asked = ["not asked: a test for differences never shows that there is none"]
        return [
            ("What holds", self.holds or _NOTHING),
            ("What does not hold", not_asked if self.fails is None else self.fails or _NOTHING),
            ("What cannot be told", self.unknown or _NOTHING),
        ]


def _no_figures(signs: "PageSigns") -> Sequence[Figure]:
    return ()


@dataclass(frozen=True)
class Shown:
    """An answer as people see it: `records` under `heads` are the rows of csv and json, and `figures` draws the figures
    with the signs of the page that they stand on."""

    heads: Sequence[str]
    records: Sequence[Sequence[Any]]
    findings: Findings
    tables: Sequence[Table]
    figures: Callable[["PageSigns"], Sequence[Figure]] = _no_figures


@dataclass(frozen=True)
class Experiment:
    """One of them, declared in the folder of its name (with _ for -), where `compute.py` has the function that makes
    the runs which are missing and computes the answer, `show.py` the one that makes tables and figures of what is
    stored under an id. `version` goes up where the same runs would give another answer; `example` is a line for a
    shell. `question` is what its verdicts answer. The units that these generalize over are declared beside its tables
    (`flows.verdict_kinds`)."""

    name: str
    version: str
    title: str
    question: str
    source: str
    help: str
    example: str
    request: type[ExperimentRequest]

    def compute(self, evaluations: "Evaluations", request: ExperimentRequest) -> Answer:
        answer: Answer = self._module("compute").compute(evaluations, request)
        return answer

    def show(self, database: "Database", experiment_id: str) -> Shown:
        shown: Shown = self._module("show").show(database, experiment_id)
        return shown

    def _module(self, name: str) -> ModuleType:
        return importlib.import_module(f"flows.experiments.{self.name.replace('-', '_')}.{name}")


def every() -> list[Experiment]:
    """All that have a folder here, by name."""
    folders = sorted(one.name for one in pkgutil.iter_modules(experiments.__path__) if one.ispkg)
    return [importlib.import_module(f"flows.experiments.{name}.request").EXPERIMENT for name in folders]


def named(name: str) -> Experiment:
    """Raises UsageError where there is no such experiment."""
    known = {one.name: one for one in every()}
    if name not in known:
        raise UsageError(
            f"there is no experiment '{name}'{did_you_mean(name, known) or ';'} there are: {', '.join(known)}"
        )
    return known[name]
