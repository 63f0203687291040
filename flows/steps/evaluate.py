"""From a snapshot to completions: one run a model and decoder, every completion stored as soon as its batch is done."""

import hashlib
import json
import time
from collections.abc import Sequence
from dataclasses import dataclass

from flows.progress import Progress
from newwiki.decoding.grammar import Decoder
from newwiki.errors import UsageError
from newwiki.models.backend import Backend
from newwiki.records import Article, Prompt, Run
from newwiki.registry import decoders, models
from newwiki.text.prompts import DEFAULT_TEMPLATE, fill
from storage import runs, snapshots
from storage.database import Database


@dataclass(frozen=True)
class EvaluationRequest:
    """How a snapshot is put to a model; the defaults are those of the New-Wiki Eval paper (Experiments).

    `prompts` None means all articles, a number the longest ones, as in the paper.
    """

    snapshot: str = "latest"
    prompts: int | None = None
    samples: int = 20
    keep: int = 10
    max_new_tokens: int = 512
    batch_size: int | None = None
    seed: int = 0
    template: str = DEFAULT_TEMPLATE

    def __post_init__(self) -> None:
        for name in ("prompts", "samples", "keep", "max_new_tokens", "batch_size"):
            number = getattr(self, name)
            if number is not None and number < 1:
                raise UsageError(f"--{name.replace('_', '-')} must be at least 1, not {number}")
        if self.keep > self.samples:
            raise UsageError(
                f"{self.keep} completions cannot be kept of {self.samples}; lower --keep or raise --samples"
            )
        fill(self.template, "", "")


@dataclass(frozen=True)
class PlannedRun:
    """A run and the articles that it is asked to write."""

    run: Run
    articles: Sequence[Article]


def load_model(backend: str, name: str, arguments: dict[str, str]) -> Backend:
    """Raises TerminalError where the model is not to be had, UsageError for an argument the backend does not take."""
    loader = models.get(backend)
    try:
        loaded: Backend = loader(name, **arguments)
    except TypeError as error:
        if "argument" not in str(error):
            raise
        raise UsageError(f"backend '{backend}' does not take these model arguments: {error}") from None
    return loaded


def plan(database: Database, backend: Backend, decoder: Decoder, request: EvaluationRequest) -> PlannedRun:
    """The run that this request names: the same request gives the same `run_id`, whenever it is made."""
    snapshot = snapshots.resolve(database, request.snapshot)
    articles = snapshots.articles(database, snapshot.snapshot_id)[: request.prompts]
    once = decoders.get(decoder.name).deterministic
    samples, keep = (1, 1) if once else (request.samples, request.keep)
    identity = {
        "content_sha256": snapshot.content_sha256,
        "pages": [article.page_id for article in articles],
        "model_sha256": backend.sha256,
        "backend": backend.backend,
        "decoder": decoder.canonical,
        "template": request.template,
        "seed": request.seed,
        "samples": samples,
        "keep": keep,
        "max_new_tokens": request.max_new_tokens,
        "dtype": backend.dtype,
    }
    run_id = hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()[:16]
    run = Run(
        run_id,
        snapshot.snapshot_id,
        backend.name,
        backend.sha256,
        backend.backend,
        decoder.canonical,
        json.dumps(dict(decoder.parameters), sort_keys=True),
        request.template,
        len(articles),
        request.seed,
        samples,
        keep,
        request.max_new_tokens,
        backend.dtype,
        json.dumps(dict(backend.versions), sort_keys=True),
    )
    return PlannedRun(run, articles)


def generate(
    database: Database,
    planned: PlannedRun,
    backend: Backend,
    decoder: Decoder,
    batch_size: int | None,
    progress: Progress,
) -> None:
    """Writes what the run still lacks, and marks its longest completions as kept."""
    run = planned.run
    title = f"{run.model} {run.decoder}"
    if runs.start(database, run) == "complete":
        progress.note(f"{title}: all {run.prompts * run.samples:,} completions are there (run {run.run_id})")
        return
    stored = runs.stored_completions(database, run.run_id)
    prompts = [Prompt(a.page_id, fill(run.prompt_template, a.title, a.first_sentence)) for a in planned.articles]
    wanted = [(prompt, sample) for prompt in prompts for sample in range(run.samples)]
    missing = [(prompt, sample) for prompt, sample in wanted if (prompt.page_id, sample) not in stored]
    with progress.stretch(f"writing {title}", "completions") as bar:
        done, tokens, start = len(stored), 0, time.monotonic()
        bar.update(done, len(wanted))
        for batch in backend.complete(
            missing, decoder, seed=run.seed, max_new_tokens=run.max_new_tokens, batch_size=batch_size
        ):
            runs.add_completions(database, run.run_id, batch)
            done += len(batch)
            tokens += sum(completion.tokens for completion in batch)
            bar.update(done, len(wanted), f"{tokens / (time.monotonic() - start):,.0f} tokens/s")
    runs.complete(database, run.run_id, run.keep)
