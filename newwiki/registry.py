"""Register every kind of piece in one way: a decorator, and entry points that name modules or folders to search.

A folder named by an entry point is searched completely, so a new piece is one new file in it. The project's own pieces
are found the same way as installed ones: see `[project.entry-points]` in `pyproject.toml`.
"""

import importlib
import importlib.util
import pkgutil
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from newwiki.columns import CALIBRATED, PARTS, RESERVED
from newwiki.errors import NewWikiError, TerminalError, UsageError, did_you_mean
from newwiki.names import require_name
from newwiki.records import Metric

if TYPE_CHECKING:
    from newwiki.settings import Settings

T = TypeVar("T")
_ENDS = tuple(filter(None, (*PARTS, *CALIBRATED)))
_PITFALLS = re.compile(r"\bPitfalls?:\s(.+?)(?:\n\s*\n|\Z)", re.DOTALL)


class Registry(Generic[T]):
    """The pieces of one kind by name, loaded on first use."""

    def __init__(self, kind: str, group: str) -> None:
        self.kind = kind
        self._group = group
        self._pieces: dict[str, T] = {}
        self._gathered = False

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle by name: another process uses its own registry, where its own imports register pieces."""
        return _registry, (self.kind,)

    def add(self, name: str, piece: T) -> None:
        require_name(name, f"the {self.kind}'s name")
        if name in self._pieces:
            raise TerminalError(f"two {self.kind}s are named '{name}'; rename one of them")
        self._pieces[name] = piece

    def put(self, name: str, piece: T) -> None:
        """Add a piece, replacing one with the same name."""
        self._pieces[name] = piece

    def all(self) -> Mapping[str, T]:
        if not self._gathered:
            self._gathered = True
            for entry in _installed().select(group=self._group):
                _import_whole(entry.load())
        return self._pieces

    def gathered(self) -> Mapping[str, T]:
        """The pieces registered so far, which may be before all are loaded."""
        return self._pieces

    def get(self, name: str) -> T:
        pieces = self.all()
        if name not in pieces:
            known = ", ".join(sorted(pieces))
            raise UsageError(f"there is no {self.kind} '{name}'; there are: {known}{did_you_mean(name, pieces)}")
        return pieces[name]


@cache
def _installed() -> Any:
    """Return the entry points of all installed packages, cached because reading them is slow."""
    return entry_points()


def _import_whole(loaded: object) -> None:
    if isinstance(loaded, ModuleType) and hasattr(loaded, "__path__"):
        for module in pkgutil.iter_modules(loaded.__path__, f"{loaded.__name__}."):
            importlib.import_module(module.name)


_plugins: list[Path] = []


def loaded_plugins() -> list[Path]:
    """Return the plug-in files that this process has run, for the processes that it starts."""
    return list(_plugins)


def load_plugin(path: Path) -> None:
    """Run a user's file once, so that its decorators take effect. Raises UsageError if it is missing or fails."""
    if not path.is_file():
        raise UsageError(f"there is no plug-in file '{path}'")
    if path.resolve() in _plugins:
        return
    spec = importlib.util.spec_from_file_location(f"newwiki_plugin_{path.stem}", path)
    assert spec and spec.loader
    try:
        spec.loader.exec_module(importlib.util.module_from_spec(spec))
    except NewWikiError:
        raise
    except Exception as error:
        raise UsageError(f"the plug-in file '{path}' fails when run: {type(error).__name__}: {error}") from error
    _plugins.append(path.resolve())


@dataclass(frozen=True, kw_only=True)
class Evaluator:
    """A function of (analysis, reference analysis) and its declared properties.

    `needs` names the parts of an analysis that need a model: `entities`, `embedding`. `packages` are the distributions
    whose versions change its numbers. `core` means that it runs by default; `costly` that it scores a sample of a run;
    `alone` that it ignores the reference, so no model has to read one for it. `verdicts` names the part of an analysis
    whose verdicts on claims are stored with its scores. `languages` holds the codes of the languages that it is defined
    for, empty for all: elsewhere its metrics are NULL. `across_languages` means that its numbers are comparable between
    any two languages that its model reads.
    """

    name: str
    function: Callable[..., Any]
    metrics: tuple[Metric, ...]
    version: str
    needs: frozenset[str] = frozenset()
    packages: tuple[str, ...] = ()
    parameters: Mapping[str, object] = field(default_factory=dict)
    core: bool = False
    costly: bool = False
    alone: bool = False
    verdicts: str = ""
    languages: frozenset[str] = frozenset()
    across_languages: bool = False

    def is_defined_for(self, language: str | None) -> bool:
        """Tell whether its numbers are meaningful for the language; assumed for texts without one."""
        return language is None or not self.languages or language in self.languages


@dataclass(frozen=True)
class MakerLoader:
    """How to load the model that makes a part of analyses: `load` may download it unless it is `at_hand`.

    `options` are the command-line options that choose the fields of its fingerprint: model, dtype, backend.
    `beside_article` means that the result for a text depends on the article, too. `unset` returns the setting that is
    missing, empty if none is. `languages` returns the codes of the languages that it reads under the settings, empty
    for all.
    """

    load: Callable[["Settings"], Any]
    options: Mapping[str, str]
    at_hand: Callable[["Settings"], bool]
    beside_article: bool = False
    unset: Callable[["Settings"], str] = lambda settings: ""
    languages: Callable[["Settings"], frozenset[str]] = lambda settings: frozenset()


@dataclass(frozen=True, kw_only=True)
class SetEvaluator(Evaluator):
    """A function of a Corpus: all kept texts of a run together. Its metrics have the scope `run`."""


@dataclass(frozen=True, kw_only=True)
class ReadingEvaluator(Evaluator):
    """A function of a Reading: the evaluated model's scores of an article. It needs no text by the model;
    `standardised` tells whether it uses that part of a Reading, which takes time."""

    standardised: bool = False


E = TypeVar("E", bound=Evaluator)


evaluators: Registry[Evaluator] = Registry("evaluator", "newwiki.evaluators")
makers: Registry[MakerLoader] = Registry("part of an analysis", "newwiki.evaluators")
set_evaluators: Registry[SetEvaluator] = Registry("set evaluator", "newwiki.set_evaluators")
reading_evaluators: Registry[ReadingEvaluator] = Registry("reading evaluator", "newwiki.evaluators")
decoders: Registry[Any] = Registry("decoder", "newwiki.decoders")
sources: Registry[Any] = Registry("source", "newwiki.sources")
models: Registry[Any] = Registry("backend", "newwiki.models")


def _registry(kind: str) -> Registry[Any]:
    registries = (evaluators, set_evaluators, reading_evaluators, makers, decoders, sources, models)
    return next(registry for registry in registries if registry.kind == kind)


def evaluator(
    *,
    metrics: Sequence[Metric],
    version: str,
    needs: set[str] | frozenset[str] = frozenset(),
    packages: Sequence[str] = (),
    parameters: Mapping[str, object] | None = None,
    core: bool = False,
    costly: bool = False,
    alone: bool = False,
    verdicts: str = "",
    languages: set[str] | frozenset[str] = frozenset(),
    across_languages: bool = False,
) -> Callable[[Callable[[Any, Any], Any]], Callable[[Any, Any], Any]]:
    """Register a function from (analysis, reference) to a number, an Unscorable, or a dict of them by metric name.

    Change `version` whenever the numbers change: it is part of every score's provenance.
    """

    return _declaring(
        evaluators,
        Evaluator,
        metrics,
        version=version,
        needs=frozenset(needs),
        packages=tuple(packages),
        parameters=dict(parameters or {}),
        core=core,
        costly=costly,
        alone=alone,
        verdicts=verdicts,
        languages=frozenset(languages),
        across_languages=across_languages,
    )


def reading_metrics() -> frozenset[str]:
    """Return the names of the metrics whose numbers come from a model that has read the articles: no text has one."""
    return frozenset(metric.name for evaluator in reading_evaluators.all().values() for metric in evaluator.metrics)


def check_names(evaluator: str, metrics: Sequence[Metric]) -> None:
    """Raise TerminalError for a metric whose name cannot be a column of the leaderboard along with all others."""
    if not metrics:
        raise TerminalError(f"the evaluator '{evaluator}' declares no metric; give it metrics=[…]")
    others = {
        metric.name.casefold(): other.name
        for registry in (evaluators, set_evaluators, reading_evaluators)
        for other in registry.gathered().values()
        for metric in other.metrics
        if other.name != evaluator
    }
    for place, metric in enumerate(metrics):
        name = metric.name
        before = {other.name.casefold() for other in metrics[:place]}
        problem = f"the evaluator '{evaluator}' declares a metric '{name}'"
        if not (name.isascii() and name.isidentifier()):
            raise TerminalError(
                f"{problem}, which is not a valid name; use letters, digits and _, such as lexical_richness"
            )
        if _is_taken(name):
            raise TerminalError(f"{problem}, which is reserved for a column of the leaderboard; rename it")
        if name.casefold() in others:
            raise TerminalError(f"{problem}, which '{others[name.casefold()]}' has already declared; rename it")
        if name.casefold() in before:
            raise TerminalError(f"{problem} twice; name each once")


def can_name_a_metric(name: str) -> bool:
    """Tell whether a column of the leaderboard can have this name."""
    return name.isascii() and name.isidentifier() and not _is_taken(name)


def require_metric_names(names: Iterable[str], where: str) -> None:
    """Check every metric name from data before it becomes part of SQL text.

    Raises TerminalError, with the name and its place, for a name that cannot be a column of the leaderboard, and for
    two names that differ only in case.
    """
    seen = dict[str, str]()
    for name in names:
        if not can_name_a_metric(name):
            raise TerminalError(
                f"{where} has a metric named {shown(name)}, which cannot name a column: use letters, digits and _, but "
                "not the leaderboard's own columns; do not use this data, and get it again from a source you trust"
            )
        if (other := seen.setdefault(name.casefold(), name)) != name:
            raise TerminalError(
                f"{where} has metrics named '{other}' and '{name}', which are the same column to the database; "
                "do not use this data, and get it again from a source you trust"
            )


def shown(name: str, longest: int = 60) -> str:
    """Return a foreign name for messages: on one line, without control characters, shortened."""
    return ascii(name if len(name) <= longest else f"{name[:longest]}…")


def _is_taken(name: str) -> bool:
    return name.casefold() in RESERVED or name.casefold().endswith(_ENDS)


def _with_pitfalls(metrics: Sequence[Metric], function: Callable[..., Any]) -> tuple[Metric, ...]:
    pitfalls = _PITFALLS.search(function.__doc__ or "")
    text = " ".join(pitfalls[1].split()) if pitfalls else ""
    return tuple(replace(metric, pitfalls=metric.pitfalls or text) for metric in metrics)


def set_evaluator(
    *,
    metrics: Sequence[Metric],
    version: str,
    needs: set[str] | frozenset[str] = frozenset(),
    packages: Sequence[str] = (),
    parameters: Mapping[str, object] | None = None,
) -> Callable[[Callable[[Any], Any]], Callable[[Any], Any]]:
    """Register a function from a Corpus to a number, a SetScore, an Unscorable, or a dict of them by metric name.

    It runs only if requested by name, or with `all`. Change `version` whenever the numbers change.
    """

    return _declaring(
        set_evaluators,
        SetEvaluator,
        [replace(metric, scope="run") for metric in metrics],
        version=version,
        needs=frozenset(needs),
        packages=tuple(packages),
        parameters=dict(parameters or {}),
    )


def reading_evaluator(
    *,
    metrics: Sequence[Metric],
    version: str,
    parameters: Mapping[str, object],
    standardised: bool = False,
    core: bool = False,
) -> Callable[[Callable[[Any], Any]], Callable[[Any], Any]]:
    """Register a function from a Reading to a number, an Unscorable, or a dict of them by metric name.

    Its `parameters` describe how the article is read, and not by which model: models are what is compared. With `core`,
    every evaluation of a model that can read has its scores.
    """
    return _declaring(
        reading_evaluators,
        ReadingEvaluator,
        metrics,
        version=version,
        parameters=dict(parameters),
        standardised=standardised,
        core=core,
    )


def _declaring(
    registry: Registry[E], kind: type[E], metrics: Sequence[Metric], **declared: Any
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return a decorator that registers a function as an evaluator of this kind, under its name."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        name = function.__name__
        check_names(name, metrics)
        complete = _with_pitfalls(metrics, function)
        registry.add(name, kind(name=name, function=function, metrics=complete, **declared))
        return function

    return register


def maker(
    *parts: str,
    options: Mapping[str, str] | None = None,
    at_hand: Callable[["Settings"], bool] = lambda settings: True,
    beside_article: bool = False,
    unset: Callable[["Settings"], str] = lambda settings: "",
    languages: Callable[["Settings"], frozenset[str]] = lambda settings: frozenset(),
) -> Callable[[Callable[["Settings"], Any]], Callable[["Settings"], Any]]:
    """Register a function that loads, according to the settings, the model that makes these parts of analyses.

    `options` tell how a user chooses it, such as `{"model": "--entities"}`; errors that ask for another model name
    them.
    """

    def register(load: Callable[["Settings"], Any]) -> Callable[["Settings"], Any]:
        for part in parts:
            makers.add(part, MakerLoader(load, options or {}, at_hand, beside_article, unset, languages))
        return load

    return register
