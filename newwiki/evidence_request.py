"""The request that builds an evidence index (see `newwiki.request`)."""

from dataclasses import dataclass
from pathlib import Path

from newwiki.fields import field
from newwiki.request import Request


@dataclass(frozen=True, kw_only=True)
class EvidenceRequest(Request):
    """The pages of an evidence index: from snapshots, a dump, Parquet files, or several of these."""

    snapshot: tuple[str, ...] = field(
        (), "Snapshot whose articles to index, or all for every snapshot (may be repeated).", metavar="ID"
    )
    dump: tuple[str, ...] = field(
        (),
        "MediaWiki XML export, with current revisions (pages-articles) or full history: a file, a folder, or a pattern "
        "such as 'parts/*.bz2' (may be repeated for further parts).",
        metavar="FILE",
    )
    parquet: tuple[Path, ...] = field((), "Parquet table of pages (may be repeated).", metavar="FILE")
    title_column: str = field("title", "Column of titles in --parquet.", metavar="NAME")
    text_column: str = field("text", "Column of texts, or of lists of sentences, in --parquet.", metavar="NAME")
