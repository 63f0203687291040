"""Look up in Wikidata what an item is an instance of (P31), and the coarse type of its classes (upwards over P279)."""

import functools
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.resources import files
from typing import Any

from newwiki.errors import TerminalError
from newwiki.sources.api import Api, joined

OTHER = "Other"
_INSTANCE_OF, _SUBCLASS_OF = "P31", "P279"
_HIGHEST = 6  # steps upwards; the classes above contain everything


@functools.cache
def coarse_types() -> Mapping[str, str]:
    """Return Wikidata class → coarse type, with the types in order of precedence."""
    table = tomllib.loads((files(__package__) / "topics.toml").read_text("utf-8"))
    return {wikidata_class: name for name, classes in table.items() for wikidata_class in classes}


class Wikidata:
    """A Wikibase, by the address of its api.php. It caches the class hierarchy."""

    def __init__(self, url: str, contact: str | None) -> None:
        self._api = Api(url, contact)
        self._above: dict[str, tuple[str, ...]] = {}

    def tell(self, say: Callable[[str], None]) -> None:
        self._api.tell(say)

    def instance_of(self, items: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """Return the classes of each item, in numerical order; empty if it has none or does not exist."""
        return self._claims(items, _INSTANCE_OF)

    def topics(self, classes: Iterable[Sequence[str]]) -> list[str | None]:
        """Return the coarse type of each group of classes: the type of the nearest class in the table, `Other` if none
        is within six steps upwards, None for an empty group."""
        groups = list(classes)
        coarse: list[str | None] = [None if not group else OTHER for group in groups]
        frontiers = {place: set(group) for place, group in enumerate(groups)}
        seen = {place: set(group) for place, group in enumerate(groups)}
        for _ in range(_HIGHEST + 1):
            for place in list(frontiers):
                if topic := _first_type(frontiers[place]):
                    coarse[place] = topic
                    del frontiers[place]
            self._look_above(set().union(*frontiers.values()))
            for place, frontier in frontiers.items():
                frontiers[place] = {above for below in frontier for above in self._above[below]} - seen[place]
                seen[place] |= frontiers[place]
        return coarse

    def _look_above(self, classes: set[str]) -> None:
        self._above |= self._claims(classes - self._above.keys(), _SUBCLASS_OF)

    def _claims(self, entities: Iterable[str], prop: str) -> dict[str, tuple[str, ...]]:
        todo = sorted(set(entities), key=_number)
        values: dict[str, tuple[str, ...]] = {}
        for batch in self._api.batches(todo):
            answer = self._api.ask("wikidata", action="wbgetentities", ids=joined(batch), props="claims")["entities"]
            values |= {entity: _values(answer.get(entity, {}), prop) for entity in batch}
        return values


def _first_type(classes: set[str]) -> str | None:
    return next((name for known, name in coarse_types().items() if known in classes), None)


def _values(entity: dict[str, Any], prop: str) -> tuple[str, ...]:
    """Return the values of the best rank, as Wikidata does: preferred before normal, never deprecated."""
    statements = (entity.get("claims") or {}).get(prop, [])
    ranked: dict[str, set[str]] = {"preferred": set(), "normal": set(), "deprecated": set()}
    for statement in statements:
        if statement["mainsnak"]["snaktype"] == "value":
            ranked[statement["rank"]].add(statement["mainsnak"]["datavalue"]["value"]["id"])
    return tuple(sorted(ranked["preferred"] or ranked["normal"], key=_number))


def _number(entity: str) -> int:
    return int(entity[1:])


def wikibase_items(api: Api, titles: Mapping[int, str]) -> dict[int, str | None]:
    """Return the item of each page, by page id; None if the page has no item or no longer exists.

    Raises TerminalError if most ids belong to pages with other titles, because then it is another wiki.
    """
    ids = list(titles)
    pages: dict[int, dict[str, Any]] = {}
    for batch in api.batches(ids):
        for page in _properties(api, batch):
            properties = pages.setdefault(page["pageid"], page).setdefault("pageprops", {})
            properties |= page.get("pageprops", {})
    existing = [page for page in pages.values() if "missing" not in page]
    mismatches = [page for page in existing if page["title"] != titles[page["pageid"]]]
    if 2 * len(mismatches) > len(existing):
        raise TerminalError(
            f"the wiki at {api.url} has other pages under these page ids ('{mismatches[0]['title']}' instead of "
            f"'{titles[mismatches[0]['pageid']]}'); pass the API of the wiki that the snapshot was taken from"
        )
    return {page_id: pages[page_id]["pageprops"].get("wikibase_item") for page_id in ids}


def _properties(api: Api, ids: Sequence[int]) -> Iterable[dict[str, Any]]:
    for answer in api.query("properties", prop="pageprops", ppprop="wikibase_item", pageids=joined(ids)):
        yield from answer.get("pages", [])
