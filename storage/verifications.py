"""Store what checks have confirmed about runs and scores from other people, and read the level of each score."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypedDict

from newwiki.levels import VERIFIED, Level
from storage import summaries
from storage.database import Database, insert_new
from storage.queries import query


class TextKey(TypedDict):
    """A completion of a run."""

    page_id: int
    sample: int


@dataclass(frozen=True, kw_only=True)
class Verification:
    """The result of a check of a run's scores by an evaluator, or of the replayed `texts` if `evaluator_id` is empty.

    `confirmed` of `checked` scores (or tokens) are right, and the run has `total` scores (or completions). `checker` is
    the fingerprint of the key that signed the receipt, or `newwiki.levels.HERE`.
    """

    run_id: str
    evaluator_id: str
    level: str
    confirmed: int
    checked: int
    total: int
    draw: str | None
    checker: str
    receipt_sha256: str
    checked_at: datetime
    texts: Sequence[TextKey] | None = None


def add(database: Database, verifications: Sequence[Verification]) -> None:
    """Store new verifications, and choose again which evaluator's scores fill each column.

    A claimed score does not fill a column if a verified score exists.
    """
    with database.write() as connection:
        insert_new(connection, "verifications", verifications)
        summaries.choose_columns(connection)


def keep_own(target: Database, source: Database) -> None:
    """Copy the origins and verifications of the user's own database to a database that pulled its runs.

    Runs and scores that were made in `source` lose the origin that the pull recorded, and verifications in `source` are
    kept.
    """
    own, came, checked = source.table("made_here"), source.table("came_from_elsewhere"), source.table("checked_here")
    with target.write() as connection:
        connection.register("made", own)
        connection.execute(query("forget_origins_of_made"))
        connection.unregister("made")
        insert_new(connection, "origins", came)
        insert_new(connection, "verifications", checked)
        summaries.choose_columns(connection)


def words_below_verified(database: Database, run_ids: Collection[str]) -> dict[tuple[str, str], str]:
    """Return the level, in words, of each finished scoring that is not fully verified, by run and evaluator."""
    return {key: level.words for key, level in levels(database, run_ids).items() if level.level != VERIFIED}


def levels(database: Database, run_ids: Collection[str]) -> dict[tuple[str, str], Level]:
    """Return the level of each finished scoring of these runs, by run and evaluator."""
    records = database.records(Level, "levels_of_runs", list(run_ids))
    return {(level.run_id, level.evaluator_id): level for level in records}
