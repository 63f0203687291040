"""Store the topics of articles, which are looked up after their snapshot was published."""

from collections.abc import Sequence
from datetime import UTC, datetime

from newwiki.snapshot import Topic
from storage import hashes
from storage.database import Database, insert


def store(database: Database, snapshot_id: str, topics: Sequence[Topic]) -> None:
    """Store new topics, replacing the earlier topics of the snapshot."""
    with database.write() as connection:
        connection.execute("delete from topics where snapshot_id = ?", [snapshot_id])
        now = datetime.now(UTC).replace(microsecond=0)
        insert(connection, "topics", topics, snapshot_id=snapshot_id, looked_up_at=now)
        hashes.take_anew(connection, snapshot_id, "looked up", "topics")
