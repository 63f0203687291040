"""The checks of every bundle, whoever signed it: the list of runs matches the rows, and the rows pass the gate."""

from collections.abc import Iterator
from contextlib import contextmanager

from flows.admitting.gate import require_evaluator, require_metric, require_run, require_scores, require_snapshot
from flows.bundles.contents import text_hashes
from flows.bundles.opened import OpenedBundle
from storage.push import SNAPSHOT_TABLES
from storage.shared import SharedPart


def require_consistent(bundle: OpenedBundle) -> list[str]:
    """Return the ids of the runs with a reproducible id. Raises TerminalError for the first inconsistency."""
    named = []
    for manifest in bundle.contents.manifests:
        with _refusing(bundle, f"snapshot {manifest.snapshot_id}"):
            _snapshot(bundle, manifest.snapshot_id)
    for listed in bundle.contents.runs:
        with _refusing(bundle, f"run {listed.run_id}"):
            named += [listed.run_id] if _run(bundle, listed.run_id) else []
    for part, rows in bundle.of("evaluators", "metrics"):
        with _refusing(bundle, part.path):
            [row] = rows.to_pylist()
            (require_evaluator if part.table == "evaluators" else require_metric)(row)
    metrics = {part["metric"]: rows.to_pylist()[0] for part, rows in bundle.of("metrics")}
    for part, rows in bundle.of("scores", "run_scores", "claims"):
        with _refusing(bundle, f"{part.table} of {part['run_id']} by {part['evaluator_id']}"):
            require_scores(part, rows.to_pylist(), metrics, _texts_of(bundle, part))
    return named


@contextmanager
def _refusing(bundle: OpenedBundle, where: str) -> Iterator[None]:
    try:
        yield
    except ValueError as error:
        raise bundle.refuse(f"{where}: {error}") from None


def _snapshot(bundle: OpenedBundle, name: str) -> None:
    [listed] = [manifest for manifest in bundle.contents.manifests if manifest.snapshot_id == name]
    tables = {table: bundle.entries(table, name) for table in SNAPSHOT_TABLES}
    require_snapshot(tables)
    if tables["snapshots"][0]["content_sha256"] != listed.content_sha256:
        raise ValueError("bundle.json says another content hash than its row")


def _run(bundle: OpenedBundle, run_id: str) -> bool:
    run, [row] = bundle.runs[run_id], bundle.entries("runs", bundle.runs[run_id].snapshot_id, run_id)
    [listed] = [bundled for bundled in bundle.contents.runs if bundled.run_id == run_id]
    for name in ("snapshot_id", "model", "model_sha256", "decoder"):
        if getattr(listed, name) != getattr(run, name):
            raise ValueError(f"bundle.json says {name} '{getattr(listed, name)}', its row '{getattr(run, name)}'")
    completions = bundle.entries("completions", run.snapshot_id, run_id)
    hashes = text_hashes(
        (completion["page_id"], completion["sample"], completion["text"]) for completion in completions
    )
    for signed, computed in zip(listed.texts, hashes, strict=False):
        if signed != computed:
            raise ValueError(f"the text of page {computed[0]}, sample {computed[1]} is not the one that was signed")
    if len(listed.texts) != len(hashes):
        raise ValueError(f"{len(hashes)} texts are there, {len(listed.texts)} were signed")
    [snapshot] = bundle.entries("snapshots", run.snapshot_id)
    return require_run(row, completions, snapshot, bundle.articles[run.snapshot_id])


def _texts_of(bundle: OpenedBundle, part: SharedPart) -> set[tuple[int, int]]:
    """Return the texts that a scoring may contain: kept completions, articles of a likelihood run, or all articles."""
    run = bundle.runs.get(part["run_id"])
    if run and run.samples:
        completions = bundle.entries("completions", run.snapshot_id, run.run_id)
        return {(completion["page_id"], completion["sample"]) for completion in completions if completion["kept"]}
    articles = bundle.prompted_articles(run) if run else bundle.articles[part["snapshot_id"]]
    return {(article.page_id, 0) for article in articles}
