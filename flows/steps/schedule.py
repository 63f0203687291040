"""Everything that is due, of every registered wiki; what is complete is not touched."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, date, datetime, time

from filelock import FileLock, Timeout

from evaluators.scoring import select
from flows.steps.due import Month, to_do
from flows.steps.gate import parse_bounds
from flows.steps.month import request_of
from flows.steps.notice import Ending
from flows.steps.webhook import address
from newwiki.decoding.grammar import parse
from newwiki.errors import TerminalError, TransientError
from newwiki.registrations import Registrations
from newwiki.registry import models
from newwiki.settings import Settings
from storage.database import Database


class MonthsFailed(TerminalError):
    """What somebody must look after, when all is done that can be done; `endings` are those of all months."""

    def __init__(self, endings: Sequence[Ending]) -> None:
        super().__init__(" | ".join(f"{ending.month}: {ending.trouble}" for ending in endings if ending.trouble))
        self.endings = endings


def catch_up(
    database: Database, registered: Registrations, settings: Settings, now: datetime, do: Callable[[Month], Ending]
) -> Sequence[Ending]:
    """How each month ended that was due and not complete, the oldest of a wiki first.

    Where a wiki fails for now, its later months wait, so that months are published in their order. Raises UsageError
    before anything is done, TransientError where another schedule is at work on this database, and in the end
    MonthsFailed where one has failed or a gate is closed.
    """
    check(registered, settings)
    endings: list[Ending] = []
    with _alone(database):
        for wiki in registered.wikis:
            for month in to_do(database, registered, settings, wiki, now):
                endings.append(do(month))
                if endings[-1].held_up:
                    break
    return without_trouble(endings)


def without_trouble(endings: Sequence[Ending]) -> Sequence[Ending]:
    """The same. Raises MonthsFailed where there is any."""
    if any(ending.trouble for ending in endings):
        raise MonthsFailed(endings)
    return endings


def start_of(day: date | None) -> datetime:
    """The moment that is taken for now: the end of that day, or now."""
    return datetime.combine(day, time.max, UTC) if day else datetime.now(UTC)


def check(registered: Registrations, settings: Settings) -> None:
    """Raises UsageError for what cannot be, before anything is done."""
    for wiki in registered.wikis:
        _ = Month(wiki, "2001-01", registered, settings).source
    for model in registered.models:
        models.get(model.backend)
        for decoder in model.decoders:
            parse(decoder)
    request_of(registered, settings, "latest")
    select(registered.evaluation.metrics)
    for gate in registered.gates:
        parse_bounds(gate.fail_if)
    address(registered.notify)


@contextmanager
def _alone(database: Database) -> Iterator[None]:
    database.path.parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(database.path.with_name(f"{database.path.name}.schedule-lock"))
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise TransientError(f"another schedule is at work on '{database.path}'; it does what is due") from None
    try:
        yield
    finally:
        lock.release()
