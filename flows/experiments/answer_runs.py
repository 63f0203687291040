"""The runs from which an answer was computed, each with the hash of the weights that wrote it."""

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from newwiki.errors import TerminalError
from newwiki.records import Run
from storage.database import Database
from storage.experiments import StoredExperiment

_SHOWN = 8  # characters of a hash: enough to distinguish the few weights on a page


@dataclass(frozen=True, kw_only=True)
class AnswerRun:
    """A run from which an answer was computed.

    `model_sha256` is the hash of the weights; it is `unknown` for imported texts. `seed` is None if the run set no
    seed. An experiment that stores its texts outside runs gives each text set its own `run_id`.
    """

    run_id: str
    snapshot_id: str
    model: str
    model_sha256: str
    decoder: str
    dtype: str
    backend: str
    seed: int | None


def runs_of(database: Database, run_ids: Collection[str]) -> list[AnswerRun]:
    """Return the stored runs with these ids, sorted by id. Raises KeyError if an id is not stored."""
    runs = {run.run_id: run for run in database.records(AnswerRun, "answer_runs", sorted(set(run_ids)))}
    return [runs[run_id] for run_id in sorted(set(run_ids))]


def named_in(answer: StoredExperiment) -> list[AnswerRun]:
    """Return the runs that a stored answer names.

    The list is empty for an answer of an earlier version, which named only ids.
    """
    named: Sequence[Mapping[str, Any]] = json.loads(answer.read).get("runs", [])
    expected = {column.name for column in fields(AnswerRun)}
    return [AnswerRun(**run) for run in named if isinstance(run, dict) and run.keys() == expected]


def labels(runs: Iterable[AnswerRun]) -> dict[str, str]:
    """Map each run id to its model name, followed by the weights' hash if runs with other weights share that name."""
    listed = list(runs)
    weights: dict[str, set[str]] = {}
    for run in listed:
        weights.setdefault(run.model, set()).add(run.model_sha256)
    return {
        run.run_id: run.model if len(weights[run.model]) == 1 else f"{run.model} ({in_words(run.model_sha256)})"
        for run in listed
    }


def in_words(model_sha256: str) -> str:
    """Return `weights a1b2c3d4`, or `weights unknown` if the hash is unknown."""
    return "weights unknown" if model_sha256 == "unknown" else f"weights {model_sha256[:_SHOWN]}"


def require_same_weights(runs: Iterable[Run]) -> None:
    """Require that all runs of a model and decoder use the same weights.

    Raises TerminalError if they differ, for example because a checkpoint was overwritten between two runs.
    """
    seen: dict[tuple[str, str], str] = {}
    for run in runs:
        before = seen.setdefault((run.model, run.decoder), run.model_sha256)
        if before != run.model_sha256:
            raise TerminalError(
                f"the weights of {run.model} changed while it was evaluated ({in_words(before)}, then "
                f"{in_words(run.model_sha256)}); run the same command again"
            )
