"""Compute an experiment's answer and store it."""

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
from newwiki.experiment_request import AnyExperimentRequest
from newwiki.private_places import public_name
from storage import experiments, verifications
from storage.experiments import StoredExperiment


def answer(experiment: Experiment, evaluations: Evaluations, request: AnyExperimentRequest) -> str:
    """Compute and store an answer, and return its id.

    The id is a hash of the request and of everything that was read. The same request with the same runs and scores
    therefore gives the same id, and the answer is stored once. The answer names its runs by id and weights. If some of
    their numbers are unverified, the id also covers what the answer says of them: after a check it is another answer.

    The answer also names the units over which its verdict generalizes: the units of its first table with verdicts. It
    states which runs have numbers that nobody has verified on this machine.
    """
    computed = experiment.compute(evaluations, request)
    runs = sorted(computed.runs, key=lambda run: run.run_id)
    request_json, read = _json(asdict(request)), _json({**computed.read, "runs": [asdict(run) for run in runs]})
    # The folder of a checkpoint does not identify its weights, so the id ignores it
    weights = [asdict(replace(run, model=public_name(run.model))) for run in runs]
    kinds = kinds_of(computed.rows)
    kind = kinds[0] if kinds else None
    with evaluations.database.read():
        methods = methods_of(
            experiment, request, computed, json.loads(read), kind, evaluations.database, evaluations.settings
        )
        levels = verifications.levels(evaluations.database, [run.run_id for run in runs])
    read_by = {evaluator.evaluator_id for evaluator in methods.evaluators}
    notes = level_notes(
        (run_id, run_id, verification.level) for (run_id, by), verification in levels.items() if by in read_by
    )
    level_sentences = [note.words for note in notes]  # no notes leave the id as it is in databases of earlier versions
    identity = _json(
        [experiment.name, experiment.version, request_json, computed.read, weights, *filter(None, [level_sentences])]
    )
    stored = StoredExperiment(
        experiment_id=hashlib.sha256(identity.encode()).hexdigest()[:16],
        name=experiment.name,
        version=experiment.version,
        snapshot_id=computed.snapshot_id,
        request=request_json,
        read=read,
        verdict=computed.verdict,
        generalizes_over=kind.over if kind else None,
        words=(*computed.words, *level_sentences, *(kind.sentence for kind in kinds)),
        made_at=datetime.now(UTC).replace(microsecond=0),
        methods=methods.to_json(),
    )
    experiments.keep(evaluations.database, stored, computed.rows)
    return stored.experiment_id


def _json(value: object) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, default=_plain)


def _plain(value: object) -> str:
    if not isinstance(value, Path):
        raise TypeError(f"{type(value).__name__} is no JSON")
    return str(value)
