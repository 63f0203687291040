"""`newwiki refresh`: the pages of a window become a snapshot."""

import click

from flows import tables
from flows.listing import listed
from flows.options import common, contact_option, form_option, open_database, prefect_option
from flows.printing import say
from flows.request_options import asks
from newwiki.request import RefreshRequest
from newwiki.settings import Settings


@listed(
    "make",
    "Publish the articles of a month as a snapshot.",
    example=(
        "newwiki refresh --wiki enwiki --month 2026-09",
        "newwiki refresh --dump history.xml.bz2 --from 2026-09-01 --to 2026-09-15",
    ),
)
@click.command()
@asks(RefreshRequest)
@contact_option
@prefect_option
@common
@form_option
def refresh(settings: Settings, quiet: bool, prefect: bool, form: str, request: RefreshRequest) -> None:
    """Publish the pages that were created in a window as a snapshot."""
    from flows.api.making import run_refresh
    from flows.refreshing.show_funnel import show_funnel

    snapshot = run_refresh(request, settings, prefect=prefect, quiet=quiet)
    database = open_database(settings)
    if form == "table":
        show_funnel(database, snapshot.snapshot_id, form)
        say(f"snapshot {snapshot.snapshot_id}: {snapshot.articles} articles, content {snapshot.content_sha256}")
    else:
        tables.show_query(database, "snapshot_one", form, snapshot.snapshot_id)
