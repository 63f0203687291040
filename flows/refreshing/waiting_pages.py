"""Read the templates that the texts of pages need, and judge these pages.

The templates of all pages are read together, so that a request holds as many as the wiki allows. Each one that is read
may call others, which are read next; none is read twice.
"""

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Protocol

from flows.progress import Progress
from newwiki.errors import TerminalError
from newwiki.snapshot import Judged, Page, Requests, TemplateSource
from newwiki.text.language import Language
from newwiki.text.templates.expansion import templates_within
from storage.staging import Staging

_PAGES = 50  # pages per transaction
_MOST = 100_000  # templates; a month of a large wiki needs some thousands


class TemplateReader(Protocol):
    """The part of a source that reads templates (`newwiki.sources.source.Source`)."""

    name: str

    def templates(self, titles: list[str], cutoff: datetime) -> Iterable[list[TemplateSource]]: ...

    def asked(self) -> list[Requests]: ...


def judge_waiting(
    staging: Staging,
    source: TemplateReader,
    language: Language,
    judge_page: Callable[[Page, dict[str, str]], Judged],
    progress: Progress,
) -> None:
    """Judge all pages that wait for templates. `judge_page` gets a page and the templates' wikitext by title."""
    if not (wanted := staging.wanted()):
        return
    texts = _read(staging, source, language, wanted, progress)
    while pages := staging.waiting(_PAGES):
        staging.add([judge_page(page, texts) for page in pages], source.asked())


def _read(
    staging: Staging, source: TemplateReader, language: Language, wanted: set[str], progress: Progress
) -> dict[str, str]:
    """Return the wikitext of these templates and of those that they call, by title."""
    known: dict[str, TemplateSource] = {}
    with progress.stretch(f"reading templates from {source.name}", "templates") as bar:
        while wanted:
            stored = staging.templates(wanted)
            missing = sorted(wanted - stored.keys())
            for batch in source.templates(missing, staging.cutoff):
                staging.add([], source.asked(), templates=batch)
                stored |= {template.title: template for template in batch}
                bar.update(len(known) + len(stored), len(known) + len(wanted))
            absent = {title: TemplateSource(title) for title in missing}
            known |= absent | stored
            called = (templates_within(each.wikitext, language) for each in stored.values() if each.wikitext)
            wanted = set().union(*called) - known.keys()
            if len(known) + len(wanted) > _MOST:
                raise TerminalError(
                    f"the pages from {source.name} need more than {_MOST:,} templates, which no wiki's pages do; take "
                    "a shorter window, or write to the wiki's operators"
                )
    return {title: template.wikitext for title, template in known.items() if template.wikitext is not None}
