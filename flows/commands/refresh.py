"""`newwiki refresh`: the pages of a window become a snapshot."""

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from flows import tables
from flows.options import common, form_option, open_database, prefect_option
from flows.progress import reporter
from newwiki.errors import UsageError
from newwiki.records import OLD_SELECTION, Selection, Snapshot, Window
from newwiki.settings import Settings

if TYPE_CHECKING:
    from flows.steps.refresh import RefreshRequest


def _by_kind(name: str) -> str:
    return f"{getattr(Selection(), name)}; {getattr(OLD_SELECTION, name)} with --kind old"


@click.command()
@click.option("--month", metavar="YYYY-MM", help="The pages created in this month.")
@click.option("--from", "first", type=click.DateTime(["%Y-%m-%d"]), help="The pages created from this day …")
@click.option("--to", "last", type=click.DateTime(["%Y-%m-%d"]), help="… to this day, both counted in.")
@click.option("--api", metavar="URL", help="A MediaWiki's api.php.")
@click.option("--wiki", metavar="NAME", help="A Wikipedia by its database name, such as enwiki.")
@click.option("--dump", type=click.Path(exists=True, dir_okay=False), help="A MediaWiki XML export with full history.")
@click.option("--min-revisions", type=click.IntRange(1), default=10, show_default=True)
@click.option("--min-words", type=click.IntRange(1), show_default=_by_kind("min_words"))
@click.option("--sample", type=click.IntRange(1), show_default=_by_kind("sample"), help="How many articles are drawn.")
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--cutoff", type=click.DateTime(["%Y-%m-%d", "%Y-%m-%dT%H:%M:%SZ"]), help="Pages as of then (now), UTC.")
@click.option("--limit", type=click.IntRange(1), help="For a quick look: only the so many pages created first.")
@click.option("--contact", help="Your address for the wiki's operators (NEWWIKI_CONTACT).")
@click.option("--kind", type=click.Choice(["new", "old"]), default="new", show_default=True)
@click.option("--before", type=click.DateTime(["%Y-%m-%d"]), help="With --kind old: the pages created before this day.")
@prefect_option
@common
@form_option
def refresh(
    settings: Settings,
    quiet: bool,
    prefect: bool,
    form: str,
    month: str | None,
    first: datetime | None,
    last: datetime | None,
    api: str | None,
    wiki: str | None,
    dump: str | None,
    min_revisions: int,
    min_words: int | None,
    sample: int | None,
    seed: int,
    cutoff: datetime | None,
    limit: int | None,
    kind: str,
    before: datetime | None,
) -> None:
    """Publish the pages that were created in a window as a snapshot."""
    from flows import leaderboard
    from flows.steps.refresh import RefreshRequest

    window = _window(month, first, last) if kind == "new" and not before else _old(kind, before, month, first, last)
    source, place = _source(api, wiki, dump)
    source = f"old-{source}" if kind == "old" else source
    usual = OLD_SELECTION if kind == "old" else Selection()
    selection = Selection(min_revisions, min_words or usual.min_words, sample or usual.sample, seed, limit)
    request = RefreshRequest(window, selection, cutoff.replace(tzinfo=UTC) if cutoff else None, kind)
    snapshot = _refresh(settings, quiet, prefect, source, place, request)
    database = open_database(settings)
    if form == "table":
        leaderboard.show_funnel(database, snapshot.snapshot_id, form)
        print(f"snapshot {snapshot.snapshot_id}: {snapshot.articles} articles, content {snapshot.content_sha256}")
    else:
        tables.show_query(database, "snapshot_one", form, snapshot.snapshot_id)


def _refresh(
    settings: Settings, quiet: bool, prefect: bool, source: str, place: str, request: "RefreshRequest"
) -> Snapshot:
    if prefect:
        from flows.refresh import refresh as flow

        contact = settings.contact or None
        published: Snapshot = flow(settings.db, source, place, request, contact=contact, wikidata=settings.wikidata)
        return published
    from flows.steps.refresh import gather, publish
    from flows.steps.topics import look_up_if_reachable
    from newwiki.registry import sources

    contact, database, progress = settings.contact or None, open_database(settings), reporter(quiet)
    gathered = gather(database, sources.get(source)(place, contact), request, progress)
    snapshot = publish(database, gathered, request, progress)
    if source == "api" and not gathered.published:
        look_up_if_reachable(database, snapshot.snapshot_id, place, contact, settings.wikidata, progress)
    return snapshot


def _window(month: str | None, first: datetime | None, last: datetime | None) -> Window:
    if month and not first and not last:
        return Window.month(month)
    if first and last and not month:
        return Window.days(first.date(), last.date())
    raise UsageError("which pages? Give --month 2026-10, or --from and --to")


def _old(kind: str, before: datetime | None, *others: object) -> Window:
    if kind != "old" or before is None or any(others):
        raise UsageError("which old pages? Give --kind old and --before 2020-01-01, and no other dates")
    return Window.before(before.date())


def _source(api: str | None, wiki: str | None, dump: str | None) -> tuple[str, str]:
    given = [(name, place) for name, place in (("api", api), ("wiki", wiki), ("dump", dump)) if place]
    if len(given) != 1:
        raise UsageError("from where? Give one of --api URL, --wiki enwiki, --dump FILE")
    ((name, place),) = given
    if name != "wiki":
        return name, place
    language = place.removesuffix("wiki").replace("_", "-")
    if not place.endswith("wiki") or not language:
        raise UsageError(f"'{place}' is not the name of a Wikipedia; write it as enwiki, or give --api URL")
    return "api", f"https://{language}.wikipedia.org/w/api.php"
