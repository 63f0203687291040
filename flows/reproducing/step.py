"""What is carried out of a paper: a step makes tasks for the exhibits that it fills, and reads what came of them."""

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
    """A paper with what is at hand to carry it out: `new` and `old` are the snapshots, the second None where there is
    no snapshot of old articles."""

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
        """What is loaded for the model of a number, or why nothing is."""
        return self.models.models[number.model.name] if number.model else "the paper does not say of which model it is"

    def lacking(self, metric: str) -> str:
        """Why a metric cannot be had here; nothing where it can."""
        try:
            [evaluator] = select(metric)
        except UsageError:
            return f"{metric} is none of the metrics here"
        if not is_installed(evaluator):
            return f"{metric} needs a package that is not installed; newwiki metrics says which"
        away = [part for part in evaluator.needs if not makers.get(part).at_hand(self.settings)]
        unset = next((told for part in away if (told := makers.get(part).unset(self.settings))), "")
        options = ", ".join(option for part in away for option in makers.get(part).options.values())
        how = unset or f"what it needs is not on this machine{f' (see {options})' if options else ''}"
        return f"{metric}: {how}" if away else ""

    def nearest(self, metric: PaperMetric) -> tuple[str, str]:
        """Our metric that stands for the paper's, or none and why."""
        reasons = {name: self.lacking(name) for name in metric.here}
        found = next((name for name, why in reasons.items() if not why), "")
        return found, "" if found else next(iter(reasons.values()), NO_COMMAND)


@dataclass(frozen=True, kw_only=True)
class Task:
    """Runs that are made, or an experiment that is asked, for these `exhibits`. `texts` are all that it takes, stored
    or not; `scaled` says what the scale did to each number of the paper's."""

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
    """What came of a task: its runs and who scored them, or the id of its answer; or why it failed."""

    runs: Sequence[Run] = ()
    scored_by: frozenset[str] = frozenset()
    answer: str = ""
    verdict: str = ""
    failed: str = ""


# From an exhibit and a number of it to ours, or to why there is none; None where the step does not know of it
Reader = Callable[[Exhibit, Number], Ours | str | None]


@dataclass(frozen=True)
class Step:
    """`tasks` are those of the exhibits that are the step's by `fills`; `reader` gets what came of them by name."""

    fills: Callable[[Paper, Exhibit], bool]
    tasks: Callable[[Reproduction, Sequence[Exhibit]], list[Task]]
    reader: Callable[[Reproduction, Mapping[str, Outcome]], Reader]

    def exhibits(self, paper: Paper) -> list[Exhibit]:
        return [one for one in paper.exhibits if self.fills(paper, one)]


def every() -> list[Step]:
    """Return the steps: evaluations and topics, and those in `reproduce.py` of each experiment that has one."""
    folders = sorted(folder.name for folder in pkgutil.iter_modules(experiments.__path__) if folder.ispkg)
    modules = [f"flows.experiments.{folder}.reproduce" for folder in folders]
    found = [module for module in modules if importlib.util.find_spec(module)]
    names = ["flows.reproducing.evaluations", *found, "flows.reproducing.topics"]
    return [importlib.import_module(name).STEP for name in names]


def asks_for(command: str) -> Callable[[Paper, Exhibit], bool]:
    """Whether an exhibit is answered by this command."""
    return lambda paper, exhibit: command in exhibit.commands
