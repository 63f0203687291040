"""What makes something: a snapshot, completions, scores."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa

from flows.api.judging import board_table
from flows.api.opening import PathLike, joined, opened, strings
from flows.progress import reporter


def refresh(
    *,
    month: str | None = None,
    from_: date | None = None,
    to: date | None = None,
    api: str | None = None,
    wiki: str | None = None,
    dump: PathLike | Sequence[PathLike] = (),
    kind: str = "new",
    before: date | None = None,
    min_revisions: int = 10,
    min_words: int | None = None,
    sample: int | None = None,
    seed: int = 0,
    cutoff: datetime | None = None,
    limit: int | None = None,
    novel_against: Sequence[str] = (),
    db: PathLike | None = None,
    quiet: bool = False,
    **settings: str,
) -> pa.Table:
    """Publishes the pages that were created in a window as a snapshot, and gives its row of `snapshots`.

    One that is published already is given as it is. `dump` may be several files, folders or patterns, which are one.
    Pages that nearly repeat an article of the snapshots `novel_against` are dropped.
    """
    from flows.refreshing.which_pages import refresh_from, refresh_request, source_of

    request = refresh_request(
        month=month, first=from_, last=to, kind=kind, before=before, min_revisions=min_revisions, min_words=min_words,
        sample=sample, seed=seed, cutoff=cutoff, limit=limit, novel_against=novel_against,
    )  # fmt: skip
    source, place = source_of(api, wiki, strings(dump), kind)
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
    runner: str | None = None,
    db: PathLike | None = None,
    quiet: bool = False,
    **settings: str,
) -> pa.Table:
    """Lets models write a snapshot's articles under decoders, scores it, and gives the snapshot's leaderboard.

    What is written or scored already is not done again. `batch_size` None means as many as fit. Among the settings are
    `entities`, `embedder`, `embedder_dtype`, `embedder_backend`, `likelihood_model`, `scorers` and `template`. With a
    `runner` (`processes:2`, `dask:tcp://…`) workers do it, through Prefect.
    """
    from flows.evaluating.evaluate_all import evaluate_all, model_arguments
    from flows.evaluating.generate import EvaluationRequest
    from flows.workers.runners import parse_runner

    if runner:
        parse_runner(runner)
    force, database = opened(db, settings)
    request = EvaluationRequest(
        snapshot, prompts, samples, keep, max_new_tokens, batch_size, seed, force.template, tuple(stop), strict
    )
    flags = {"chat": chat, "allow_pickle": allow_pickle, "trust_remote_code": trust_remote_code}
    arguments = model_arguments("", dtype, **flags) | {name: str(value) for name, value in (model_args or {}).items()}
    names, decoders = [str(model) for model in models], [decoder] if isinstance(decoder, str) else decoder
    scoring: dict[str, Any] = {"metrics": joined(metrics), "budget": budget, "backend": backend, "arguments": arguments}
    if runner:
        from flows.evaluating.flow import evaluate_in_flow

        scorers = evaluate_in_flow(database, names, decoders, request, force, runner=runner, quiet=quiet, **scoring)
    else:
        scorers = evaluate_all(database, names, decoders, request, force, reporter(quiet), **scoring)
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
    runner: str | None = None,
    db: PathLike | None = None,
    quiet: bool = False,
    **settings: str,
) -> pa.Table:
    """Scores stored runs (by id), or JSONL files of texts that were written elsewhere, and gives the leaderboard.

    A `runner` is as for `evaluate`.
    """
    from flows.scoring.score_all import score_all
    from flows.workers.runners import parse_runner

    if runner:
        parse_runner(runner)
    force, database = opened(db, settings)
    asked: dict[str, Any] = {
        "files": [Path(file) for file in files], "run_ids": [run] if isinstance(run, str) else run, "missing": missing,
        "snapshot": snapshot, "model": model, "decoder": decoder, "metrics": joined(metrics), "budget": budget,
    }  # fmt: skip
    if runner:
        from flows.scoring.flow import score as flow

        scorers = flow(force.db, settings=force, runner=runner, asked=asked, quiet=quiet)
    else:
        scorers = score_all(database, force, reporter(quiet), **asked)
    return board_table(database, None, quiet, prefer=scorers)
