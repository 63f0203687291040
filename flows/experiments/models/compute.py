"""Test the paper's statements about models on the models that ran with the same settings."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from flows.evaluating.cleaning import cleaning_of
from flows.evaluating.generate import find_models
from flows.experiments.evaluations import Evaluations
from flows.experiments.experiment import Answer
from flows.experiments.models.request import ModelsRequest
from flows.statements.reading import answer, articles_of, read_run
from newwiki import protocol
from newwiki.decoding.grammar import parse
from newwiki.errors import TerminalError
from newwiki.protocol import Settings
from newwiki.snapshot import Snapshot
from storage import snapshots
from storage.linked_months import LinkableRun, linkable_runs

_AUTO = "float32"  # the meaning of `--dtype auto`
_NOT_OURS = (None, "served")  # the dtype of imported texts, and of models that a server runs


def compute(evaluations: Evaluations, request: ModelsRequest) -> Answer:
    """Compute the answer of the experiment.

    Raises UsageError if the snapshot does not exist, and TerminalError if no run fits.
    """
    database = evaluations.database
    snapshot = snapshots.resolve(database, request.snapshot)
    folders: Mapping[str, Path | None] = {}
    requested_ids: set[str] = set()
    if request.models:
        requested_ids = {run.run_id for run in evaluations.write(request)}
        folders = find_models(request.backend, request.models, request.loading)
    decoders = {decoder.canonical for text in request.decoder for decoder in parse(text)}
    prompts = min(snapshot.articles, request.prompts or snapshot.articles)
    fitting = [
        run
        for run in linkable_runs(database, [snapshot.snapshot_id])
        if run.decoder in decoders and _is_requested(run.settings, request, evaluations.settings.template, prompts)
    ]
    if not fitting:
        raise TerminalError(_refusal(request, snapshot))
    chosen = one_each(fitting, requested_ids, request)
    runs = [read_run(run.run_id, run.model, run.model_sha256, run.decoder, folders) for run in chosen]
    tested = answer(database, "models", snapshot, [*runs, articles_of(snapshot)])
    return replace(tested, words=[*tested.words, *_left_out(fitting, chosen), *_varying(chosen)])


def one_each(runs: Sequence[LinkableRun], requested_ids: Collection[str], request: ModelsRequest) -> list[LinkableRun]:
    """Return one run for each model's weights and decoder.

    Runs that this request made come first, then runs with the requested dtype and settings, then the latest run.
    """
    wanted = {"dtype": _AUTO if request.dtype == "auto" else request.dtype, "strict": request.strict}

    def rank(run: LinkableRun) -> tuple[object, ...]:
        settings = run.settings or {}
        return run.run_id in requested_ids, [settings.get(name) == value for name, value in wanted.items()], run.latest

    return list({(run.identified_model, run.decoder): run for run in sorted(runs, key=rank)}.values())


def _is_requested(settings: Settings | None, request: ModelsRequest, template: str, prompts: int) -> bool:
    """Return whether a stored run has the requested settings.

    Articles and seed must be the same, and so must the dtype and the backend settings that the request names.
    """
    requested = {
        "max_new_tokens": request.max_new_tokens,
        "samples": request.samples,
        "keep": request.keep,
        "template": template,
        "stop": list(request.stop),
        "chat": request.chat,
        **dict.fromkeys(protocol.CHAT_SETTINGS, protocol.NONE),
        **(request.chat_options.settings if request.chat else {}),
        **cleaning_of(request, is_chat=request.chat),
    }
    return (
        settings is not None
        and not protocol.differing(settings, requested)
        and settings["prompts"] == prompts
        and settings["seed"] == request.seed
        and (request.dtype == "auto" or settings["dtype"] in (request.dtype, *_NOT_OURS))
        and (settings["strict"] or not request.strict)
        and all(settings[name] == value for name, value in _named_settings(request).items())
    )


def _named_settings(request: ModelsRequest) -> dict[str, str]:
    """Return the requested backend settings that identify a run, without those set to `auto`."""
    names = set(protocol.SETTINGS) & set(protocol.TOLD)
    return {name: value for name, value in request.model_args.items() if name in names and value != "auto"}


def _left_out(fitting: Sequence[LinkableRun], chosen: Sequence[LinkableRun]) -> list[str]:
    read = {run.run_id for run in chosen}
    names = [f"{run.words} ({run.run_id}, {_dtype(run)})" for run in fitting if run.run_id not in read]
    if not names:
        return []
    return [f"left out, as another run of the same weights and decoder is read: {', '.join(names)}"]


def _varying(chosen: Sequence[LinkableRun]) -> list[str]:
    """Return a sentence about the settings outside the protocol in which the runs differ, if they differ."""
    settings = [run.settings for run in chosen if run.settings]
    clauses = [
        f"{name} ({', '.join(protocol.value_in_words(value) for value in protocol.values_of(settings, name))})"
        for name in protocol.varying(settings)
        if name in protocol.TOLD
    ]
    return [f"the runs differ in {', '.join(clauses)}"] if clauses else []


def _dtype(run: LinkableRun) -> str:
    return protocol.value_in_words((run.settings or {}).get("dtype"))


def _refusal(request: ModelsRequest, snapshot: Snapshot) -> str:
    return (
        f"no run on {snapshot.snapshot_id} was asked as is asked here ({', '.join(request.decoder)}, samples "
        f"{request.samples}, keep {request.keep}, max_new_tokens {request.max_new_tokens}, seed {request.seed}, dtype "
        f"{request.dtype}); name a MODEL to run it, or say how they were asked"
    )
