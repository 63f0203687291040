"""Write runs to a bundle: one signed file that other people can check."""

from collections.abc import Callable, Sequence
from datetime import datetime
from importlib.metadata import version
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from flows.bundles import archive, contents, signature, table_files
from flows.bundles.consistent import require_consistent
from flows.bundles.contents import BundledRun, Contents, ManifestFile, Part
from flows.bundles.keys import public_path, read_private
from flows.bundles.opened import OpenedBundle, open_bundle
from newwiki.bundle_requests import SubmitRequest
from newwiki.errors import TerminalError, UsageError
from storage import export_snapshot, runs
from storage.comparison import contenders, reading_runs
from storage.database import Database
from storage.folders import whole
from storage.outputs import safe
from storage.prompt_sets import is_prompt_set
from storage.push import gather
from storage.shared import GatheredParts


def submit(database: Database, request: SubmitRequest, out: Path, note: Callable[[str], None]) -> OpenedBundle:
    """Write a bundle of runs, and return it as its reader opens it. The same runs of a database give the same bytes.

    The likelihood runs of their models go along, because their scores are columns of these runs.

    Raises UsageError for a run that is incomplete, belongs to no published snapshot, or has an id that depends on a
    private path. Raises TerminalError if the stored data would fail the check of a reader. No file remains after an
    error.
    """
    key = read_private(request.key)
    if safe(out, database.path).resolve() in (request.key.resolve(), public_path(request.key).resolve()):
        raise UsageError(f"'{out}' is the key itself; name another file with --out")
    chosen = contenders(database, request.runs, snapshot=request.snapshot, note=note)
    named = [run.run_id for run in chosen]
    run_ids = sorted({*named, *reading_runs(database, named)})
    for run_id in run_ids:
        _require_whole(database, run_id)
    with database.read():
        members = _members(database, run_ids, key, note)
    with whole(out) as part:
        archive.write(part, members)
        try:
            require_consistent(open_bundle(part))
        except TerminalError as error:
            message = str(error).replace(str(part), str(database.path))
            raise TerminalError(f"nobody would take this in: {message}") from None
    return open_bundle(out)


def _require_whole(database: Database, run_id: str) -> None:
    """Raise UsageError for a run that cannot be submitted."""
    if run_id.startswith("reference:"):
        raise UsageError(f"{run_id} are articles, which go along with the runs on them; name a run")
    if runs.status(database, run_id) != "complete":
        raise UsageError(f"run {run_id} is not complete; finish it with the `newwiki evaluate` that began it")
    [(snapshot_id, stored)] = database.rows("run_articles", run_id)
    if is_prompt_set(snapshot_id) or not stored:
        raise UsageError(f"run {run_id} is on no published snapshot, so nobody else could check what it was asked")


def _members(
    database: Database, run_ids: Sequence[str], key: Ed25519PrivateKey, note: Callable[[str], None]
) -> dict[str, bytes]:
    """Return the files of the bundle in their order."""
    parts = GatheredParts(str(database.path))
    gather(database, parts, run_ids, note)
    files, listed = {}, []
    for part in sorted(parts.held, key=lambda shared: shared.path):
        noted, rows = parts.held[part]
        content = table_files.written(rows)
        member = Part(
            table=part.table,
            keys=list(part.keys),
            rows=rows.num_rows,
            sha256=contents.sha256(content),
            finished_at=_moment(noted.facts.get("finished_at")),
        )
        files[member.path] = content
        listed.append(member)
    manifests = _manifests(database, parts)
    described = Contents(
        newwiki=version("newwiki-eval"),
        runs=[_run(parts, run_id) for run_id in run_ids],
        manifests=[manifest for manifest, _ in manifests],
        parts=listed,
    ).to_bytes()
    files |= {manifest.path: content for manifest, content in manifests}
    return {contents.NAME: described, signature.NAME: signature.sign(described, key), **files}


def _moment(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None


def _manifests(database: Database, parts: GatheredParts) -> list[tuple[ManifestFile, bytes]]:
    files = []
    for part in sorted(
        (shared for shared in parts.held if shared.table == "snapshots"), key=lambda shared: shared.path
    ):
        manifest = export_snapshot.manifest(database, part["snapshot_id"])
        content = manifest.to_json().encode()
        named = ManifestFile(
            snapshot_id=manifest.snapshot_id,
            content_sha256=manifest.content_sha256,
            sha256=contents.sha256(content),
        )
        files.append((named, content))
    return files


def _run(parts: GatheredParts, run_id: str) -> BundledRun:
    tables = {part.table: rows for part, (_, rows) in parts.held.items() if part.keys[-1] == ("run_id", run_id)}
    [row] = tables["runs"].to_pylist()
    texts = (
        (completion["page_id"], completion["sample"], completion["text"])
        for completion in tables["completions"].to_pylist()
    )
    named = {name: row[name] for name in ("run_id", "snapshot_id", "model", "model_sha256", "decoder")}
    return BundledRun(**named, texts=contents.text_hashes(texts))
