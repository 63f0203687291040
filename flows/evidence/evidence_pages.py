"""The pages of an evidence index, from snapshots, a dump or Parquet files."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluators.sentences import split_sentences
from flows.progress import Progress
from newwiki.errors import UsageError, did_you_mean
from newwiki.evidence_request import EvidenceRequest
from newwiki.foreign_files import open_regular
from newwiki.models.files import file_sha256
from newwiki.selection import is_disambiguation, is_redirect
from newwiki.snapshot import Snapshot
from newwiki.sources.current_revisions import CurrentRevisions
from newwiki.text.language import load_language
from newwiki.text.prose import EXTRACTOR_VERSION, extract_prose
from storage import snapshots
from storage.database import Database

# Title and text, or title and sentences
PageText = tuple[str, str | Sequence[str]]

_EVERY = "all"
_ROWS = 500  # rows of a Parquet file per batch


@dataclass(frozen=True)
class Sources:
    """The sources of an index, found and validated before the first page is read."""

    snapshots: Sequence[Snapshot]
    dump: CurrentRevisions | None
    tables: Sequence["_Table"]

    def described(self) -> list[dict[str, object]]:
        """Describe the sources in a fixed order: snapshots by hash, dump files by name and size, tables by hash."""
        sources: list[dict[str, object]] = [
            {"snapshot": snapshot.snapshot_id, "content_sha256": snapshot.content_sha256} for snapshot in self.snapshots
        ]
        if self.dump:
            parts = [{"name": part.path.name, "bytes": part.size} for part in self.dump.parts]
            sources.append({"dump": self.dump.site().wiki, "files": parts, "extractor": EXTRACTOR_VERSION})
        sources += [{"parquet": table.file.name, "sha256": file_sha256(table.file)} for table in self.tables]
        return sorted(sources, key=str)

    def pages(self, database: Database, progress: Progress) -> Iterator[PageText]:
        """Yield the pages of all sources, with progress."""
        for snapshot in self.snapshots:
            for article in snapshots.articles(database, snapshot.snapshot_id):
                text = f"{article.first_sentence}\n{article.completion}"
                yield article.title, split_sentences(text, snapshot.language)
        if self.dump:
            yield from _dump_pages(self.dump, progress)
        for table in self.tables:
            yield from table.pages(progress)


def find(request: EvidenceRequest, database: Database) -> Sources:
    """Find the requested sources.

    Raises UsageError if no source is named, or a snapshot, file or column does not exist.
    """
    if not (request.snapshot or request.dump or request.parquet):
        raise UsageError("evidence from where? Give --snapshot ID, --dump FILE or --parquet FILE")
    return Sources(
        _snapshots(request.snapshot, database) if request.snapshot else [],
        CurrentRevisions(request.dump) if request.dump else None,
        [_Table.find(file, request.title_column, request.text_column) for file in dict.fromkeys(request.parquet)],
    )


def _snapshots(names: Sequence[str], database: Database) -> list[Snapshot]:
    if _EVERY in names:
        names = [row["snapshot_id"] for row in database.records(dict[str, Any], "snapshot_list")]
        if not names:
            raise UsageError(f"'{database.path}' holds no snapshot yet; publish one with `newwiki refresh`")
    resolved = [snapshots.resolve(database, name) for name in names]
    return list({snapshot.snapshot_id: snapshot for snapshot in resolved}.values())


def _dump_pages(dump: CurrentRevisions, progress: Progress) -> Iterator[PageText]:
    """Yield the extracted prose of each page, as in a refresh, without redirects and disambiguation pages."""
    code = dump.site().language
    language = load_language(code)
    count = 0
    with progress.stretch(f"reading {dump.name}", "bytes") as bar:
        for pages, position in dump.newest():
            for page in pages:
                if is_redirect(page.wikitext, language) or is_disambiguation(page.title, page.wikitext, language):
                    continue
                count += 1
                yield page.title, split_sentences(extract_prose(page.wikitext, language, page.title), code)
            bar.update(position, dump.size or position, f"{count:,} articles")


@dataclass(frozen=True)
class _Table:
    """A Parquet file with its columns of titles and of texts or sentences."""

    file: Path
    title: str
    text: str

    @classmethod
    def find(cls, file: Path, title: str, text: str) -> "_Table":
        import pyarrow as pa
        import pyarrow.parquet as parquet

        try:
            with open_regular(file) as stream:
                schema = parquet.read_schema(stream)
        except (OSError, pa.ArrowInvalid) as error:
            raise UsageError(f"'{file}' is no Parquet file that can be read ({error})") from error
        for option, name in (("--title-column", title), ("--text-column", text)):
            if name not in schema.names:
                columns = ", ".join(schema.names) + did_you_mean(name, schema.names)
                raise UsageError(f"'{file}' has no column '{name}', only {columns}; name one with {option}")
        kinds = schema.field(title).type, schema.field(text).type
        if not _is_text(kinds[0]) or not (_is_text(kinds[1]) or _is_text(getattr(kinds[1], "value_type", pa.null()))):
            raise UsageError(
                f"'{file}': '{title}' must hold text and '{text}' text or lists of it, not {kinds[0]} and {kinds[1]}"
            )
        return cls(file, title, text)

    def pages(self, progress: Progress) -> Iterator[PageText]:
        """Yield the pages. Raises UsageError for a row without a title; a row without a text is an empty page."""
        import pyarrow.parquet as parquet

        with parquet.ParquetFile(self.file) as table, progress.stretch(f"reading {self.file.name}", "pages") as bar:
            done = 0
            for batch in table.iter_batches(_ROWS, columns=[self.title, self.text]):
                rows = zip(batch.column(self.title).to_pylist(), batch.column(self.text).to_pylist(), strict=True)
                for row, (title, text) in enumerate(rows, start=done + 1):
                    if not (title or "").strip():
                        raise UsageError(f"'{self.file}', row {row}: '{self.title}' is empty; every page has a title")
                    yield title, text or ""
                done += len(batch)
                bar.update(done, table.metadata.num_rows)


def _is_text(kind: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))
