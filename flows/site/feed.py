"""What is new, as an Atom feed (RFC 4287): snapshots that were published, and models that were scored on them."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import quote, urljoin

from flows.site.contents import Contents, SiteRun, snapshot_file
from flows.site.model_pages import model_file

_ENTRIES = 60
_SPACE = uuid.UUID("5f1f1b0e-6c1b-5d0a-9a53-0f3a1a2f6f0d")  # of the entries' names


@dataclass(frozen=True)
class Entry:
    """`path` is the page that it is about; `name` is the same whenever it is written."""

    name: str
    title: str
    summary: str
    path: str
    at: datetime

    @property
    def uuid(self) -> str:
        return str(uuid.uuid5(_SPACE, self.name))


def entries(contents: Contents) -> list[Entry]:
    """The newest first."""
    found = [
        Entry(
            f"snapshot {one.snapshot_id} {one.content_sha256}",
            f"{one.snapshot_id} is published",
            f"{one.articles:,} articles of {one.candidates:,} pages that were considered.",
            snapshot_file(one.snapshot_id),
            one.published_at,
        )
        for one in contents.snapshots
    ]
    groups: dict[tuple[str, str, str], list[SiteRun]] = {}
    for run in contents.runs.values():
        groups.setdefault((run.snapshot_id, *run.key), []).append(run)
    for (snapshot_id, *key), runs in groups.items():
        model = contents.models[key[0], key[1]]
        decoders = ", ".join(dict.fromkeys(run.decoder_short for run in runs))
        at = max(run.finished_at or run.scored_at for run in runs)
        found.append(
            Entry(
                f"runs {' '.join(sorted(run.run_id for run in runs))}",
                f"{model.name} on {snapshot_id}",
                f"{len(runs)} {'run' if len(runs) == 1 else 'runs'}: {decoders}.",
                model_file(model),
                at,
            )
        )
    return sorted(found, key=lambda one: (-one.at.timestamp(), one.title, one.name))


def shown(found: Sequence[Entry]) -> Sequence[Entry]:
    return found[:_ENTRIES]


def link(address: str | None, path: str) -> str:
    """Where a page is: at the site's address, or beside the feed."""
    quoted = quote(path)
    return urljoin(f"{address.rstrip('/')}/", quoted) if address else quoted


def feed_uuid(name: str) -> str:
    """Of the whole feed, by where it is or what it is called."""
    return str(uuid.uuid5(_SPACE, f"feed {name}"))
