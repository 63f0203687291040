"""Wikidata: what an item is an instance of (P31), and which coarse type its classes come down to (P279 upwards)."""

import functools
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.resources import files
from typing import Any

from newwiki.sources.api import Api, joined

OTHER = "Other"
_INSTANCE_OF, _SUBCLASS_OF = "P31", "P279"
_HIGHEST = 6  # steps upwards; above them lie the classes that hold everything


@functools.cache
def coarse_types() -> Mapping[str, str]:
    """Wikidata class → coarse type, the types in their order of precedence."""
    table = tomllib.loads((files(__package__) / "topics.toml").read_text("utf-8"))
    return {wikidata_class: name for name, classes in table.items() for wikidata_class in classes}


class Wikidata:
    """A Wikibase by the address of its api.php. It remembers which class lies below which."""

    def __init__(self, url: str, contact: str | None) -> None:
        self._api = Api(url, contact)
        self._above: dict[str, tuple[str, ...]] = {}

    def tell(self, say: Callable[[str], None]) -> None:
        self._api.tell(say)

    def instance_of(self, items: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """The classes of each item, in numerical order; none where it has none or is not there."""
        return self._claims(items, _INSTANCE_OF)

    def topics(self, classes: Iterable[Sequence[str]]) -> list[str | None]:
        """The coarse type of each group of classes: that of the nearest class in the table, `Other` where there is none
        within six steps upwards, None for an empty group."""
        groups = list(classes)
        found: list[str | None] = [None if not group else OTHER for group in groups]
        frontiers = {place: set(group) for place, group in enumerate(groups)}
        seen = {place: set(group) for place, group in enumerate(groups)}
        for _ in range(_HIGHEST + 1):
            for place in list(frontiers):
                if topic := _first_type(frontiers[place]):
                    found[place] = topic
                    del frontiers[place]
            self._look_above(set().union(*frontiers.values()))
            for place, frontier in frontiers.items():
                frontiers[place] = {above for below in frontier for above in self._above[below]} - seen[place]
                seen[place] |= frontiers[place]
        return found

    def _look_above(self, classes: set[str]) -> None:
        self._above |= self._claims(classes - self._above.keys(), _SUBCLASS_OF)

    def _claims(self, entities: Iterable[str], prop: str) -> dict[str, tuple[str, ...]]:
        todo = sorted(set(entities), key=_number)
        found: dict[str, tuple[str, ...]] = {}
        for batch in self._api.batches(todo):
            answer = self._api.ask("wikidata", action="wbgetentities", ids=joined(batch), props="claims")["entities"]
            found |= {entity: _values(answer.get(entity, {}), prop) for entity in batch}
        return found


def _first_type(classes: set[str]) -> str | None:
    return next((name for known, name in coarse_types().items() if known in classes), None)


def _values(entity: dict[str, Any], prop: str) -> tuple[str, ...]:
    """Those of the best rank, as Wikidata itself counts: preferred before normal, deprecated never."""
    statements = (entity.get("claims") or {}).get(prop, [])
    ranked: dict[str, set[str]] = {"preferred": set(), "normal": set(), "deprecated": set()}
    for statement in statements:
        if statement["mainsnak"]["snaktype"] == "value":
            ranked[statement["rank"]].add(statement["mainsnak"]["datavalue"]["value"]["id"])
    return tuple(sorted(ranked["preferred"] or ranked["normal"], key=_number))


def _number(entity: str) -> int:
    return int(entity[1:])
