"""Group runs by protocol; each group becomes a table."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from newwiki import protocol
from newwiki.protocol import Settings

_LENGTHS = ("samples", "keep")
_OTHERS = tuple(name for name in protocol.PROTOCOL if name not in _LENGTHS)
_READING = "the runs read the articles and write no texts"

Record = Mapping[str, Any]


@dataclass(frozen=True)
class Group:
    """Records of runs under one protocol, and the protocol in words."""

    words: str
    records: Sequence[Record]


def groups(records: Iterable[Record], settings: Mapping[str, Settings]) -> list[Group]:
    """Group the runs, the largest group first.

    A deterministic decoder has one text per prompt, so its runs join groups with any number of samples. Runs that write
    no texts form a separate group.
    """
    reading: list[Record] = []
    alike: dict[str, list[Record]] = {}
    for record in records:
        asked = settings[record["run_id"]]
        if protocol.writes_none(asked):
            reading.append(record)
        else:
            alike.setdefault(_key(asked, _OTHERS), []).append(record)
    found = [group for those in alike.values() for group in _by_lengths(those, settings)]
    found.sort(key=lambda group: -len(group.records))
    return [*found, *([Group(_READING, reading)] if reading else [])]


def _by_lengths(records: Sequence[Record], settings: Mapping[str, Settings]) -> list[Group]:
    keys = {record["run_id"]: _lengths(settings[record["run_id"]]) for record in records}
    known: list[str | None] = [*dict.fromkeys(key for key in keys.values() if key is not None)] or [None]
    found = []
    for key in known:
        of_key = [record for record in records if keys[record["run_id"]] in (key, None)]
        found.append(Group(_words([settings[record["run_id"]] for record in of_key]), of_key))
    return found


def _lengths(asked: Settings) -> str | None:
    return None if all(asked[name] is None for name in _LENGTHS) else _key(asked, _LENGTHS)


def _key(asked: Settings, names: Iterable[str]) -> str:
    return json.dumps([asked[name] for name in names], sort_keys=True)


def _words(asked: Sequence[Settings]) -> str:
    told = []
    for name in protocol.PROTOCOL:
        values = protocol.values_of(asked, name)
        if values:
            told.append(f"{name} {protocol.value_in_words(values[0])}")
    return ", ".join(told)
