"""Generate completions for a snapshot: one run for each model and decoder, stored during generation."""

import json
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import duckdb

from flows.evaluating.adapter_beside import told_of_adapter
from flows.evaluating.cleaning import cleaned, cleaning_of
from flows.evaluating.leak import exposure, leak
from flows.evaluating.run_identity import RunIdentity, model_label
from flows.progress import Progress
from newwiki.amounts import in_bytes
from newwiki.decoding.grammar import Decoder
from newwiki.errors import NewWikiError, TerminalError, UsageError
from newwiki.knowledge_cutoff import KnowledgeCutoff
from newwiki.models.backend import Backend, ServerBatches, Writing, numerics_of
from newwiki.models.prompt_sheet import PromptSheet
from newwiki.private_places import PUBLIC_ID, public_decoder
from newwiki.prompting.chat_prompts import is_chat, resolved, turns
from newwiki.protocol import protocol_json
from newwiki.records import Completion, Prompt, Run
from newwiki.registry import decoders, models
from newwiki.request import EvaluationRequest
from newwiki.settings import Settings
from newwiki.snapshot import Article
from newwiki.source_code import source_sha256
from storage import knowledge_cutoffs, runs, snapshots
from storage.database import Database
from storage.liveness import heartbeat

_SECONDS, _COMPLETIONS = 3.0, 512  # store completions after this time or this number


def writing_of(request: EvaluationRequest, note: Callable[[str], None]) -> Writing:
    """Return the generation settings of a request for a backend; `note` receives messages for the user."""
    return Writing(
        request.seed,
        request.max_new_tokens,
        request.batch_size,
        request.stop,
        request.strict,
        note,
        None if request.memory is None else in_bytes(request.memory),
    )


@dataclass(frozen=True)
class Asked:
    """The input of a run: the articles of a snapshot or of a prompt set, with a hash of the content. `language` is the
    code of the language that the completions are cleaned by."""

    snapshot_id: str
    wiki: str
    content_sha256: str
    articles: Sequence[Article]
    language: str = "en"


@dataclass(frozen=True)
class PlannedRun:
    """A run, its articles and its request.

    `earlier` holds the ids that earlier versions of the engine's numerics gave to the same request. `cutoff` is the
    model's knowledge cutoff, if known. `language` is that of the input.
    """

    run: Run
    articles: Sequence[Article]
    request: EvaluationRequest
    earlier: Sequence[str] = ()
    cutoff: KnowledgeCutoff | None = None
    language: str = Asked.language


def find_models(backend: str, names: Sequence[str], arguments: dict[str, str]) -> Mapping[str, Path | None]:
    """Return the folder of each model by name, or None for a model without a local folder.

    Raises an error if a model cannot be found. No model is loaded.
    """
    loader = models.get(backend)
    if not hasattr(loader, "find"):
        return dict.fromkeys(names)
    checkpoints = {name: _call(backend, loader.find, name, arguments) for name in names}
    return {name: getattr(checkpoint, "folder", None) for name, checkpoint in checkpoints.items()}


def load_model(backend: str, name: str, arguments: dict[str, str]) -> Backend:
    """Load a model. Raises TerminalError if the model is unavailable, and UsageError for an unknown argument."""
    loaded: Backend = _call(backend, models.get(backend), name, arguments)
    return loaded


def _call(backend: str, ask: Callable[..., Any], name: str, arguments: dict[str, str]) -> Any:
    try:
        return ask(name, **arguments)
    except TypeError as error:
        if "argument" not in str(error):
            raise
        raise UsageError(f"backend '{backend}' does not take these model arguments: {error}") from None


def plan(
    database: Database,
    backend: Backend,
    decoder: Decoder,
    request: EvaluationRequest,
    template: str = Settings.template,
    cutoff: KnowledgeCutoff | None = None,
) -> PlannedRun:
    """Plan the run of this request on its snapshot. The same request always gets the same `run_id`."""
    with database.read():
        snapshot = snapshots.resolve(database, request.snapshot)
        articles = snapshots.articles(database, snapshot.snapshot_id)[: request.prompts]
    test_set = Asked(snapshot.snapshot_id, snapshot.wiki, snapshot.content_sha256, articles, snapshot.language_code)
    return plan_on(database, test_set, backend, decoder, request, resolved(template, snapshot), cutoff)


def plan_on(
    database: Database,
    test_set: Asked,
    backend: Backend,
    decoder: Decoder,
    request: EvaluationRequest,
    template: str,
    cutoff: KnowledgeCutoff | None = None,
) -> PlannedRun:
    """Plan a run on this input, and ignore the snapshot that the request names.

    A run that an earlier version started keeps its id. That id may contain the full path of a model that the decoder
    reads.
    """
    articles = test_set.articles
    once = decoders.get(decoder.name).is_deterministic(decoder)
    samples, keep = (1, 1) if once else (request.samples, request.keep)
    others = _others(backend, decoder)
    settings = {**backend.settings, **cleaning_of(request, is_chat=backend.settings.get("chat") == "yes")}
    if not is_chat(template):
        settings.pop("begun", None)  # of an answer that is not to be begun
    identity = RunIdentity(
        content_sha256=test_set.content_sha256,
        pages=[article.page_id for article in articles],
        model_sha256=backend.sha256,
        others=others,
        backend=backend.backend,
        settings=settings,
        decoder=public_decoder(decoder.canonical, others),
        template=template,
        seed=request.seed,
        samples=samples,
        keep=keep,
        max_new_tokens=request.max_new_tokens,
        stop=request.stop,
        strict=request.strict,
        dtype=backend.dtype,
    )
    numerics = numerics_of(backend)
    by_path = replace(identity, decoder=decoder.canonical)
    if by_path != identity and runs.status(database, by_path.run_id(numerics)) is not None:
        identity = by_path
    run_id = identity.run_id(numerics)
    earlier = [identity.run_id(version) for version in (None, *range(1, numerics))] if numerics else []
    circumstances = {
        **backend.versions,
        **settings,
        **exposure(backend, test_set.wiki, articles),
        **{f"{name}_sha256": sha256 for name, sha256 in others.items()},
        **({"stop": list(request.stop)} if request.stop else {}),
        "batch_size": request.batch_size or "auto",
        "strict": request.strict,
        **({PUBLIC_ID: "public names"} if identity.decoder != decoder.canonical else {}),
    }
    run = Run(
        run_id=run_id,
        snapshot_id=test_set.snapshot_id,
        model=model_label(backend.name),
        model_sha256=backend.sha256,
        backend=backend.backend,
        decoder=decoder.canonical,
        decoder_parameters=json.dumps(dict(decoder.recorded), sort_keys=True),
        prompt_template=template,
        prompts=len(articles),
        seed=request.seed,
        samples=samples,
        keep=keep,
        max_new_tokens=request.max_new_tokens,
        dtype=backend.dtype,
        versions=json.dumps(circumstances, sort_keys=True),
        numerics=numerics,
        protocol=_protocol(settings, request, template, once=once),
        knowledge_cutoff=cutoff.day if cutoff else None,
        knowledge_cutoff_from=cutoff.origin if cutoff else None,
        prompt_sheet=sheet_of(backend, articles, template),
    )
    return PlannedRun(run, articles, request, earlier, cutoff, test_set.language)


def sheet_of(backend: Backend, articles: Sequence[Article], template: str) -> str | None:
    """Return what a backend says about the first prompt, or None if it says nothing."""
    sheet: PromptSheet | None = getattr(backend, "prompt_sheet", None)
    if sheet is None or not articles:
        return None
    first = articles[0]
    return sheet.of(Prompt(first.page_id, *turns(template, first.title, first.first_sentence)))


def _others(backend: Backend, decoder: Decoder) -> dict[str, str]:
    """Return the hashes of the decoder's other models, and of the code of third-party decoders and backends."""
    code = {
        "decoder_code": source_sha256(decoders.get(decoder.name).make),
        "backend_code": source_sha256(type(backend)),
    }
    return {**backend.others(decoder), **{name: sha256 for name, sha256 in code.items() if sha256}}


def _protocol(settings: Mapping[str, str], request: EvaluationRequest, template: str, *, once: bool) -> str:
    return protocol_json(
        max_new_tokens=request.max_new_tokens,
        samples=None if once else request.samples,
        keep=None if once else request.keep,
        template=template,
        stop=request.stop,
        chat=settings.get("chat") == "yes",
        settings=settings,
    )


def generate(
    database: Database,
    planned: PlannedRun,
    backend: Backend,
    decoder: Decoder,
    progress: Progress,
    *,
    at_once: bool = False,
) -> None:
    """Generate the missing completions of a run, and mark its longest completions as kept.

    Stores completions every few seconds. With `at_once`, stores each batch immediately, for backends with large
    batches. If the model fails, the run is marked as failed and keeps its completions.
    """
    run = planned.run
    title = f"{run.model} {decoder.short}"
    tell_of(database, planned, progress)
    with database.read():
        status, stored = runs.status(database, run.run_id), runs.stored_completions(database, run.run_id)
        unfinished = runs.unfinished(database, planned.earlier)
    if status == "complete":
        model = runs.stored_model(database, run.run_id)
        twin = f", as {model}, which has the same weights" if model != run.model else ""
        completions = f"all {run.prompts * run.samples:,} completions are stored already"
        progress.note(f"{title}: {completions} (run {run.run_id}{twin})")
        return
    for earlier in unfinished:
        progress.note(
            f"{title}: run {earlier} of the same request is incomplete and used another version of the engine's "
            f"numerics, whose texts may differ; it is left unchanged, and run {run.run_id} starts from the beginning"
        )
    wanted = _wanted(planned)
    batches = _completions(database, planned, backend, decoder, _lacking(wanted, stored), progress)
    runs.start(database, run)
    with progress.stretch(f"writing {title}", "completions") as bar:
        done, tokens, start = len(stored), 0, time.monotonic()
        bar.update(done, len(wanted))
        with ended_well(database, run.run_id):
            for batch in batches if at_once else every_few_seconds(batches):
                runs.add_completions(database, run.run_id, cleaned(batch, run, planned.language))
                done += len(batch)
                tokens += sum(completion.tokens or 0 for completion in batch)
                bar.update(done, len(wanted), f"{tokens / (time.monotonic() - start):,.0f} tokens/s")
    runs.complete(database, run.run_id, run.keep)


def tell_of(database: Database, planned: PlannedRun, progress: Progress) -> None:
    """Note what is doubtful about a run's model, and store its knowledge cutoff."""
    for warning in filter(None, (leak(planned.run), told_of_adapter(planned.run))):
        progress.note(warning)
    if planned.cutoff and (note := knowledge_cutoffs.enter(database, planned.run.run_id, planned.cutoff)):
        progress.note(note)


def generate_prompts(
    database: Database,
    planned: PlannedRun,
    backend: Backend,
    decoder: Decoder,
    pages: Collection[int],
    progress: Progress,
) -> None:
    """Generate the missing completions of these prompts of a run that has started, and mark their longest as kept.

    The completions have the same bytes as those of `generate`, whatever the other prompts of the run are.
    """
    run = planned.run
    stored = runs.stored_completions(database, run.run_id)
    missing = _lacking([key for key in _wanted(planned) if key[0].page_id in pages], stored)
    if missing:
        for batch in every_few_seconds(_completions(database, planned, backend, decoder, missing, progress)):
            runs.add_completions(database, run.run_id, cleaned(batch, run, planned.language))
    runs.keep_longest(database, run.run_id, run.keep, pages)


def _wanted(planned: PlannedRun) -> list[tuple[Prompt, int]]:
    """Return each prompt of the run with the number of each of its samples."""
    template = planned.run.prompt_template
    prompts = [Prompt(a.page_id, *turns(template, a.title, a.first_sentence)) for a in planned.articles]
    return [(prompt, sample) for prompt in prompts for sample in range(planned.run.samples)]


def _lacking(wanted: Sequence[tuple[Prompt, int]], stored: Set[tuple[int, int]]) -> list[tuple[Prompt, int]]:
    return [(prompt, sample) for prompt, sample in wanted if (prompt.page_id, sample) not in stored]


def _completions(
    database: Database,
    planned: PlannedRun,
    backend: Backend,
    decoder: Decoder,
    missing: Sequence[tuple[Prompt, int]],
    progress: Progress,
) -> Iterator[list[Completion]]:
    writing = writing_of(planned.request, progress.note)
    if backend.backend == "openai":
        writing = _at_server(database, planned.run, planned.request, writing)
    return backend.complete(missing, decoder, writing)


def _at_server(database: Database, run: Run, request: EvaluationRequest, writing: Writing) -> Writing:
    """Add what a server has already done for the run, and what it may cost."""
    ids, stored = runs.server_batches(database, run.run_id), runs.stored_answers(database, run.run_id)
    batches = ServerBatches(
        ids, lambda batch_id: runs.add_server_batch(database, run.run_id, batch_id), request.server_batch
    )
    in_batches = batches if ids or request.server_batch else None
    return replace(writing, max_cost=request.max_cost, stored=stored, batches=in_batches)


@contextmanager
def ended_well(database: Database, run_id: str) -> Iterator[None]:
    """Mark the run as active inside the block, and store the status "failed" or "interrupted" after an exception."""
    try:
        with heartbeat(database, run_id):
            yield
    except TerminalError:
        runs.fail(database, run_id)
        raise
    except BaseException:
        with suppress(NewWikiError, duckdb.Error):  # the database itself may have failed
            runs.interrupt(database, run_id)
        raise


def every_few_seconds(batches: Iterator[list[Completion]]) -> Iterator[list[Completion]]:
    """Merge batches into fewer, larger lists, so that an interruption loses only a few seconds of work."""
    gathered: list[Completion] = []
    last = time.monotonic()
    try:
        for batch in batches:
            gathered += batch
            if time.monotonic() - last >= _SECONDS or len(gathered) >= _COMPLETIONS:
                yield gathered
                gathered, last = [], time.monotonic()
    except NewWikiError:
        if gathered:
            yield gathered
        raise
    if gathered:
        yield gathered
