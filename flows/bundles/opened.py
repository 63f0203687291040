"""Open a bundle: verify the signature, the hash of each file, and that nothing is missing or added."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa

from flows.bundles import archive, contents, signature, table_files
from flows.bundles.contents import Contents, Part
from newwiki.errors import TerminalError
from newwiki.knowledge_cutoff import ORIGINS, KnowledgeCutoff
from newwiki.records import Run
from newwiki.snapshot import Article
from storage import knowledge_cutoffs
from storage.admitted import PART_KEYS
from storage.keys import KEYS
from storage.push import SNAPSHOT_TABLES, claims_of, of_snapshot
from storage.shared import GatheredParts, SharedPart
from storage.table_shapes import TableShape, shape_of

ENDING = ".newwiki"


@dataclass(frozen=True)
class OpenedBundle:
    """A verified bundle.

    `sha256` is the hash of `bundle.json`, which covers the whole content. `signer` is the fingerprint of the signing
    key.
    """

    path: Path
    sha256: str
    signer: str
    contents: Contents
    parts: GatheredParts
    manifests: Mapping[str, bytes]

    @cached_property
    def runs(self) -> dict[str, Run]:
        """The runs by id, in the order of `bundle.json`."""
        names = [field.name for field in fields(Run)]
        rows = {run.run_id: self.entries("runs", run.snapshot_id, run.run_id)[0] for run in self.contents.runs}
        return {run_id: Run(**{name: row[name] for name in names}) for run_id, row in rows.items()}

    @cached_property
    def articles(self) -> dict[str, list[Article]]:
        """The articles by snapshot id, the longest first, in the order of `storage.snapshots.articles`."""
        names = [field.name for field in fields(Article)]
        by_snapshot = {}
        for manifest in self.contents.manifests:
            rows = self.entries("stored_articles", manifest.snapshot_id)
            articles = [Article(**{name: row[name] for name in names}) for row in rows]
            by_snapshot[manifest.snapshot_id] = sorted(articles, key=lambda article: (-article.words, article.page_id))
        return by_snapshot

    def prompted_articles(self, run: Run) -> list[Article]:
        """Return the articles whose completions the run had to write."""
        return self.articles[run.snapshot_id][: run.prompts]

    def entries(self, table: str, *keys: str) -> list[dict[str, Any]]:
        """Return the rows of a part by table and keys, or an empty list if the bundle has no such part."""
        part = SharedPart(table, tuple(zip(PART_KEYS[table], keys, strict=True)))
        held = self.parts.held.get(part)
        return held[1].to_pylist() if held else []

    def of(self, *tables: str) -> Iterator[tuple[SharedPart, pa.Table]]:
        return ((part, rows) for part, (_, rows) in self.parts.held.items() if part.table in tables)

    def refuse(self, why: str) -> "TerminalError":
        return TerminalError(f"'{self.path}': {why}")


def open_bundle(path: Path, trusted: Collection[str] | None = None) -> OpenedBundle:
    """Open and verify a bundle.

    Raises TerminalError for a file that is not a bundle, for an invalid signature, and for content that was changed
    after signing. With `trusted` fingerprints, also raises it for a signature by any other key.
    """
    with archive.Archive(path) as file:
        signed = file.read(contents.NAME)
        try:
            signer = signature.signer_of(signed, file.read(signature.NAME))
            listing = contents.read(signed)
            files = listing.files
        except ValueError as error:
            raise TerminalError(f"'{path}': {error}") from None
        if trusted is not None and signer not in trusted:
            raise TerminalError(f"'{path}' is signed by {signer}, which is none of the keys that are trusted")
        _require_exactly({contents.NAME, signature.NAME, *files}, file)
        parts = GatheredParts(str(path))
        for entry in listing.parts:
            rows = _read(path, entry, _as_signed(file, entry.path, entry.sha256), shape_of(entry.table))
            parts.write(entry.part, rows, _facts(entry, rows))
        manifests = {
            manifest.snapshot_id: _as_signed(file, manifest.path, manifest.sha256) for manifest in listing.manifests
        }
    opened = OpenedBundle(path, contents.sha256(signed), signer, listing, parts, manifests)
    _require_whole(opened)
    return opened


def _require_exactly(names: Collection[str], file: archive.Archive) -> None:
    if missing := sorted(set(names) - file.names):
        raise TerminalError(f"'{file.path}' is not all of a bundle: it holds no '{missing[0]}'")
    if more := sorted(file.names - set(names)):
        raise TerminalError(f"'{file.path}' holds '{more[0][:200]}', which was not signed")


def _as_signed(file: archive.Archive, name: str, sha256: str) -> bytes:
    content = file.read(name)
    if contents.sha256(content) != sha256:
        raise TerminalError(f"'{file.path}': '{name}' is not what was signed")
    return content


def _read(path: Path, entry: Part, content: bytes, shape: TableShape) -> pa.Table:
    """Read the rows of a part, and require that they match its keys and occur only once."""
    try:
        rows = table_files.read(content, shape)
        if rows.num_rows != entry.rows:
            raise ValueError(f"{rows.num_rows} rows are there, {entry.rows} were signed")
        for name, value in entry.keys:
            if name in rows.column_names and rows[name].unique().to_pylist() not in ([], [value]):
                raise ValueError(f"it holds rows of another {name} than '{value}'")
        key = KEYS[entry.table]
        if rows.select(key).group_by(list(key), use_threads=False).aggregate([]).num_rows < rows.num_rows:
            raise ValueError("it holds a row twice")
    except ValueError as error:
        raise TerminalError(f"'{path}': '{entry.path}': {error}") from None
    return rows


def _facts(entry: Part, rows: pa.Table) -> dict[str, object]:
    """Return the facts that the note of a shared folder would contain for this part."""
    if entry.table in ("scores", "run_scores"):
        texts = min(rows["texts"].to_pylist(), default=0) if entry.table == "run_scores" else 0
        finished = entry.finished_at.isoformat() if entry.finished_at else None
        return {"finished_at": finished, "texts": texts, "metrics": sorted(set(rows["metric"].to_pylist()))}
    if entry.table == "runs" and rows.num_rows == 1:
        [row] = rows.select(["knowledge_cutoff", "knowledge_cutoff_from"]).to_pylist()
        origin = next((known for known in ORIGINS if known == row["knowledge_cutoff_from"]), None)
        if row["knowledge_cutoff"] and origin:
            return knowledge_cutoffs.facts(KnowledgeCutoff(row["knowledge_cutoff"], origin))
    return {}


def _require_whole(opened: OpenedBundle) -> None:
    """Raise TerminalError unless the bundle holds all parts of each run and no other parts."""
    held = set(opened.parts.held)
    snapshots = {manifest.snapshot_id for manifest in opened.contents.manifests}
    wanted = {of_snapshot(table, name) for table in SNAPSHOT_TABLES for name in snapshots}
    run_ids = [run.run_id for run in opened.contents.runs]
    if len(set(run_ids)) < len(run_ids) or {run.snapshot_id for run in opened.contents.runs} != snapshots:
        raise opened.refuse("its list of runs is not that of its snapshots, or names a run twice")
    allowed = {f"reference:{name}": name for name in snapshots}
    for run in opened.contents.runs:
        keys = (("snapshot_id", run.snapshot_id), ("run_id", run.run_id))
        wanted |= {SharedPart("runs", keys), SharedPart("completions", keys)}
        allowed[run.run_id] = run.snapshot_id
    for part, rows in opened.of("scores", "run_scores"):
        if allowed.get(part["run_id"]) != part["snapshot_id"] or not rows.num_rows:
            raise opened.refuse(f"the scores '{part.path}' are of nothing that is there")
        metrics = sorted(set(rows["metric"].to_pylist()))
        wanted |= {part, SharedPart("evaluators", (("evaluator_id", part["evaluator_id"]),))}
        wanted |= {SharedPart("metrics", (("metric", name),)) for name in metrics}
        if claims_of(part) in held:
            wanted.add(claims_of(part))
    if missing := sorted(wanted - held, key=lambda part: part.path):
        raise opened.refuse(f"it lacks '{missing[0].path}'")
    if more := sorted(held - wanted, key=lambda part: part.path):
        raise opened.refuse(f"'{more[0].path}' belongs to none of its runs")
    for part, rows in opened.of("runs", "snapshots", "evaluators", "metrics"):
        if rows.num_rows != 1:
            raise opened.refuse(f"'{part.path}' is not one row")
    for entry in opened.contents.parts:
        if (entry.finished_at is not None) != (entry.table in ("scores", "run_scores")):
            raise opened.refuse(f"'{entry.path}' says when a scoring was finished, or does not say it")
