"""`newwiki refresh`: publishes the pages created in a window as a snapshot."""

from flows.jobs.job import Answer, Here, job
from flows.jobs.running import PREFECT
from flows.presenting import tables
from flows.printing import say
from newwiki.request import RefreshRequest


@job(
    RefreshRequest,
    group="make",
    summary="Publish the articles of a month as a snapshot.",
    examples=(
        "newwiki refresh --wiki enwiki --month 2026-09",
        "newwiki refresh --dump history.xml.bz2 --from 2026-09-01 --to 2026-09-15",
    ),
    settings=("contact",),
    result="Returns the row of `snapshots`. `dump` may be several files, folders or patterns of one dump.",
)
def refresh(request: RefreshRequest, here: Here, *, prefect: bool = PREFECT) -> Answer:
    """Publish the pages that were created in a window as a snapshot.

    A snapshot that is published already is not made again. Name exactly one source: --api, --wiki or --dump.
    """
    from flows.refreshing.which_pages import definition_of, refresh_from

    definition_of(request)  # so that a mistake in the request fails before Prefect starts
    database = here.database
    if prefect:
        from flows.refreshing.flow import refresh as flow

        snapshot = flow(request, here.settings)
    else:
        snapshot = refresh_from(database, request, here.settings, here.progress)

    def show(form: str) -> None:
        from flows.refreshing.show_funnel import show_funnel

        if form == "table":
            show_funnel(database, snapshot.snapshot_id, form)
            say(f"snapshot {snapshot.snapshot_id}: {snapshot.articles} articles, content {snapshot.content_sha256}")
        else:
            tables.show_query(database, "snapshot_one", form, snapshot.snapshot_id)

    return Answer(lambda: database.table("snapshot_one", snapshot.snapshot_id), show)
