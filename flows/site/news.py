"""What tells others of a site: its Atom feed (RFC 4287) of snapshots and runs, and a badge of its newest month."""

import json
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from urllib.parse import quote, urljoin

from flows.site.contents import Contents, SiteRun, snapshot_file
from flows.site.model_pages import model_file
from flows.site.writing import Writer

_ENTRIES = 60
_LABEL = "fresh as of"
_QUIET = timedelta(days=40)  # longer than a month may take
_SPACE = uuid.UUID("5f1f1b0e-6c1b-5d0a-9a53-0f3a1a2f6f0d")  # namespace of the entries' ids


def write_feed(writer: Writer, entries: Sequence["Entry"], title: str, address: str | None) -> None:
    newest = entries[:_ENTRIES]
    name = str(uuid.uuid5(_SPACE, f"feed {address or title}"))
    writer.page("feed.xml", "feed.xml", entries=newest, address=address, link=link, feed_uuid=name)


@dataclass(frozen=True)
class Entry:
    """An entry of the feed.

    `path` is the page of the entry; `name` is stable across builds.
    """

    name: str
    title: str
    summary: str
    path: str
    at: datetime

    @property
    def uuid(self) -> str:
        return str(uuid.uuid5(_SPACE, self.name))


def entries(contents: Contents, now: datetime) -> list[Entry]:
    """Return the entries of the feed, the newest first. If nothing came for 40 days before `now`, the first says so."""
    feed_entries = [
        Entry(
            f"snapshot {snapshot.snapshot_id} {snapshot.content_sha256}",
            f"{snapshot.snapshot_id} is published",
            f"{snapshot.articles:,} articles from {snapshot.candidates:,} pages considered.",
            snapshot_file(snapshot.snapshot_id),
            snapshot.published_at,
        )
        for snapshot in contents.snapshots
    ]
    groups: dict[tuple[str, str, str], list[SiteRun]] = {}
    for run in contents.runs.values():
        groups.setdefault((run.snapshot_id, *run.key), []).append(run)
    for (snapshot_id, *key), runs in groups.items():
        model = contents.models[key[0], key[1]]
        decoders = ", ".join(dict.fromkeys(run.decoder_short for run in runs))
        at = max(run.finished_at or run.scored_at for run in runs)
        feed_entries.append(
            Entry(
                f"runs {' '.join(sorted(run.run_id for run in runs))}",
                f"{model.name} on {snapshot_id}",
                f"{len(runs)} {'run' if len(runs) == 1 else 'runs'}: {decoders}.",
                model_file(model),
                at,
            )
        )
    newest_first = sorted(feed_entries, key=lambda entry: (-entry.at.timestamp(), entry.title, entry.name))
    return [*_quiet(newest_first[0], now), *newest_first]


def _quiet(newest: Entry, now: datetime) -> Iterator[Entry]:
    """Yield an entry if nothing came for long. It bears the day on which that was first true, so later builds agree."""
    since = newest.at + _QUIET
    if since <= now:
        words = f"The last news came on {newest.at:%Y-%m-%d}: {newest.title}."
        yield Entry(f"quiet since {newest.name}", f"Nothing new for {_QUIET.days} days", words, "index.html", since)


def link(address: str | None, path: str) -> str:
    """Return the address of a page: below the site's address, or relative to the feed."""
    quoted = quote(path)
    return urljoin(f"{address.rstrip('/')}/", quoted) if address else quoted


def write_badge(writer: Writer, contents: Contents) -> None:
    """Write the newest month as an image, and as JSON that shields.io reads."""
    months = [f"{snapshot.window_start:%Y-%m}" for snapshot in contents.snapshots if snapshot.kind == "new"]
    newest = max(months, default="no month")
    writer.page("fresh.svg", "fresh.svg", label=_LABEL, month=newest)
    shield = {"schemaVersion": 1, "label": _LABEL, "message": newest, "color": "blue"}
    writer.text("fresh.json", json.dumps(shield) + "\n")
