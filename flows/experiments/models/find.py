"""From the models that ran under one setting to what their texts say of the paper's statements on models."""

from collections.abc import Mapping
from pathlib import Path

from flows.evaluating.generate import find_models
from flows.experiments.evaluations import Evaluations
from flows.experiments.experiment import Answer
from flows.statements.numbers import ReadRun
from flows.statements.reading import answer, articles_of, read_run
from newwiki import protocol
from newwiki.decoding.grammar import parse
from newwiki.errors import TerminalError
from newwiki.experiment_request import ModelsRequest
from newwiki.snapshot import Snapshot
from storage import snapshots
from storage.linked_months import LinkableRun, linkable_runs


def find(evaluations: Evaluations, request: ModelsRequest) -> Answer:
    """Raises UsageError for a snapshot that is not there, TerminalError where no run fits."""
    database = evaluations.database
    snapshot = snapshots.resolve(database, request.snapshot)
    folders: Mapping[str, Path | None] = {}
    if request.models:
        evaluations.write(request)
        folders = find_models(request.backend, request.models, request.loading)
    decoders = {one.canonical for text in request.decoder for one in parse(text)}
    prompts = min(snapshot.articles, request.prompts or snapshot.articles)
    fitting = [
        read_run(run.run_id, run.model, run.model_sha256, run.decoder, folders)
        for run in linkable_runs(database, [snapshot.snapshot_id])
        if run.decoder in decoders and _is_asked(run, request, evaluations.settings.template, prompts)
    ]
    if not fitting:
        raise TerminalError(_refusal(request, snapshot))
    return answer(database, "models", snapshot, [*_latest_of(fitting), articles_of(snapshot)])


def _is_asked(run: LinkableRun, request: ModelsRequest, template: str, prompts: int) -> bool:
    """Whether it was asked as is asked now, on the same articles and with the same seed."""
    asked = {
        "max_new_tokens": request.max_new_tokens,
        "samples": request.samples,
        "keep": request.keep,
        "template": template,
        "stop": list(request.stop),
        "chat": request.chat,
    }
    there = run.settings
    return (
        there is not None
        and not protocol.differing(there, asked)
        and there["prompts"] == prompts
        and there["seed"] == request.seed
    )


def _latest_of(runs: list[ReadRun]) -> list[ReadRun]:
    """One of each model and decoder: another dtype or backend of the same weights makes it no other model."""
    return list({(run.identity, run.decoder): run for run in runs}.values())


def _refusal(request: ModelsRequest, snapshot: Snapshot) -> str:
    return (
        f"no run on {snapshot.snapshot_id} was asked as is asked here ({', '.join(request.decoder)}, samples "
        f"{request.samples}, keep {request.keep}, max_new_tokens {request.max_new_tokens}, seed {request.seed}); name "
        "a MODEL to run it, or say how they were asked"
    )
