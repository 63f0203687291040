"""A snapshot without its texts: what another person needs to fetch the same revisions and reach the same hash."""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Self

from newwiki.errors import TerminalError, UsageError
from newwiki.foreign_files import read_regular
from newwiki.foreign_json import read_object
from newwiki.visible import in_json

_FORMAT = "newwiki manifest 1"


@dataclass(frozen=True, kw_only=True)
class ManifestEntry:
    """One article: its revision, and the hashes that identify the revision's text.

    `sha1` is of the wikitext (None if the snapshot does not know it), `text_sha256` of the extracted text.
    """

    page_id: int
    rev_id: int
    sha1: str | None
    title: str
    created_at: datetime
    revised_at: datetime
    revisions: int
    words: int
    text_sha256: str


@dataclass(frozen=True, kw_only=True)
class ManifestTemplate:
    """A template that the texts rest on: its title without the namespace, its revision, and the SHA-1 of its
    wikitext."""

    title: str
    rev_id: int
    sha1: str


@dataclass(frozen=True, kw_only=True)
class Manifest:
    """The manifest of a snapshot. `base_url` is the prefix of permanent links; `parameters` are those of its
    publication.

    `newwiki_version` is a release with this extractor; None if the release that wrote the manifest has another.
    """

    snapshot_id: str
    wiki: str
    base_url: str
    kind: str
    window_start: datetime
    window_end: datetime
    cutoff: datetime
    parameters: dict[str, Any]
    extractor_version: str
    newwiki_version: str | None
    content_sha256: str
    articles: tuple[ManifestEntry, ...]
    templates: tuple[ManifestTemplate, ...] = ()

    def to_json(self) -> str:
        """Return the manifest as JSON, one line per article and template; equal manifests give equal texts."""
        head = {"format": _FORMAT, **asdict(self)}
        templates, articles = head.pop("templates"), head.pop("articles")
        lists = {**({"templates": templates} if templates else {}), "articles": articles}
        start = json.dumps(head, default=datetime.isoformat, ensure_ascii=False, indent=1).removesuffix("\n}")
        return in_json("".join([start, *(_lines(name, rows) for name, rows in lists.items()), "\n}\n"]))

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read a manifest file. Raises UsageError if it is not a manifest."""
        try:
            values = read_object(read_regular(path), f"'{path}'")
            if values.pop("format") != _FORMAT:
                raise ValueError(f"its format is not '{_FORMAT}'")
            values["templates"] = tuple(ManifestTemplate(**template) for template in values.get("templates", ()))
            values["articles"] = tuple(ManifestEntry(**_with_times(entry)) for entry in values["articles"])
            return cls(**_with_times(values))
        except (OSError, TerminalError, ValueError, KeyError, TypeError) as error:
            raise UsageError(
                f"'{path}' is not a snapshot's manifest ({error}); write one with "
                "`newwiki snapshots export ID --format manifest --out DIR`"
            ) from None


_TIMES = ("created_at", "revised_at", "window_start", "window_end", "cutoff")


def _lines(name: str, rows: Iterable[dict[str, Any]]) -> str:
    lines = [json.dumps(row, default=datetime.isoformat, ensure_ascii=False) for row in rows]
    return f',\n "{name}": [\n  ' + ",\n  ".join(lines) + "\n ]"


def _with_times(values: dict[str, Any]) -> dict[str, Any]:
    return values | {name: datetime.fromisoformat(values[name]) for name in _TIMES if name in values}
