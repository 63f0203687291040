"""What makes something: a snapshot, completions, scores."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from pathlib import Path

import pyarrow as pa

from flows.api.judging import board_table
from flows.api.opening import PathLike, joined, opened
from flows.progress import reporter


def refresh(
    *,
    month: str | None = None,
    from_: date | None = None,
    to: date | None = None,
    api: str | None = None,
    wiki: str | None = None,
    dump: PathLike | None = None,
    kind: str = "new",
    before: date | None = None,
    min_revisions: int = 10,
    min_words: int | None = None,
    sample: int | None = None,
    seed: int = 0,
    cutoff: datetime | None = None,
    limit: int | None = None,
    db: PathLike | None = None,
    quiet: bool = False,
    **settings: str,
) -> pa.Table:
    """Publishes the pages that were created in a window as a snapshot, and gives its row of `snapshots`.

    One that is published already is given as it is.
    """
    from flows.steps.which_pages import refresh_from, refresh_request, source_of

    request = refresh_request(
        month=month, first=from_, last=to, kind=kind, before=before, min_revisions=min_revisions, min_words=min_words,
        sample=sample, seed=seed, cutoff=cutoff, limit=limit,
    )  # fmt: skip
    source, place = source_of(api, wiki, str(dump) if dump else None, kind)
    force, database = opened(db, settings)
    snapshot = refresh_from(database, source, place, request, force, reporter(quiet))
    return database.table("snapshot_one", snapshot.snapshot_id)


def evaluate(
    *models: PathLike,
    decoder: str | Sequence[str],
    backend: str = "hf",
    model_args: Mapping[str, object] | None = None,
    snapshot: str = "latest",
    prompts: int | None = None,
    samples: int = 20,
    keep: int = 10,
    max_new_tokens: int = 512,
    batch_size: int | None = None,
    dtype: str = "auto",
    seed: int = 0,
    stop: Sequence[str] = (),
    strict: bool = False,
    chat: bool = False,
    allow_pickle: bool = False,
    trust_remote_code: bool = False,
    metrics: str | Sequence[str] = "core",
    budget: int = 200,
    db: PathLike | None = None,
    quiet: bool = False,
    **settings: str,
) -> pa.Table:
    """Lets models write a snapshot's articles under decoders, scores it, and gives the snapshot's leaderboard.

    What is written or scored already is not done again. `batch_size` None means as many as fit. Among the settings are
    `entities`, `embedder`, `embedder_dtype`, `likelihood_model`, `scorers` and `template`.
    """
    from flows.steps.evaluate import EvaluationRequest
    from flows.steps.evaluate_all import evaluate_all, model_arguments

    force, database = opened(db, settings)
    request = EvaluationRequest(
        snapshot, prompts, samples, keep, max_new_tokens, batch_size, seed, force.template, tuple(stop), strict
    )
    flags = {"chat": chat, "allow_pickle": allow_pickle, "trust_remote_code": trust_remote_code}
    arguments = model_arguments("", dtype, **flags) | {name: str(value) for name, value in (model_args or {}).items()}
    scorers = evaluate_all(
        database, [str(model) for model in models], [decoder] if isinstance(decoder, str) else decoder, request, force,
        reporter(quiet), metrics=joined(metrics), budget=budget, backend=backend, arguments=arguments,
    )  # fmt: skip
    return board_table(database, snapshot, quiet, prefer=scorers)


def score(
    *files: PathLike,
    run: str | Sequence[str] = (),
    missing: bool = False,
    snapshot: str = "latest",
    model: str | None = None,
    decoder: str | None = None,
    metrics: str | Sequence[str] = "core",
    budget: int = 200,
    db: PathLike | None = None,
    quiet: bool = False,
    **settings: str,
) -> pa.Table:
    """Scores stored runs (by id), or JSONL files of texts that were written elsewhere, and gives the leaderboard."""
    from flows.steps.score_all import score_all

    force, database = opened(db, settings)
    scorers = score_all(
        database, force, reporter(quiet), files=[Path(file) for file in files],
        run_ids=[run] if isinstance(run, str) else run, missing=missing, snapshot=snapshot, model=model,
        decoder=decoder, metrics=joined(metrics), budget=budget,
    )  # fmt: skip
    return board_table(database, None, quiet, prefer=scorers)
