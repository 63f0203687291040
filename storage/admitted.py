"""Read parts from other people and give their rows the columns, types and keys of this program's tables.

A gate, which knows decoders, evaluators and metrics, checks the content of the rows. `storage.pull` accepts only
admitted parts, so that no unchecked rows enter a database.
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
# The keys that identify the parts of each table.
PART_KEYS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(SNAPSHOT_TABLES, _OF_SNAPSHOT),
    **dict.fromkeys(("runs", "completions"), _OF_RUN),
    **dict.fromkeys(("scores", "run_scores", "claims"), _OF_SCORING),
    "evaluators": ("evaluator_id",),
    "metrics": ("metric",),
}
_ONE_ROW = frozenset({"snapshots", "runs", "evaluators", "metrics", "rubrics"})
# The clocks of two machines can differ.
_SKEW = timedelta(hours=1)


class Refused(TerminalError):
    """Raised when a part is rejected because its content is invalid."""


class Gate(Protocol):
    """Checks rows, whoever made them. Each method raises ValueError with a message that names the failed check."""

    def snapshot(self, tables: Mapping[str, Sequence[Row]]) -> None:
        """Check the rows of a snapshot, given by table."""

    def run(self, row: Row, completions: Sequence[Row], snapshot: Snapshot, articles: Sequence[Article]) -> bool:
        """Check a run and its texts. Return whether the run's id could be recomputed."""

    def evaluator(self, row: Row) -> None: ...

    def metric(self, row: Row, here: Collection[Row]) -> Row:
        """Check a metric against the metrics in the database.

        Returns the row to store. For a metric of this program, that is this program's row.
        """

    def scoring(
        self, part: SharedPart, rows: Sequence[Row], metrics: Collection[Row], texts: Collection[tuple[int, int]]
    ) -> None:
        """Check the scores or claims of a run's `texts`, which are (page id, sample) pairs."""


@dataclass(frozen=True)
class Admitted:
    """Parts of a shared folder with the gate that checks their rows on import, one snapshot, run or scoring at a time.

    `signer` is the fingerprint of the key that signed the parts, or empty.
    """

    parts: ReadableParts
    gate: Gate
    source: Source
    signer: str = ""

    @property
    def url(self) -> str:
        return self.parts.url

    def notes(self) -> dict[SharedPart, Note]:
        """Return the notes of all parts. Raises Refused for a note whose keys are not the keys of its table."""
        notes = self.parts.notes()
        for part in notes:
            names = tuple(name for name, _ in part.keys)
            if part.table in PART_KEYS and names != PART_KEYS[part.table]:
                raise Refused(f"'{self.url}': no part of {part.table} is told apart by {', '.join(names)[:200]}")
        return notes

    def read(self, note: Note) -> pa.Table:
        """Return the rows of a part with the columns and types of its table. Raises Refused if the rows do not fit."""
        part, raw = note.part, self.parts.read(note)
        try:
            if raw.num_rows != note.rows:
                raise ValueError(f"{raw.num_rows} rows are there, and its note says {note.rows}")
            rows = conforming(part.table, raw, dict(part.keys))
            if part.table in _ONE_ROW and rows.num_rows != 1:
                raise ValueError(f"it is not one row but {rows.num_rows}")
            for name, value in part.keys:
                require_name(value.removeprefix("reference:") if name.startswith("run_") else value, name)
        except ValueError as error:
            raise Refused(f"'{self.url}': {part.path[:300]}: {error}") from None
        return rows


def require_past(moment: datetime | None, what: str) -> None:
    """Raises ValueError if `moment` is in the future, with one hour of tolerance for clock differences."""
    if moment and moment > datetime.now(UTC) + _SKEW:
        raise ValueError(f"{what} {moment.isoformat()} is in the future")


def finished_at(note: Note) -> datetime:
    """Return the time at which a scoring was finished, from its note.

    Raises ValueError if the note has no time, or if the time has no time zone or lies in the future.
    """
    text = note.facts.get("finished_at")
    moment = datetime.fromisoformat(text) if isinstance(text, str) else None
    if moment is None or moment.tzinfo is None:
        raise ValueError(f"its note says no time at which the scoring was finished, but {str(text)[:60]!r}")
    require_past(moment, "its scoring was finished, it says, and")
    return moment
