"""Page properties of a wiki: which Wikidata item a page is about."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from newwiki.errors import TerminalError
from newwiki.sources.api import Api, joined


def wikibase_items(api: Api, titles: Mapping[int, str]) -> dict[int, str | None]:
    """The item of each page, by page id: None where the page has none, or is gone.

    Raises TerminalError where most ids belong to pages of other titles: then the wiki is another one.
    """
    ids = list(titles)
    pages: dict[int, dict[str, Any]] = {}
    for some in api.batches(ids):
        for page in _asked(api, some):
            properties = pages.setdefault(page["pageid"], page).setdefault("pageprops", {})
            properties |= page.get("pageprops", {})
    there = [page for page in pages.values() if "missing" not in page]
    strangers = [page for page in there if page["title"] != titles[page["pageid"]]]
    if 2 * len(strangers) > len(there):
        raise TerminalError(
            f"the wiki at {api.url} has other pages under these numbers ('{strangers[0]['title']}' instead of "
            f"'{titles[strangers[0]['pageid']]}'); name the API of the wiki that the snapshot is of"
        )
    return {page_id: pages[page_id]["pageprops"].get("wikibase_item") for page_id in ids}


def _asked(api: Api, ids: Sequence[int]) -> Iterable[dict[str, Any]]:
    for answer in api.query("properties", prop="pageprops", ppprop="wikibase_item", pageids=joined(ids)):
        yield from answer.get("pages", [])
