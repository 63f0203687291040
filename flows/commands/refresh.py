"""`newwiki refresh`: the pages of a window become a snapshot."""

from typing import TYPE_CHECKING, Any

import click

from flows import tables
from flows.options import common, dump_option, form_option, open_database, prefect_option
from flows.progress import reporter
from newwiki.records import OLD_SELECTION, Selection, Snapshot
from newwiki.settings import Settings
from newwiki.visible import visible

if TYPE_CHECKING:
    from flows.refreshing.gather_and_publish import RefreshRequest
    from flows.refreshing.which_pages import Place


def _by_kind(name: str) -> str:
    return f"{getattr(Selection(), name)}; {getattr(OLD_SELECTION, name)} with --kind old"


@click.command()
@click.option("--month", metavar="YYYY-MM", help="The pages created in this month.")
@click.option("--from", "first", type=click.DateTime(["%Y-%m-%d"]), help="The pages created from this day …")
@click.option("--to", "last", type=click.DateTime(["%Y-%m-%d"]), help="… to this day, both counted in.")
@click.option("--api", metavar="URL", help="A MediaWiki's api.php.")
@click.option("--wiki", metavar="NAME", help="A Wikipedia by its database name, such as enwiki.")
@dump_option
@click.option("--min-revisions", type=click.IntRange(1), default=10, show_default=True)
@click.option("--min-words", type=click.IntRange(1), show_default=_by_kind("min_words"))
@click.option("--sample", type=click.IntRange(1), show_default=_by_kind("sample"), help="How many articles are drawn.")
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--cutoff", type=click.DateTime(["%Y-%m-%d", "%Y-%m-%dT%H:%M:%SZ"]), help="Pages as of then (now), UTC.")
@click.option("--limit", type=click.IntRange(1), help="For a quick look: only the so many pages created first.")
@click.option(
    "--novel-against",
    multiple=True,
    metavar="SNAPSHOT",
    help="Drop what nearly repeats an article of this snapshot; more than once for several.",
)
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
    api: str | None,
    wiki: str | None,
    dump: tuple[str, ...],
    kind: str,
    **asked: Any,
) -> None:
    """Publish the pages that were created in a window as a snapshot."""
    from flows.comparing import show_board
    from flows.refreshing.which_pages import refresh_request, source_of

    request = refresh_request(kind=kind, **asked)
    source, place = source_of(api, wiki, dump, kind)
    snapshot = _refresh(settings, quiet, prefect, source, place, request)
    database = open_database(settings)
    if form == "table":
        show_board.show_funnel(database, snapshot.snapshot_id, form)
        print(
            visible(f"snapshot {snapshot.snapshot_id}: {snapshot.articles} articles, content {snapshot.content_sha256}")
        )
    else:
        tables.show_query(database, "snapshot_one", form, snapshot.snapshot_id)


def _refresh(
    settings: Settings, quiet: bool, prefect: bool, source: str, place: "Place", request: "RefreshRequest"
) -> Snapshot:
    if prefect:
        from flows.refreshing.flow import refresh as flow

        contact = settings.contact or None
        published: Snapshot = flow(settings.db, source, place, request, contact=contact, wikidata=settings.wikidata)
        return published
    from flows.refreshing.which_pages import refresh_from

    return refresh_from(open_database(settings), source, place, request, settings, reporter(quiet))
