"""What a user may ask of an evidence index: the pages that it is made of (see `newwiki.request`)."""

from dataclasses import dataclass
from pathlib import Path

from newwiki.fields import asked
from newwiki.request import Request


@dataclass(frozen=True, kw_only=True)
class EvidenceRequest(Request):
    """Which pages an evidence index is made of: those of snapshots, of a dump, of Parquet files, or of several."""

    snapshot: tuple[str, ...] = asked((), "Its articles, or all for every snapshot (may be repeated).", metavar="ID")
    dump: tuple[str, ...] = asked(
        (),
        "A MediaWiki XML export, current revisions (pages-articles) or with history: a file, all parts, a folder, or "
        "'parts/*.bz2'.",
        metavar="FILE",
    )
    parquet: tuple[Path, ...] = asked((), "A table of pages (may be repeated).", metavar="FILE")
    title_column: str = asked("title", "The column of titles in --parquet.", metavar="NAME")
    text_column: str = asked("text", "The column of texts in --parquet, or of lists of sentences.", metavar="NAME")
