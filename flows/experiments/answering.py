"""An experiment from its question to its stored answer."""

import hashlib
import json
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path

from flows.comparing.shown_levels import level_notes
from flows.experiments.evaluations import Evaluations
from flows.experiments.experiment import Experiment
from flows.experiments.methods import methods_of
from flows.verdict_kinds import kinds_of
from newwiki.experiment_request import ExperimentRequest
from newwiki.private_places import public_name
from storage import experiments, verifications
from storage.experiments import StoredExperiment


def answer(experiment: Experiment, evaluations: Evaluations, request: ExperimentRequest) -> str:
    """The id of the answer, which is a hash of the question and of all that was read: asked again with the same runs
    and scores it is the same answer, and stored once. It names the runs by id and weights.

    The answer names the units over which its verdict generalizes: those of the first of its tables that has verdicts.
    It says which of the runs have numbers that nobody here has verified.
    """
    found = experiment.compute(evaluations, request)
    runs = sorted(found.runs, key=lambda run: run.run_id)
    asked, read = _json(asdict(request)), _json({**found.read, "runs": [asdict(run) for run in runs]})
    # Weights in another folder are the same
    weights = [asdict(replace(run, model=public_name(run.model))) for run in runs]
    kinds = kinds_of(found.rows)
    identity = _json([experiment.name, experiment.version, asked, found.read, weights])
    kind = kinds[0] if kinds else None
    made = methods_of(experiment, request, found, json.loads(read), kind, evaluations.database, evaluations.settings)
    levels = verifications.levels(evaluations.database, [run.run_id for run in runs])
    read_by = {one.evaluator_id for one in made.evaluators}
    notes = level_notes((run_id, run_id, one.level) for (run_id, by), one in levels.items() if by in read_by)
    stored = StoredExperiment(
        experiment_id=hashlib.sha256(identity.encode()).hexdigest()[:16],
        name=experiment.name,
        version=experiment.version,
        snapshot_id=found.snapshot_id,
        request=asked,
        read=read,
        verdict=found.verdict,
        generalizes_over=kind.over if kind else None,
        words=(*found.words, *(one.words for one in notes), *(kind.sentence for kind in kinds)),
        made_at=datetime.now(UTC).replace(microsecond=0),
        methods=made.to_json(),
    )
    experiments.keep(evaluations.database, stored, found.rows)
    return stored.experiment_id


def _json(value: object) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, default=_plain)


def _plain(value: object) -> str:
    if not isinstance(value, Path):
        raise TypeError(f"{type(value).__name__} is no JSON")
    return str(value)
