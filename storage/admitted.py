"""Parts from another person, as far as a gate admits them: what is read of them has the types, keys and names of its
table.

What a part says is for the gate to check, which knows decoders, evaluators and metrics. `storage.pull` takes nothing
else, so that no rows enter a database unchecked.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Literal, Protocol

import pyarrow as pa

from newwiki.errors import TerminalError
from newwiki.names import require_name
from newwiki.snapshot import Article, Snapshot
from storage.push import SNAPSHOT_TABLES
from storage.shared import Note, ReadableParts, SharedPart
from storage.table_shapes import conforming

Source = Literal["pull", "bundle", "database"]
Row = Mapping[str, Any]

_OF_SNAPSHOT = ("snapshot_id",)
_OF_RUN = ("snapshot_id", "run_id")
_OF_SCORING = ("snapshot_id", "run_id", "evaluator_id")
# By what keys the parts of each table are told apart
PART_KEYS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(SNAPSHOT_TABLES, _OF_SNAPSHOT),
    **dict.fromkeys(("runs", "completions"), _OF_RUN),
    **dict.fromkeys(("scores", "run_scores", "claims"), _OF_SCORING),
    "evaluators": ("evaluator_id",),
    "metrics": ("metric",),
}
_ONE_ROW = frozenset({"snapshots", "runs", "evaluators", "metrics", "rubrics"})
# Clocks of two machines differ.
_SKEW = timedelta(hours=1)


class Refused(TerminalError):
    """A part is not taken in: it says something that cannot be."""


class Gate(Protocol):
    """What must hold of rows whoever made them. Each raises ValueError with what does not."""

    def snapshot(self, tables: Mapping[str, Sequence[Row]]) -> None:
        """Check the rows of a snapshot by table."""

    def run(self, row: Row, completions: Sequence[Row], snapshot: Snapshot, articles: Sequence[Article]) -> bool:
        """Check a run and its texts. Return whether its id could be computed again."""

    def evaluator(self, row: Row) -> None: ...

    def metric(self, row: Row, here: Collection[Row]) -> Row:
        """Check a metric beside those that the database holds. Return the row to store, which for a metric of ours is
        our own."""

    def scoring(
        self, part: SharedPart, rows: Sequence[Row], metrics: Collection[Row], texts: Collection[tuple[int, int]]
    ) -> None:
        """Check the scores or claims of a run's `texts`, given by page id and sample."""


@dataclass(frozen=True)
class Admitted:
    """Parts that a gate checks as they are taken in: snapshot by snapshot, run by run, scoring by scoring.

    `signer` is the fingerprint of the key that signed them, or empty.
    """

    parts: ReadableParts
    gate: Gate
    source: Source
    signer: str = ""

    @property
    def url(self) -> str:
        return self.parts.url

    def notes(self) -> dict[SharedPart, Note]:
        """Every note whose part can be one. Raises Refused for a note that is of no part."""
        found = self.parts.notes()
        for part in found:
            names = tuple(name for name, _ in part.keys)
            if part.table in PART_KEYS and names != PART_KEYS[part.table]:
                raise Refused(f"'{self.url}': no part of {part.table} is told apart by {', '.join(names)[:200]}")
        return found

    def read(self, note: Note) -> pa.Table:
        """Return the rows with the columns and types of their table. Raises Refused where they cannot be such rows."""
        part, found = note.part, self.parts.read(note)
        try:
            if found.num_rows != note.rows:
                raise ValueError(f"{found.num_rows} rows are there, and its note says {note.rows}")
            rows = conforming(part.table, found, dict(part.keys))
            if part.table in _ONE_ROW and rows.num_rows != 1:
                raise ValueError(f"it is not one row but {rows.num_rows}")
            for name, value in part.keys:
                require_name(value.removeprefix("reference:") if name.startswith("run_") else value, name)
        except ValueError as error:
            raise Refused(f"'{self.url}': {part.path[:300]}: {error}") from None
        return rows


def require_past(moment: datetime | None, what: str) -> None:
    """Raises ValueError for a moment that has not come yet."""
    if moment and moment > datetime.now(UTC) + _SKEW:
        raise ValueError(f"{what} {moment.isoformat()} is in the future")


def finished_at(note: Note) -> datetime:
    """When a scoring was finished, as its note says. Raises ValueError for what is no such moment."""
    said = note.facts.get("finished_at")
    moment = datetime.fromisoformat(said) if isinstance(said, str) else None
    if moment is None or moment.tzinfo is None:
        raise ValueError(f"its note says no time at which the scoring was finished, but {str(said)[:60]!r}")
    require_past(moment, "its scoring was finished, it says, and")
    return moment
