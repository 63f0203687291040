"""Everything that is due, of every registered wiki; what is complete is not touched."""

import os
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, date, datetime, time
from pathlib import Path

from filelock import FileLock, Timeout

from evaluators.scoring import select
from flows.comparing.bounds import parse_bounds
from flows.refreshing.which_pages import definition_of
from flows.schedule.due import Month, to_do
from flows.schedule.month import request_of
from flows.schedule.notice import MonthEnding
from flows.schedule.webhook import address
from newwiki.decoding.grammar import parse
from newwiki.errors import TerminalError, TransientError, UsageError, did_you_mean
from newwiki.registrations import Gate, Registrations
from newwiki.registry import models
from newwiki.settings import Settings
from newwiki.text.prompts import fill
from storage.comparison import Contender
from storage.database import Database

_ARTICLES = ("Wikipedia/", "reference")  # how the row of the articles may be named


class MonthsFailed(TerminalError):
    """What somebody must look after, when all is done that can be done; `endings` are those of all months."""

    def __init__(self, endings: Sequence[MonthEnding]) -> None:
        super().__init__(" | ".join(f"{ending.month}: {ending.trouble}" for ending in endings if ending.trouble))
        self.endings = endings


def catch_up(
    database: Database, registered: Registrations, settings: Settings, now: datetime, do: Callable[[Month], MonthEnding]
) -> Sequence[MonthEnding]:
    """How each month ended that was due and not complete, the oldest of a wiki first.

    Where a wiki fails for now, its later months wait, so that months are published in their order. Raises UsageError
    before anything is done, TransientError where another schedule is at work on this database, and in the end
    MonthsFailed where one has failed or a gate is closed.
    """
    check(registered, settings)
    endings: list[MonthEnding] = []
    with _alone(database):
        for wiki in registered.wikis:
            for month in to_do(database, registered, settings, wiki, now):
                endings.append(do(month))
                if endings[-1].held_up:
                    break
    return without_trouble(endings)


def without_trouble(endings: Sequence[MonthEnding]) -> Sequence[MonthEnding]:
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
        definition_of(Month(wiki, "2001-01", registered, settings).request)
    for model in registered.models:
        models.get(model.backend)
        for decoder in model.decoders:
            parse(decoder)
        request_of(registered, model, "latest")
    fill(settings.template, "", "")
    measured = {metric.name for one in select(registered.evaluation.metrics) for metric in one.metrics}
    for gate in registered.gates:
        _check_gate(gate, registered, measured)
    _check_folder(Path(registered.report.out))
    address(registered.notify)


def _check_gate(gate: Gate, registered: Registrations, measured: Collection[str]) -> None:
    """Whether there will be two such runs, and numbers of them that the bounds can be asked of."""
    for bound in parse_bounds(gate.fail_if):
        if bound.metric not in measured:
            raise UsageError(
                f"[[gates]]: fail_if names '{bound.metric}', which [evaluation] does not measure"
                f"{did_you_mean(bound.metric, measured)}; add it to its metrics"
            )
    known = [
        Contender("", model.name, decoder.canonical, "", None)
        for model in registered.models
        for text in model.decoders
        for decoder in parse(text)
    ]
    for name in (gate.baseline, gate.candidate):
        meant = [one for one in known if one.answers_to(name)]
        if len(meant) != 1 and not name.startswith(_ARTICLES):
            what = "is no run of this file" if not meant else f"may be {len(meant)} runs of this file"
            words = [one.words for one in known]
            raise UsageError(f"[[gates]]: '{name}' {what}{did_you_mean(name, words)}; they are: {', '.join(words)}")


def _check_folder(folder: Path) -> None:
    """Whether reports can be written there."""
    place = next(one for one in (folder, *folder.absolute().parents) if one.exists())
    if not place.is_dir() or not os.access(place, os.W_OK):
        raise UsageError(f"[report]: out is '{folder}', where no report can be written; name another folder")


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
