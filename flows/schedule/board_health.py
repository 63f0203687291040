"""The checks of `newwiki doctor --board`: how old the newest month is, what it waits for, where it is published."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from flows.health_checks import Row
from flows.presenting.numbers import counted
from flows.publishing.places import LIST, is_published
from flows.schedule.due import newest_due, settled, to_do
from newwiki.errors import NewWikiError
from newwiki.registrations import Registrations, Site, Wiki
from newwiki.settings import Settings
from newwiki.snapshot import Window
from storage import months
from storage.database import Database

_DAY = timedelta(days=1)
_GRACE = timedelta(days=3)  # between the day on which a month is due and the day from which it is late


def examine_board(registered: Registrations, settings: Settings, now: datetime) -> list[Row]:
    """Return (check, `ok`, `problem` or `note`, words) for each registered wiki, the site and each place of it."""
    database = Database(settings.db)
    rows = [_wiki(database, registered, settings, wiki, now) for wiki in registered.wikis]
    return [*rows, *_site(registered, settings, now)]


def _wiki(database: Database, registered: Registrations, settings: Settings, wiki: Wiki, now: datetime) -> Row:
    newest = max((month for month, _ in months.complete(database, wiki.name)), default=None)
    waiting = to_do(database, registered, settings, wiki, now)
    published = "no month yet"
    if newest:
        age = counted((now - Window.month(newest).end).days, "day")
        published = f"the newest month is {newest}, {age} old"
    if not waiting:
        following = Window.month(f"{newest_due(now).end:%Y-%m}")
        return wiki.name, "ok", f"{published}; {following.label} is due on {settled(following):%Y-%m-%d}"
    due = settled(Window.month(waiting[0].label))
    is_late = now - due > _GRACE
    words = f"{_listed([month.label for month in waiting])} {'late: ' if is_late else ''}due since {due:%Y-%m-%d}"
    remedy = "run `newwiki schedule --once`" + (" and read which step fails" if is_late and newest else "")
    return wiki.name, "problem" if is_late else "note", f"{published}; {words}, {remedy}"


def _listed(labels: Sequence[str]) -> str:
    """Return months with their verb, such as `2026-09 and 2026-10 are`."""
    *several, last = labels
    return f"{', '.join(several)} and {last} are" if several else f"{last} is"


def _site(registered: Registrations, settings: Settings, now: datetime) -> Iterator[Row]:
    if not registered.site:
        yield "site", "note", "not registered: add a table [site] to newwiki.toml"
        return
    folder = Path(registered.site.out)
    if not (folder / LIST).is_file():
        yield "site", "problem", f"'{folder}' holds no site yet: run `newwiki schedule --once`"
        return
    yield _age_of_site(folder, registered.site, settings, now)
    for place in registered.publish.to if registered.publish else ():
        try:
            same = is_published(folder, place)
            words = "holds this site" if same else "holds another state: run `newwiki schedule --once`"
            yield place, "ok" if same else "problem", words
        except NewWikiError as error:
            yield place, "problem", str(error)


def _age_of_site(folder: Path, site: Site, settings: Settings, now: datetime) -> Row:
    """Return whether the site is newer than all that others have submitted; a day later something holds it up."""
    submitted = [Path(name) for name in site.sources if Path(name).resolve() != Path(settings.db).resolve()]
    files = [file for source in submitted for file in (source.rglob("*") if source.is_dir() else [source])]
    newest = max((file for file in files if file.is_file()), key=lambda file: file.stat().st_mtime, default=None)
    if newest is None or newest.stat().st_mtime <= (folder / LIST).stat().st_mtime:
        return "site", "ok", str(folder)
    is_late = now - datetime.fromtimestamp(newest.stat().st_mtime, UTC) > _DAY
    words = f"'{folder}' is older than '{newest}': run `newwiki schedule --once`"
    return "site", "problem" if is_late else "note", words + (" and read what holds it up" if is_late else "")
