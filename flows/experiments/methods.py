"""Record how an answer was made, so that it can be reproduced and cited; pages and JSON show the same record."""

import json
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any, Self

from flows.evaluating.generate import find_models
from flows.experiments.experiment import Answer, Experiment
from flows.verdict_kinds import VerdictKind, kind_of
from newwiki.errors import NewWikiError
from newwiki.experiment_request import AnyExperimentRequest, ModelFreeRequest
from newwiki.fields import as_typed
from newwiki.models.files import parameter_count
from newwiki.private_places import public_decoder, public_name
from newwiki.settings import Settings
from storage.database import Database

_DISTRIBUTION = "newwiki-eval"
# Settings that the experiment command takes as options and that affect its numbers
_SCORING = (
    "template", "entities", "embedder", "embedder_dtype", "embedder_backend", "likelihood_model", "lexicon",
    "pair_scorer", "evidence",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class SnapshotRead:
    """A snapshot: its id, the SHA-256 of its content, and its number of articles."""

    snapshot_id: str
    content_sha256: str
    articles: int


@dataclass(frozen=True, kw_only=True)
class ModelRead:
    """A model: its name without the local path, the SHA-256 of its weights, and its number of parameters.

    The number is None if the checkpoint is not available locally.
    """

    model: str
    model_sha256: str
    parameters: int | None


@dataclass(frozen=True, kw_only=True)
class RunRead:
    """A run and its settings.

    `kept_prompts` is the number of prompts for which the run has texts. `samples` and `keep` are None for a decoder
    that is deterministic.
    """

    run_id: str
    model: str
    model_sha256: str
    backend: str
    decoder: str
    template: str
    prompts: int
    kept_prompts: int | None
    samples: int | None
    keep: int | None
    max_new_tokens: int | None
    seed: int | None
    dtype: str | None


@dataclass(frozen=True, kw_only=True)
class EvaluatorRead:
    """An evaluator and its version, with its model and the SHA-256 of the weights if it uses a model."""

    evaluator_id: str
    name: str
    version: str
    model: str | None
    model_sha256: str | None


@dataclass(frozen=True, kw_only=True)
class Lacking:
    """Texts of a run that have no number for a metric, and the reason.

    If `metric` is None, the entry counts prompts for which the run has no text.
    """

    run_id: str
    metric: str | None
    why: str
    texts: int


@dataclass(frozen=True, kw_only=True)
class Methods:
    """The record of how an answer was made.

    `command` reproduces the answer. `asked` is the whole request, including defaults. `unit` names the unit over which
    intervals and verdicts generalize. `units` is the smallest and the largest number of these units.
    """

    command: str
    software: str
    asked: Mapping[str, Any]
    unit: str
    units: tuple[int, int] | None
    snapshots: Sequence[SnapshotRead]
    models: Sequence[ModelRead]
    decoders: Sequence[str]
    runs: Sequence[RunRead]
    evaluators: Sequence[EvaluatorRead]
    left_out: Sequence[Lacking]

    def to_json(self) -> str:
        return json.dumps(asdict(self), sort_keys=True, ensure_ascii=False, default=str)

    @classmethod
    def from_json(cls, text: str) -> Self:
        read: dict[str, Any] = json.loads(text)
        for name, kind in _LISTS.items():
            read[name] = [kind(**row) for row in read[name]]
        read["units"] = tuple(read["units"]) if read["units"] else None
        return cls(**read)

    @property
    def settings(self) -> Mapping[str, Sequence[Any]]:
        """Map each setting to its values in all runs, or to the requested value if the experiment stores no runs."""
        if not self.runs:
            return {name: [self.asked[name]] for name in _SETTINGS if name in self.asked}
        return {name: list(dict.fromkeys(getattr(run, name) for run in self.runs)) for name in _SETTINGS}


_LISTS: Mapping[str, Any] = {
    "snapshots": SnapshotRead, "models": ModelRead, "runs": RunRead, "evaluators": EvaluatorRead, "left_out": Lacking
}  # fmt: skip
_SETTINGS = ("prompts", "template", "samples", "keep", "max_new_tokens", "seed", "dtype", "backend")


def methods_of(
    experiment: Experiment,
    request: AnyExperimentRequest,
    answer: Answer,
    read: Mapping[str, Any],
    kind: VerdictKind | None,
    database: Database,
    settings: Settings,
) -> Methods:
    """Build the methods record of an answer.

    Runs, evaluators and snapshots are looked up by the ids that occur in `read` and in the answer's rows.
    """
    names = sorted({*_texts(read), *_named_in_rows(answer.rows)})
    with database.read():
        snapshots = database.records(SnapshotRead, "snapshots_read", names)
        runs = database.records(RunRead, "runs_read", names)
        evaluators = database.records(EvaluatorRead, "evaluators_read", names)
        lacking = database.records(Lacking, "scores_lacking", names)
    pinned = _pinned(request, answer, snapshots)
    return Methods(
        command=_command(experiment, pinned, settings),
        software=f"{_DISTRIBUTION} {version(_DISTRIBUTION)}",
        asked=_request_values(pinned),
        unit=kind.over if kind else "nothing, as it gives no verdict",
        units=_units(kind, answer, runs) if kind else None,
        snapshots=snapshots,
        models=[
            ModelRead(model=public_name(name), model_sha256=sha256, parameters=_parameters(request, name))
            for name, sha256 in _weights(runs, read)
        ],
        decoders=list(dict.fromkeys(map(public_decoder, [run.decoder for run in runs] or _decoders(request)))),
        runs=[replace(_public(run), decoder=public_decoder(run.decoder)) for run in runs],
        evaluators=[_public(evaluator) for evaluator in evaluators],
        left_out=[*_without_text(runs), *lacking],
    )


def _decoders(request: AnyExperimentRequest) -> Sequence[str]:
    return () if isinstance(request, ModelFreeRequest) else request.decoder


def _weights(runs: Sequence[RunRead], read: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return each model with the hash of its weights; two sets of weights under one name count as two models."""
    named = read.get("models")
    others = named.items() if isinstance(named, Mapping) else ()
    return sorted({(run.model, run.model_sha256) for run in runs} | set(others))


def _texts(value: Any) -> Iterator[str]:
    """Yield all strings in a JSON value, including keys."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for name, inner in value.items():
            yield from (name, *_texts(inner))
    elif isinstance(value, Iterable):
        for inner in value:
            yield from _texts(inner)


def _named_in_rows(rows: Iterable[Sequence[Any]]) -> Iterator[str]:
    for row in (record for table in rows for record in table):
        for name in ("run_id", "evaluator_id"):
            if value := getattr(row, name, None):
                yield value


def _pinned(request: AnyExperimentRequest, answer: Answer, snapshots: Sequence[SnapshotRead]) -> AnyExperimentRequest:
    """Return the request with the resolved snapshots, so that the command is reproducible in a later month."""
    chosen = dict(answer.pinned)
    if answer.snapshot_id in {snapshot.snapshot_id for snapshot in snapshots}:
        chosen["snapshot"] = answer.snapshot_id
    return replace(request, **chosen)


def _command(experiment: Experiment, request: AnyExperimentRequest, settings: Settings) -> str:
    usual = {setting.name: setting.default for setting in fields(Settings)}
    words = ["newwiki", "experiment", experiment.name, *shlex.split(as_typed(request))]
    for name in _SCORING:
        if getattr(settings, name) != usual[name]:
            words += [f"--{name.replace('_', '-')}", getattr(settings, name)]
    for scorer in filter(None, settings.scorers.split(",")):
        words += ["--scorer", scorer]
    return shlex.join(map(public_name, words))


def _request_values(request: AnyExperimentRequest) -> dict[str, Any]:
    def plain(value: Any) -> Any:
        if isinstance(value, tuple):
            return [plain(item) for item in value]
        return public_name(str(value)) if isinstance(value, str | Path) else value

    return {name: plain(value) for name, value in asdict(request).items()}


def _units(kind: VerdictKind, answer: Answer, runs: Sequence[RunRead]) -> tuple[int, int] | None:
    """Return the smallest and the largest number of units.

    The numbers come from the answer itself, else from the rows with verdicts of this kind, else from the runs. Return
    None if no source counts the unit.
    """
    judged = [row for table in answer.rows for row in table if kind_of(row) == kind]
    counts = [int(getattr(row, kind.counted, None) or 0) for row in judged]
    known = sorted(answer.units or filter(None, counts)) or sorted(int(getattr(run, kind.counted, 0)) for run in runs)
    return (known[0], known[-1]) if known and known[0] else None


def _without_text(runs: Sequence[RunRead]) -> list[Lacking]:
    return [
        Lacking(run_id=run.run_id, metric=None, why="no text", texts=run.prompts - run.kept_prompts)
        for run in runs
        if run.max_new_tokens is not None and run.kept_prompts is not None and run.kept_prompts < run.prompts
    ]


def _parameters(request: AnyExperimentRequest, name: str) -> int | None:
    """Return the model's number of parameters, or None if it is unknown.

    Hub files are looked up only for models that the request names; other models are searched for only as local folders.
    """
    folder = Path(name) if Path(name).is_dir() else None
    if folder is None and not isinstance(request, ModelFreeRequest) and name in set(_texts(_request_values(request))):
        try:
            folder = find_models(request.backend, [name], request.loading)[name]
        except NewWikiError:
            return None
    return parameter_count(folder) if folder else None


def _public(row: Any) -> Any:
    return replace(row, model=public_name(row.model)) if row.model else row
