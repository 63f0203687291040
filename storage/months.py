"""What the schedule remembers: which months are complete for what is registered, and which notices went out."""

from dataclasses import dataclass
from datetime import datetime

from storage.database import Database, insert_new
from storage.queries import first_row


@dataclass(frozen=True)
class MonthRecord:
    """How a month of a registered wiki ended. `notice_key` is a hash of that, `notified_at` None where nobody asked to
    be told, `registered_sha256` a hash of all that was registered for the month."""

    notice_key: str
    wiki: str
    month: str
    registered_sha256: str
    snapshot_id: str | None
    complete: bool
    recorded_at: datetime
    notified_at: datetime | None


def complete(database: Database, wiki: str) -> set[tuple[str, str]]:
    """The (month, registered_sha256) pairs for which nothing is left to do; none where there is no database yet."""
    return set(database.rows("complete_months", wiki)) if database.is_there else set()


def first(database: Database, wiki: str) -> str | None:
    """The oldest month that was worked on; None where there is none, or no database yet."""
    if not database.is_there:
        return None
    return next((str(month) for (month,) in database.rows("first_month", wiki)), None)


def is_recorded(database: Database, notice_key: str) -> bool:
    """Whether this ending is known, so that its notice is not sent again."""
    if not database.is_there:
        return False
    with database.read() as connection:
        return bool(first_row(connection.execute("select 1 from months where notice_key = ?", [notice_key])))


def record(database: Database, ended: MonthRecord) -> None:
    """Stores it, unless another process has come to the same end meanwhile."""
    with database.write() as connection:
        insert_new(connection, "months", [ended])
