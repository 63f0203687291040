"""Export a snapshot as a manifest without texts, as Parquet, as JSON lines or for Hugging Face's `datasets`."""

import json
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path

import pyarrow as pa

from newwiki.errors import TerminalError
from newwiki.manifest import Manifest, ManifestEntry, ManifestTemplate
from newwiki.snapshot import Snapshot
from newwiki.text.prose import EXTRACTOR_VERSION
from storage import croissant, snapshot_templates
from storage.database import Database
from storage.datasets_card import card
from storage.folders import is_free, write_text
from storage.outputs import safe
from storage.rows import RowsForm, write_rows
from storage.snapshots import articles, resolve

_MANIFEST, _CARD, _CROISSANT = "manifest.json", "README.md", "croissant.json"
_TABLES = ("articles", "candidates", "structure", "facts", "citations", "tags")


Writer = Callable[[Database, Snapshot, Path], Sequence[Path]]


def export(database: Database, name: str, form: str, folder: Path) -> list[Path]:
    """Write the snapshot into a folder in the form `manifest`, `parquet`, `jsonl` or `datasets`.

    Returns the paths of the files. Raises TerminalError if the folder holds anything else.
    """
    return write_folder(database, name, folder, FORMS[form])


def write_folder(database: Database, name: str, folder: Path, write: Writer) -> list[Path]:
    """Write the snapshot's manifest into a folder, and then the files of `write`.

    Returns the paths of the files. The manifest shows that the folder holds this snapshot and may be overwritten.
    Raises TerminalError if the folder holds anything else.
    """
    safe(folder, database.path)
    snapshot = resolve(database, name)
    named = manifest(database, snapshot.snapshot_id).to_json()
    _require_ours(folder, snapshot)
    write_text(folder / _MANIFEST, named)
    return [folder / _MANIFEST, *write(database, snapshot, folder)]


def manifest(database: Database, name: str) -> Manifest:
    """Return the snapshot without its texts."""
    snapshot = resolve(database, name)
    base_url = _base_url(database, snapshot)
    entries = [
        ManifestEntry(
            page_id=article.page_id,
            rev_id=article.rev_id,
            sha1=article.sha1,
            title=article.title,
            created_at=article.created_at,
            revised_at=article.revised_at,
            revisions=article.revisions,
            words=article.words,
            text_sha256=article.text_sha256,
        )
        for article in articles(database, snapshot.snapshot_id)
    ]
    return Manifest(
        snapshot_id=snapshot.snapshot_id,
        wiki=snapshot.wiki,
        base_url=base_url,
        kind=snapshot.kind,
        window_start=snapshot.window_start,
        window_end=snapshot.window_end,
        cutoff=snapshot.cutoff,
        parameters=json.loads(snapshot.parameters),
        extractor_version=snapshot.extractor_version,
        newwiki_version=version("newwiki-eval") if snapshot.extractor_version == EXTRACTOR_VERSION else None,
        content_sha256=snapshot.content_sha256,
        articles=tuple(sorted(entries, key=lambda entry: entry.page_id)),
        templates=tuple(
            ManifestTemplate(title=template.title, rev_id=template.rev_id or 0, sha1=template.sha1)
            for template in snapshot_templates.stored(database, snapshot.snapshot_id)
        ),
    )


def _nothing_more(database: Database, snapshot: Snapshot, folder: Path) -> list[Path]:
    return []


def _parquet(database: Database, snapshot: Snapshot, folder: Path) -> list[Path]:
    return _described(database, snapshot, folder, _tables(database, snapshot, folder, "parquet"), loaded=False)


def _jsonl(database: Database, snapshot: Snapshot, folder: Path) -> list[Path]:
    return _described(database, snapshot, folder, _tables(database, snapshot, folder, "jsonl"), loaded=False)


def _datasets(database: Database, snapshot: Snapshot, folder: Path) -> list[Path]:
    return _described(database, snapshot, folder, _tables(database, snapshot, folder / "data", "parquet"), loaded=True)


def _described(
    database: Database, snapshot: Snapshot, folder: Path, files: Mapping[Path, pa.Schema], *, loaded: bool
) -> list[Path]:
    """Write the data card and the Croissant description of these files. Returns the paths of all files."""
    funnel = database.rows("funnel", snapshot.snapshot_id)
    write_text(folder / _CARD, card(snapshot, funnel, list(files), loaded=loaded))
    described = croissant.describe(database, snapshot, _base_url(database, snapshot), folder, files)
    write_text(folder / _CROISSANT, croissant.to_json(described))
    return [folder / _CARD, folder / _CROISSANT, *files]


FORMS: dict[str, Writer] = {
    "manifest": _nothing_more,
    "parquet": _parquet,
    "jsonl": _jsonl,
    "datasets": _datasets,
}


def _tables(database: Database, snapshot: Snapshot, folder: Path, form: RowsForm) -> dict[Path, pa.Schema]:
    paths = {table: folder / f"{table}.{form}" for table in _TABLES}
    return {
        path: write_rows(database, f"export_{table}", [[snapshot.snapshot_id]], path, form)
        for table, path in paths.items()
    }


def _base_url(database: Database, snapshot: Snapshot) -> str:
    bases = [base for (base,) in database.rows("permalink_bases", snapshot.snapshot_id)]
    if len(bases) != 1 or bases[0] is None:
        raise TerminalError(f"{snapshot.snapshot_id} is not as it was published; see `newwiki snapshots verify`")
    return str(bases[0])


def _require_ours(folder: Path, snapshot: Snapshot) -> None:
    if is_free(folder):
        return
    if (folder / _MANIFEST).is_file():
        published = Manifest.read(folder / _MANIFEST)
        if (published.snapshot_id, published.content_sha256) == (snapshot.snapshot_id, snapshot.content_sha256):
            return
        raise TerminalError(
            f"'{folder}' holds snapshot {published.snapshot_id}, and another content; name a new folder"
        )
    raise TerminalError(f"'{folder}' holds something else than a snapshot; name a new folder")
