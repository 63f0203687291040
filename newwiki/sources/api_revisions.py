"""Revisions as the Action API gives them: by their numbers, and what each of them says."""

from collections.abc import Sequence
from typing import Any

from newwiki.errors import TransientError
from newwiki.sources.api import Api, joined

WITH_TEXT = {"prop": "revisions", "rvprop": "ids|timestamp|size|content", "rvslots": "main"}
WITH_SIZE = {"prop": "revisions", "rvprop": "ids|timestamp|size|sha1"}


def fetch_revisions(
    api: Api, kind: str, rev_ids: Sequence[int], asked: dict[str, str] = WITH_TEXT
) -> dict[int, dict[str, Any]]:
    """Those of the revisions, at most as many as one request may name, that are still there, by their numbers.

    Raises TransientError where the wiki leaves one out without a word.
    """
    found: dict[int, dict[str, Any]] = {}
    gone: set[int] = set()
    for answer in api.query(kind, revids=joined(rev_ids), **asked):
        gone |= {int(rev_id) for rev_id in answer.get("badrevids", {})}
        for page in answer.get("pages", []):
            found |= {revision["revid"]: revision for revision in page.get("revisions", [])}
    left_out = set(rev_ids) - found.keys() - gone
    if left_out:
        raise TransientError(f"the wiki's API at {api.url} left out revision {min(left_out)}; try again")
    return found


def is_hidden(revision: dict[str, Any]) -> bool:
    """Whether the wiki does not show its text, whether that was asked for or only its size."""
    return "texthidden" in _slot(revision) or "texthidden" in revision or "sha1hidden" in revision


def wikitext(revision: dict[str, Any]) -> str | None:
    """None where it is hidden, or was not asked for."""
    return None if is_hidden(revision) else _slot(revision).get("content")


def _slot(revision: dict[str, Any]) -> dict[str, Any]:
    slot: dict[str, Any] = revision.get("slots", {}).get("main", {})
    return slot
