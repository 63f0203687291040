"""A step of a reproduction: it makes tasks for the exhibits that it fills, and reads their outcomes."""

import importlib
import importlib.util
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from evaluators.scoring import is_installed, select
from flows import experiments
from flows.reproducing.chosen_models import ChosenModel, ChosenModels
from flows.reproducing.matching import Ours
from flows.reproducing.scale import Scaled
from newwiki.errors import UsageError
from newwiki.papers.published import Exhibit, Number, Paper, PaperMetric
from newwiki.records import Run
from newwiki.registry import makers
from newwiki.reproduce_request import ReproduceRequest
from newwiki.request import EvaluationRequest
from newwiki.settings import Settings
from newwiki.snapshot import Snapshot
from storage.database import Database

NO_COMMAND = "no command measures it"


@dataclass(frozen=True)
class Reproduction:
    """A paper with the resources for its reproduction.

    `new` and `old` are snapshots. `old` is None if there is no snapshot of old articles.
    """

    paper: Paper
    request: ReproduceRequest
    settings: Settings
    database: Database
    models: ChosenModels
    new: Snapshot
    old: Snapshot | None

    @property
    def scale(self) -> float:
        return self.request.scale

    def model(self, number: Number) -> ChosenModel | str:
        """Return the loaded model for a number, or the reason why none is loaded."""
        return self.models.models[number.model.name] if number.model else "the paper does not say of which model it is"

    def lacking(self, metric: str) -> str:
        """Return the reason why a metric is unavailable, or an empty string."""
        try:
            [evaluator] = select(metric)
        except UsageError:
            return f"{metric} is none of the metrics here"
        if not is_installed(evaluator):
            return f"{metric} needs a package that is not installed; newwiki list metrics says which"
        away = [part for part in evaluator.needs if not makers.get(part).at_hand(self.settings)]
        unset = next((text for part in away if (text := makers.get(part).unset(self.settings))), "")
        options = ", ".join(option for part in away for option in makers.get(part).options.values())
        how = unset or f"what it needs is not on this machine{f' (see {options})' if options else ''}"
        return f"{metric}: {how}" if away else ""

    def nearest(self, metric: PaperMetric) -> tuple[str, str]:
        """Return our metric for a metric of the paper, or an empty string and the reason for its absence."""
        reasons = {name: self.lacking(name) for name in metric.here}
        available = next((name for name, why in reasons.items() if not why), "")
        return available, "" if available else next(iter(reasons.values()), NO_COMMAND)


@dataclass(frozen=True, kw_only=True)
class Task:
    """An evaluation or an experiment for these `exhibits`.

    `texts` counts all necessary texts, stored or not. `scaled` holds each number of the paper's protocol with its
    scaled value.
    """

    name: str
    request: EvaluationRequest
    experiment: str = ""
    exhibits: Sequence[str]
    runs: int
    texts: int
    tokens: int
    scaled: Sequence[Scaled]


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """The outcome of a task: its runs and their evaluators, the id of the experiment's answer, or the error."""

    runs: Sequence[Run] = ()
    scored_by: frozenset[str] = frozenset()
    answer: str = ""
    verdict: str = ""
    failed: str = ""


# Maps an exhibit and one of its numbers to ours, or to the reason for its absence; None if the step does not cover it
Reader = Callable[[Exhibit, Number], Ours | str | None]


@dataclass(frozen=True)
class Step:
    """A step of a reproduction.

    `fills` selects its exhibits, `tasks` plans them, and `reader` gets the outcomes by task name.
    """

    fills: Callable[[Paper, Exhibit], bool]
    tasks: Callable[[Reproduction, Sequence[Exhibit]], list[Task]]
    reader: Callable[[Reproduction, Mapping[str, Outcome]], Reader]

    def exhibits(self, paper: Paper) -> list[Exhibit]:
        return [exhibit for exhibit in paper.exhibits if self.fills(paper, exhibit)]


def every() -> list[Step]:
    """Return all steps: evaluations, the steps in `reproduce.py` of the experiments, and topics."""
    folders = sorted(folder.name for folder in pkgutil.iter_modules(experiments.__path__) if folder.ispkg)
    modules = [f"flows.experiments.{folder}.reproduce" for folder in folders]
    importable = [module for module in modules if importlib.util.find_spec(module)]
    names = ["flows.reproducing.evaluations", *importable, "flows.reproducing.topics"]
    return [importlib.import_module(name).STEP for name in names]


def asks_for(command: str) -> Callable[[Paper, Exhibit], bool]:
    """Return a predicate for exhibits that this command reproduces."""
    return lambda paper, exhibit: command in exhibit.commands
