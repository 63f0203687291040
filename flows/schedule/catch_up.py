"""Process every month that is due for every registered wiki, and skip complete months."""

import os
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, date, datetime, time
from pathlib import Path

from filelock import FileLock, Timeout

from evaluators.scoring import select
from flows.comparing.bounds import parse_bounds
from flows.publishing.places import require_place
from flows.refreshing.which_pages import definition_of
from flows.schedule.due import Month, to_do
from flows.schedule.month import request_of
from flows.schedule.notice import MonthEnding
from flows.schedule.webhook import address
from newwiki.decoding.grammar import parse
from newwiki.errors import TerminalError, TransientError, UsageError, did_you_mean
from newwiki.prompting.chat_prompts import require_template
from newwiki.registrations import Gate, Registrations
from newwiki.registry import models
from newwiki.settings import Settings
from newwiki.site_request import SiteRequest
from storage.database import Database
from storage.run_names import Contender

_ARTICLES = ("Wikipedia/", "reference")  # accepted prefixes for the row of the articles


class MonthsFailed(TerminalError):
    """Report the failures and failed gates after all possible work is done.

    `endings` holds the endings of all months.
    """

    def __init__(self, endings: Sequence[MonthEnding]) -> None:
        super().__init__(" | ".join(f"{ending.month}: {ending.trouble}" for ending in endings if ending.trouble))
        self.endings = endings


def catch_up(
    database: Database,
    registered: Registrations,
    settings: Settings,
    now: datetime,
    do: Callable[[Month], MonthEnding],
    show: Callable[[], None] = lambda: None,
) -> Sequence[MonthEnding]:
    """Process every month that is due and incomplete, the oldest of each wiki first, and return how each month ended.

    If no month is due, `show` still brings the site up to date with the database. After a transient failure of a wiki,
    its later months wait, so that months are published in order. Raises UsageError before any work for an invalid
    registration, and TransientError if another schedule uses this database. Raises MonthsFailed at the end if a month
    or a gate failed.
    """
    check(registered, settings)
    endings: list[MonthEnding] = []
    with _alone(database):
        for wiki in registered.wikis:
            for month in to_do(database, registered, settings, wiki, now):
                endings.append(do(month))
                if endings[-1].held_up:
                    break
        if not endings and database.is_there:
            show()
    return without_trouble(endings)


def without_trouble(endings: Sequence[MonthEnding]) -> Sequence[MonthEnding]:
    """Return the endings unchanged. Raises MonthsFailed if a month or a gate failed."""
    if any(ending.trouble for ending in endings):
        raise MonthsFailed(endings)
    return endings


def start_of(day: date | None) -> datetime:
    """Return the current time of the schedule: the end of `day` (UTC), or the real time without a day."""
    return datetime.combine(day, time.max, UTC) if day else datetime.now(UTC)


def check(registered: Registrations, settings: Settings) -> None:
    """Raise UsageError for an invalid registration, before any work."""
    for wiki in registered.wikis:
        definition_of(Month(wiki, "2001-01", registered, settings).request)
    for model in registered.models:
        models.get(model.backend)
        for decoder in model.decoders:
            parse(decoder)
        request_of(registered, model, "latest")
        require_template(settings.template if model.template is None else model.template)
    measured = {metric.name for evaluator in select(registered.evaluation.metrics) for metric in evaluator.metrics}
    for gate in registered.gates:
        _check_gate(gate, registered, measured)
    _check_folder(Path(registered.report.out), "[report]", "no report")
    _check_site(registered)
    address(registered.notify)


def _check_site(registered: Registrations) -> None:
    """Raise UsageError if the site cannot be written or published."""
    if registered.site:
        SiteRequest(**registered.site.fields_for(SiteRequest))
        _check_folder(Path(registered.site.out), "[site]", "no site")
    if registered.publish:
        if not registered.site:
            raise UsageError("[publish] copies the site: add a table [site]")
        for place in registered.publish.to:
            require_place(place)


def _check_gate(gate: Gate, registered: Registrations, measured: Collection[str]) -> None:
    """Raise UsageError unless each name matches one registered run and each metric of the bounds is evaluated."""
    for bound in parse_bounds(gate.fail_if) if gate.fail_if else ():
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
        meant = [candidate for candidate in known if candidate.answers_to(name)]
        if len(meant) != 1 and not name.startswith(_ARTICLES):
            what = "is no run of this file" if not meant else f"may be {len(meant)} runs of this file"
            words = [candidate.words for candidate in known]
            raise UsageError(f"[[gates]]: '{name}' {what}{did_you_mean(name, words)}; they are: {', '.join(words)}")


def _check_folder(folder: Path, table: str, what: str) -> None:
    """Raise UsageError if nothing can be written to this folder."""
    place = next(ancestor for ancestor in (folder, *folder.absolute().parents) if ancestor.exists())
    if not place.is_dir() or not os.access(place, os.W_OK):
        raise UsageError(f"{table}: out is '{folder}', where {what} can be written; name another folder")


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
