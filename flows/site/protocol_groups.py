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
        run_settings = settings[record["run_id"]]
        if protocol.writes_none(run_settings):
            reading.append(record)
        else:
            alike.setdefault(_key(run_settings, _OTHERS), []).append(record)
    writing = [group for members in alike.values() for group in _by_lengths(members, settings)]
    writing.sort(key=lambda group: -len(group.records))
    return [*writing, *([Group(_READING, reading)] if reading else [])]


def _by_lengths(records: Sequence[Record], settings: Mapping[str, Settings]) -> list[Group]:
    keys = {record["run_id"]: _lengths(settings[record["run_id"]]) for record in records}
    known: list[str | None] = [*dict.fromkeys(key for key in keys.values() if key is not None)] or [None]
    by_lengths = []
    for key in known:
        key_records = [record for record in records if keys[record["run_id"]] in (key, None)]
        by_lengths.append(Group(_words([settings[record["run_id"]] for record in key_records]), key_records))
    return by_lengths


def _lengths(run_settings: Settings) -> str | None:
    return None if all(run_settings[name] is None for name in _LENGTHS) else _key(run_settings, _LENGTHS)


def _key(run_settings: Settings, names: Iterable[str]) -> str:
    return json.dumps([run_settings[name] for name in names], sort_keys=True)


def _words(run_settings: Sequence[Settings]) -> str:
    phrases = []
    for name in protocol.PROTOCOL:
        values = protocol.values_of(run_settings, name)
        if values:
            phrases.append(f"{name} {protocol.value_in_words(values[0])}")
    return ", ".join(phrases)
