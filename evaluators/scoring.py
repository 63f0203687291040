"""Turn analyses into scores: select evaluators, compute their fingerprints, and give one Score per metric and text or
run."""

import dis
import hashlib
import inspect
import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from evaluators.analysis import ANALYSIS_VERSION, Analysis, Analyst, Maker
from evaluators.corpus import CORPUS_VERSION, DRAWS, Corpus
from evaluators.counts import READABILITY_VERSION
from newwiki.errors import NewWikiError, TerminalError, UsageError
from newwiki.private_places import public_name
from newwiki.records import LARGEST_SCORE, Fingerprint, Metric, Reading, RunScore, Score, SetScore, Unscorable
from newwiki.registry import (
    Evaluator,
    ReadingEvaluator,
    SetEvaluator,
    evaluators,
    makers,
    reading_evaluators,
    set_evaluators,
)
from newwiki.source_code import source_sha256
from newwiki.text.words import WORDS_VERSION


def select(names: str) -> list[Evaluator]:
    """Select the evaluators of `core`, of `claims`, of `all`, or those of the comma-separated metrics, `core` and
    `claims` among them: of texts, of sets and of what a model has read. `core` selects those of texts.

    Raises UsageError for a metric that none gives, TerminalError if two have the same name.
    """
    kinds: list[Mapping[str, Evaluator]] = [evaluators.all(), set_evaluators.all(), reading_evaluators.all()]
    everyone = [evaluator for kind in kinds for evaluator in kind.values()]
    if duplicates := [name for name, count in Counter(name for kind in kinds for name in kind).items() if count > 1]:
        raise TerminalError(f"two evaluators of different kinds are named '{min(duplicates)}'; rename one of them")
    if names == "all":
        return everyone
    groups = {
        "core": [candidate for candidate in everyone if candidate.core and not isinstance(candidate, ReadingEvaluator)],
        "claims": [candidate for candidate in everyone if candidate.verdicts],
    }
    givers = {metric.name: [evaluator] for evaluator in everyone for metric in evaluator.metrics}
    wanted = [name.strip() for name in names.split(",")]
    if unknown := [name for name in wanted if name not in groups and name not in givers]:
        raise UsageError(
            f"there is no metric '{unknown[0]}'; known metrics: {', '.join(sorted(givers))}; core, claims and all "
            "select several at once"
        )
    return list(
        {candidate.name: candidate for name in wanted for candidate in (groups.get(name) or givers[name])}.values()
    )


def needs_of(chosen: Iterable[Evaluator]) -> frozenset[str]:
    """Return the parts of an analysis that these evaluators read and that need a model, such as `entities`."""
    return frozenset().union(*(evaluator.needs for evaluator in chosen))


def reads_article(evaluator: Evaluator) -> bool:
    """Tell whether the evaluator's numbers can depend on the article that a text is compared with: whether its function
    uses its second argument, or needs a part that depends on the article. If a function does not show which argument
    that is, they can."""
    if any(makers.get(part).beside_article for part in evaluator.needs):
        return True
    code = getattr(inspect.unwrap(evaluator.function), "__code__", None)
    if evaluator.alone or code is None or code.co_argcount < 2:
        return not evaluator.alone
    second = code.co_varnames[1]
    return second in code.co_cellvars or any(step.argval == second for step in dis.get_instructions(code))


def fingerprint(evaluator: Evaluator, analyst: Analyst) -> Fingerprint:
    """Identify the scorer: the evaluator with its models and the versions of everything that changes its numbers.

    Raises TerminalError if the analyst lacks a model that the evaluator needs, or a package is not installed.
    """
    models = analyst.makers(evaluator.needs)
    of_run = isinstance(evaluator, SetEvaluator)
    read = {"corpus": CORPUS_VERSION, "draws": DRAWS} if of_run else {"analysis": ANALYSIS_VERSION}
    if isinstance(evaluator, ReadingEvaluator):
        read = {}
    foreign = _source(evaluator.function)
    if foreign and read.keys() == {"analysis"}:
        read |= {"readability": READABILITY_VERSION, "words": WORDS_VERSION}
    parameters: dict[str, object] = {**read, **evaluator.parameters, **foreign}
    for maker in models:
        for part in sorted(evaluator.needs & maker.parts):
            parameters |= _part_parameters(maker, part)
        parameters |= {**maker.parameters, **_source(type(maker), f"source_of_{type(maker).__name__}")}
    packages = {*evaluator.packages, *(package for maker in models for package in maker.packages)}
    unnamed = Fingerprint(
        evaluator_id="",
        name=evaluator.name,
        version=evaluator.version,
        model=_joined(maker.model and public_name(maker.model) for maker in models),
        model_sha256=_joined(maker.model_sha256 for maker in models),
        parameters=parameters,
        dependencies={package: _version(package, evaluator) for package in sorted(packages)},
        dtype=_joined(maker.dtype for maker in models),
        backend=_joined(maker.backend for maker in models),
    )
    return replace(unnamed, evaluator_id=evaluator_id_of(unnamed))


def evaluator_id_of(described: Fingerprint) -> str:
    """Return the hash of a fingerprint without its id."""
    return _hash({name: value for name, value in asdict(described).items() if name != "evaluator_id"})


def _source(piece: object, name: str = "source_sha256") -> dict[str, object]:
    """Return, for code that is not ours, the hash of its source; else nothing."""
    sha256 = source_sha256(piece)
    return {name: sha256} if sha256 else {}


def _part_parameters(maker: Maker, part: str) -> Mapping[str, object]:
    """Return what a maker declares of this part alone, in an optional attribute `part_parameters`."""
    declared: Mapping[str, Mapping[str, object]] = getattr(maker, "part_parameters", {})
    return declared.get(part, {})


def made_by(maker: Maker, part: str) -> str:
    """Return a hash of the model that makes this part, and of everything that changes its output."""
    described = {
        "analysis": ANALYSIS_VERSION,
        "model": [maker.model, maker.model_sha256],
        "parameters": {**_part_parameters(maker, part), **maker.parameters, **_source(type(maker))},
        "dependencies": {package: version(package) for package in maker.packages},
        "computed": [maker.dtype, maker.backend],
    }
    return _hash(described)


def score(
    chosen: Sequence[Evaluator],
    fingerprints: Mapping[str, Fingerprint],
    pages_and_samples: Sequence[tuple[int, int]],
    analyses: Sequence[Analysis],
    references: Mapping[int, Analysis],
    language: str | None = None,
) -> list[Score]:
    """Compute every metric of every text: `fingerprints` by evaluator name, `references` by page id.

    A score is NULL if the evaluator is not defined for the texts' `language` (None: unknown).

    A reference article is scored by passing its own analysis as its reference. Raises TerminalError if an evaluator
    returns other metrics than it has declared.
    """
    ids = {name: made_by.evaluator_id for name, made_by in fingerprints.items()}
    return [
        Score(page_id, sample, metric.name, *_value_and_status(metric, value), ids[evaluator.name])
        for (page_id, sample), analysis in zip(pages_and_samples, analyses, strict=True)
        for evaluator in chosen
        for metric, value in _called_in(language, evaluator, analysis, references[page_id]).items()
    ]


def score_set(evaluator: SetEvaluator, evaluator_id: str, corpus: Corpus) -> list[RunScore]:
    """Compute every metric of the run. Raises TerminalError if the evaluator returns others than it has declared."""
    scores = []
    for metric, returned in _called(evaluator, corpus).items():
        value, status = _value_and_status(metric, returned.value if isinstance(returned, SetScore) else returned)
        spread = returned.spread if isinstance(returned, SetScore) and status == "ok" else None
        scores.append(RunScore(metric.name, value, spread, status, evaluator_id, len(corpus.texts)))
    return scores


def score_reading(
    chosen: Sequence[ReadingEvaluator], fingerprints: Mapping[str, Fingerprint], page_id: int, reading: Reading
) -> list[Score]:
    """Compute every metric of an article that a model has read. Raises TerminalError as `score` does."""
    return [
        Score(page_id, 0, metric.name, *_value_and_status(metric, value), fingerprints[evaluator.name].evaluator_id)
        for evaluator in chosen
        for metric, value in _called(evaluator, reading).items()
    ]


def _hash(described: Mapping[str, object]) -> str:
    canonical = json.dumps(described, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(canonical.encode()).hexdigest()[:16]


def _joined(of_makers: Iterable[str | None]) -> str | None:
    return " + ".join(filter(None, of_makers)) or None


def is_installed(evaluator: Evaluator) -> bool:
    """Tell whether the packages that the evaluator needs are installed."""
    return all(map(_is_package_installed, evaluator.packages))


def _is_package_installed(package: str) -> bool:
    try:
        version(package)
    except PackageNotFoundError:
        return False
    return True


def _version(package: str, evaluator: Evaluator) -> str:
    try:
        return version(package)
    except PackageNotFoundError as error:
        raise TerminalError(
            f"the evaluator '{evaluator.name}' needs the package {package}; run pip install {package}"
        ) from error


def is_broken(status: str) -> bool:
    """Tell whether a score is NULL because its evaluator failed, rather than because the text has no score."""
    return status.startswith(_BROKEN)


_BROKEN = ("error: ", "no number: ", "out of range: ")
_ROUNDING = 1e-5  # by which a number may exceed a bound, as a share of it


def _called_in(language: str | None, evaluator: Evaluator, *arguments: Any) -> dict[Metric, Any]:
    if evaluator.is_defined_for(language):
        return _called(evaluator, *arguments)
    return dict.fromkeys(evaluator.metrics, Unscorable(f"not defined for texts in '{language}'"))


def _called(evaluator: Evaluator, *arguments: Any) -> dict[Metric, Any]:
    """Call the evaluator's function, and return a value for each declared metric.

    If it fails, every value is the error. Raises errors that concern more than this text: our own, and lack of memory.
    """
    try:
        returned = evaluator.function(*arguments)
    except (NewWikiError, MemoryError):
        raise
    except Exception as error:  # noqa: BLE001 (a plug-in may fail with any exception; the others continue)
        returned = Unscorable(f"error: {type(error).__name__}: {' '.join(str(error).split())[:200]}".rstrip(": "))
    if isinstance(returned, Unscorable):
        return dict.fromkeys(evaluator.metrics, returned)
    values: Mapping[str, Any] = returned if isinstance(returned, Mapping) else {evaluator.metrics[0].name: returned}
    declared = [metric.name for metric in evaluator.metrics]
    if set(values) != set(declared):
        given = ", ".join(map(str, values))
        raise TerminalError(
            f"the evaluator '{evaluator.name}' declares {', '.join(declared)} but returned {given}; "
            "make metrics=[…] and the returned names agree"
        )
    return {metric: values[metric.name] for metric in evaluator.metrics}


def _value_and_status(metric: Metric, value: Any) -> tuple[float | None, str]:
    """Return the number, or None and the reason why there is none."""
    if isinstance(value, Unscorable):
        return None, value.reason
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return None, f"no number: {' '.join(repr(value).split())[:80]}"
    if not math.isfinite(number):
        return None, "not finite"
    minimum = -LARGEST_SCORE if metric.minimum is None else metric.minimum
    maximum = LARGEST_SCORE if metric.maximum is None else metric.maximum
    if number < minimum - _ROUNDING * max(1.0, abs(minimum)):
        return None, f"out of range: {number:.6g} is below {minimum:g}"
    if number > maximum + _ROUNDING * max(1.0, abs(maximum)):
        return None, f"out of range: {number:.6g} is above {maximum:g}"
    return number, "ok"
