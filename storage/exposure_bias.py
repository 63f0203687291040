"""What `newwiki experiment exposure-bias` has models write and read: stored by what it is, as it is done."""

from collections.abc import Sequence
from dataclasses import dataclass

from storage.database import Database, insert_new

Written = tuple[int, int, str]  # page id, sample, and the hash of the tokens that it goes on from


@dataclass(frozen=True)
class Generation:
    """What a model wrote after tokens that have this hash."""

    page_id: int
    sample: int
    context_sha256: str
    tokens: list[int]


@dataclass(frozen=True)
class Divergence:
    """How far two models are apart at places of a text that has this hash."""

    sequence_sha256: str
    total_variation: list[float]
    jensen_shannon: list[float]


def generations(database: Database, generation_id: str) -> dict[Written, tuple[int, ...]]:
    rows = database.rows("stored_generations", generation_id)
    return {(page_id, sample, context): tuple(tokens) for page_id, sample, context, tokens in rows}


def keep_generations(database: Database, generation_id: str, made: Sequence[Generation]) -> None:
    with database.write() as connection:
        insert_new(connection, "exposure_generations", made, generation_id=generation_id)


def divergences(database: Database, reading_id: str) -> dict[str, Divergence]:
    """By the hash of the text."""
    found = database.records(Divergence, "stored_divergences", reading_id)
    return {one.sequence_sha256: one for one in found}


def keep_divergences(database: Database, reading_id: str, made: Sequence[Divergence]) -> None:
    with database.write() as connection:
        insert_new(connection, "exposure_divergences", made, reading_id=reading_id)
