"""Store what models write and read in `newwiki experiment exposure-bias`, so that an interrupted experiment resumes."""

from collections.abc import Sequence
from dataclasses import dataclass

from storage.database import Database, insert_new

Written = tuple[str, int, int, str]  # generation id, page id, sample, and the hash of the preceding tokens


@dataclass(frozen=True)
class Generation:
    """The tokens that a model wrote after a context with the hash `context_sha256`."""

    generation_id: str
    page_id: int
    sample: int
    context_sha256: str
    tokens: list[int]


@dataclass(frozen=True)
class Divergence:
    """The distances between two models at positions of the text with the hash `sequence_sha256`."""

    sequence_sha256: str
    total_variation: list[float]
    jensen_shannon: list[float]


def generations(database: Database, generation_ids: Sequence[str]) -> dict[Written, tuple[int, ...]]:
    """Return the tokens that are stored under any of these ids."""
    rows = database.rows("stored_generations", [*generation_ids])
    return {(name, page_id, sample, context): tuple(tokens) for name, page_id, sample, context, tokens in rows}


def keep_generations(database: Database, new_generations: Sequence[Generation]) -> None:
    with database.write() as connection:
        insert_new(connection, "exposure_generations", new_generations)


def divergences(database: Database, reading_id: str) -> dict[str, Divergence]:
    """Return the divergences of a reading, by the hash of the text."""
    records = database.records(Divergence, "stored_divergences", reading_id)
    return {divergence.sequence_sha256: divergence for divergence in records}


def keep_divergences(database: Database, reading_id: str, new_divergences: Sequence[Divergence]) -> None:
    with database.write() as connection:
        insert_new(connection, "exposure_divergences", new_divergences, reading_id=reading_id)
