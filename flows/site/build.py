"""Write the site atomically: read everything at once, then make the pages and files."""

from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from flows.progress import Progress
from flows.publishing.places import LIST
from flows.site import month_tables
from flows.site.contents import contents_of
from flows.site.data_files import write_data_files
from flows.site.model_pages import with_texts, write_models
from flows.site.month_pages import wiki_file, write_months
from flows.site.news import entries, write_badge, write_feed
from flows.site.overview_pages import write_overview
from flows.site.snapshot_pages import write_snapshot
from flows.site.snapshot_parts import parts_of
from flows.site.sources import gathered
from flows.site.submit_page import write_submit_page
from flows.site.writing import Writer
from newwiki.settings import Settings
from newwiki.site_request import SiteRequest
from storage.folders import whole_folder
from storage.outputs import safe


@dataclass(frozen=True)
class BuiltSite:
    """The folder of a site, with the number of its pages and tables and its size in bytes."""

    folder: Path
    pages: int
    tables: int
    size: int


def build(request: SiteRequest, settings: Settings, progress: Progress, folder: Path) -> BuiltSite:
    """Write the site into its folder, replacing an earlier site. The same database gives the same bytes.

    Raises UsageError if the folder holds anything else or a source is invalid, and TerminalError if sources contradict
    each other.
    """
    for name in (settings.db, *request.sources):
        safe(folder, Path(name))
    with whole_folder(folder, LIST, "a site") as part, gathered(request, settings, progress) as sources:
        with sources.database.read():  # ends before the pages are made, so that others can write meanwhile
            contents = contents_of(sources.database, sources.signers, sources.unlinked, sources.names)
            texts = sorted(with_texts(contents))
            parts = {
                snapshot.snapshot_id: parts_of(sources.database, contents, snapshot, texts)
                for snapshot in contents.snapshots
            }
        wikis = [(wiki, wiki_file(wiki)) for wiki in contents.wikis]
        writer = Writer(part, site_title=request.title, wiki_pages=wikis, contents=contents)
        months = month_tables.every(contents)
        news = entries(contents, datetime.now(UTC))
        data = write_data_files(writer, contents, sources.database)
        writer.style_and_script()
        write_badge(writer, contents)
        write_overview(writer, contents, months, parts, news)
        write_submit_page(writer, contents, parts, data, request.address)
        write_feed(writer, news, request.title, request.address)
        for wiki in contents.wikis:
            write_months(writer, contents, months, wiki)
        for snapshot in contents.snapshots:
            write_snapshot(writer, contents, parts[snapshot.snapshot_id])
        write_models(writer, contents, months, parts, data)
    files = [file for file in folder.rglob("*") if file.is_file()]
    endings = Counter(file.suffix for file in files)
    return BuiltSite(folder, endings[".html"], endings[".parquet"], sum(file.stat().st_size for file in files))
