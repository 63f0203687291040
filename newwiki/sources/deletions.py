"""Read why a page was deleted from the wiki's deletion log."""

from datetime import datetime
from typing import Any

from newwiki.snapshot import Deletion
from newwiki.sources.api import Api
from newwiki.sources.creations import log
from newwiki.sources.source import Memory
from newwiki.sources.timestamps import moment
from newwiki.text.deletion_log import read_reason
from newwiki.text.language import Language

# Of the log `delete`, which also has restorations and hidden revisions
_DELETING = frozenset({"delete", "delete_redir"})


def deletion(
    api: Api, page_id: int, title: str, since: datetime, language: Language, memory: Memory | None
) -> Deletion:
    """Return the last deletion of the page since then; an entry of another page with the same title does not count."""
    entries = [
        entry
        for answer in log(api, "deletions", since, None, memory, letype="delete", letitle=title)
        for entry in answer
        if entry.get("logpage") == page_id and entry.get("action") in _DELETING
    ]
    if not entries:
        return Deletion(page_id=page_id, status="the deletion log has no entry for the page under its last known title")
    return _read(page_id, entries[-1], language)


def _read(page_id: int, entry: dict[str, Any], language: Language) -> Deletion:
    at = moment(entry["timestamp"])
    if "commenthidden" in entry:
        return Deletion(page_id=page_id, deleted_at=at, status="the wiki hides the comment")
    reason = read_reason(entry["comment"], language)
    return Deletion(
        page_id=page_id,
        deleted_at=at,
        comment=entry["comment"],
        route=reason.route,
        criterion=reason.criterion,
        kinds=reason.kinds,
    )
