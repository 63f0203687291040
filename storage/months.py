"""Store which months the schedule has completed, and which notices it has sent."""

from dataclasses import dataclass
from datetime import datetime

from storage.database import Database, insert_new
from storage.queries import first_row


@dataclass(frozen=True)
class MonthRecord:
    """The result of a scheduled month of a registered wiki.

    `notice_key` is a hash of the result. `registered_sha256` is a hash of everything that was registered for the month.
    `notified_at` is None if no notification was requested.
    """

    notice_key: str
    wiki: str
    month: str
    registered_sha256: str
    snapshot_id: str | None
    complete: bool
    recorded_at: datetime
    notified_at: datetime | None


def complete(database: Database, wiki: str) -> set[tuple[str, str]]:
    """Return the (month, registered_sha256) pairs for which no work is left; empty without a database."""
    return set(database.rows("complete_months", wiki)) if database.is_there else set()


def first(database: Database, wiki: str) -> str | None:
    """Return the oldest recorded month; None if there is none, or no database yet."""
    if not database.is_there:
        return None
    return next((str(month) for (month,) in database.rows("first_month", wiki)), None)


def is_recorded(database: Database, notice_key: str) -> bool:
    """Return whether this result is recorded, so that its notice is not sent again."""
    if not database.is_there:
        return False
    with database.read() as connection:
        return bool(first_row(connection.execute("select 1 from months where notice_key = ?", [notice_key])))


def record(database: Database, ended: MonthRecord) -> None:
    """Store a result, unless another process has stored the same result meanwhile."""
    with database.write() as connection:
        insert_new(connection, "months", [ended])
