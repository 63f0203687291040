"""An experiment from its question to its stored answer."""

import hashlib
import json
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

from flows.experiments.evaluations import Evaluations
from flows.experiments.experiment import Experiment
from flows.experiments.methods import methods_of
from newwiki.experiment_request import ExperimentRequest
from storage import experiments
from storage.experiments import StoredExperiment


def answer(experiment: Experiment, evaluations: Evaluations, request: ExperimentRequest) -> str:
    """The id of the answer, which is a hash of the question and of all that was read: asked again with the same runs
    and scores it is the same answer, and stored once."""
    found = experiment.find(evaluations, request)
    asked, read = _json(asdict(request)), _json(found.read)
    named = _json([experiment.name, experiment.version, asked, read])
    made = methods_of(experiment, request, found, json.loads(read), evaluations.database, evaluations.settings)
    stored = StoredExperiment(
        experiment_id=hashlib.sha256(named.encode()).hexdigest()[:16],
        name=experiment.name,
        version=experiment.version,
        snapshot_id=found.snapshot_id,
        request=asked,
        read=read,
        verdict=found.verdict,
        words=tuple(found.words),
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
