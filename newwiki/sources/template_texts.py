"""Read templates as of the cutoff through the Action API: fifty titles a request, and one more for each template that
was edited after the cutoff."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any
from urllib.parse import quote

from newwiki.errors import TransientError
from newwiki.snapshot import TemplateSource
from newwiki.sources.api import Api, joined, wikitext
from newwiki.sources.timestamps import moment, stamp

_NAMESPACE = "Template:"  # every wiki knows its templates by this name too
_LONGEST = 4000  # characters of the titles in an address; servers allow twice as many
_TEXTS = {"prop": "revisions", "rvprop": "ids|timestamp|content", "rvslots": "main"}


def read_templates(api: Api, titles: Sequence[str], cutoff: datetime) -> Iterator[list[TemplateSource]]:
    """Yield each of these templates, by its title without the namespace, in batches of one request."""
    for batch in _batches(api, titles):
        yield [_as_of(api, title, page, cutoff) for title, page in zip(batch, _current(api, batch), strict=True)]


def _batches(api: Api, titles: Sequence[str]) -> Iterator[Sequence[str]]:
    batch: list[str] = []
    size = 0
    for title in titles:
        length = len(quote(_NAMESPACE + title, safe="")) + len("%7C")
        if batch and (len(batch) == api.batch or size + length > _LONGEST):
            yield batch
            batch, size = [], 0
        batch.append(title)
        size += length
    if batch:
        yield batch


def _current(api: Api, titles: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Yield the page of each title, with its newest revision if there is such a page."""
    pages: dict[str, dict[str, Any]] = {}
    normalized: dict[str, str] = {}
    for answer in api.query("templates", titles=joined(_NAMESPACE + title for title in titles), **_TEXTS):
        normalized |= {each["from"]: each["to"] for each in answer.get("normalized", [])}
        for page in answer.get("pages", []):
            merged = pages.setdefault(page["title"], page)
            if merged is not page and "revisions" in page:
                merged["revisions"] = merged.get("revisions", []) + page["revisions"]
    for title in titles:
        page = pages.get(normalized.get(_NAMESPACE + title, _NAMESPACE + title))
        if page is None or not (page.get("revisions") or "missing" in page or "invalid" in page):
            raise TransientError(f"the wiki's API at {api.url} left out the template '{title}'; try again")
        yield page


def _as_of(api: Api, title: str, page: dict[str, Any], cutoff: datetime) -> TemplateSource:
    revisions = page.get("revisions", [])
    if revisions and moment(revisions[0]["timestamp"]) > cutoff:
        answer = next(
            api.query(
                "templates", pageids=page["pageid"], rvlimit=1, rvdir="older", rvstart=stamp(cutoff), **_TEXTS
            )
        )  # fmt: skip
        revisions = answer["pages"][0].get("revisions", [])
    text = wikitext(revisions[0]) if revisions else None
    return TemplateSource(title) if text is None else TemplateSource(title, revisions[0]["revid"], text)
