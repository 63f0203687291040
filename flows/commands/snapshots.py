"""`newwiki snapshots`: lists, shows, verifies, exports, rebuilds and revisits snapshots, and looks up their topics."""

from typing import Any

import click

from flows.commands.export import export_snapshot
from flows.completing import completer
from flows.jobs.field_options import field_options, setting_options
from flows.jobs.job import Answer, Here, job
from flows.listing import Argument, CommandGroup, exemplified, listed
from flows.options import common, form_option, open_database
from flows.presenting import tables
from flows.printing import say
from flows.progress import reporter
from newwiki.request import RebuildRequest, RevisitRequest
from newwiki.settings import SCORERS, Settings


class ListByDefault(CommandGroup):
    """A group that runs its command `list` if no command is named."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Put `list` before arguments that name no command."""
        named = args and (args[0] in self.commands or args[0] in ctx.help_option_names or not args[0].startswith("-"))
        return super().parse_args(ctx, args if named else ["list", *args])


@listed(
    "look",
    "List, show, verify, export and revisit snapshots.",
    examples=("newwiki snapshots", "newwiki snapshots show latest"),
)
@click.group(cls=ListByDefault)
def snapshots() -> None:
    """List, show, verify, export, rebuild and revisit snapshots."""


snapshots.add_command(export_snapshot, "export")


@exemplified("newwiki snapshots list --format json")
@snapshots.command("list")
@common
@form_option
def list_snapshots(settings: Settings, quiet: bool, form: str) -> None:
    """List all snapshots, the newest window first."""
    tables.show_query(open_database(settings), "snapshot_list", form)


@exemplified("newwiki snapshots show latest")
@snapshots.command("show")
@click.argument(
    "snapshot", cls=Argument, description="Snapshot: its id, or latest.", shell_complete=completer("snapshot")
)
@common
@form_option
def show_snapshot(settings: Settings, quiet: bool, form: str, snapshot: str) -> None:
    """Show a snapshot (its id, or latest), with the funnel that led to it."""
    from flows.refreshing.show_funnel import show_funnel, show_requests
    from flows.revisiting.show_edition import show_edition
    from storage.editions import revisited
    from storage.snapshots import resolve

    database = open_database(settings)
    stored = resolve(database, snapshot)
    if form == "table":
        rows = [(name, str(value)) for name, value in list(vars(stored).items())[1:]]
        tables.show(["", stored.snapshot_id], rows, form)
        show_funnel(database, stored.snapshot_id, form)
        show_requests(database, stored.snapshot_id)
        if revisited(stored):
            show_edition(database, stored.snapshot_id)
    else:
        tables.show_query(database, "snapshot_one", form, stored.snapshot_id)


@exemplified("newwiki snapshots verify enwiki-2026-09")
@snapshots.command("verify")
@click.argument(
    "snapshot", cls=Argument, description="Snapshot: its id, or latest.", shell_complete=completer("snapshot")
)
@common
def verify_snapshot(settings: Settings, quiet: bool, snapshot: str) -> int:
    """Recompute a snapshot's hashes, and compare them with the published hashes."""
    from storage.snapshots import first_hashed, resolve, verify

    database = open_database(settings)
    name = resolve(database, snapshot).snapshot_id
    problems = verify(database, name)
    for problem in problems:
        say(problem)
    if not problems:
        since = first_hashed(database, name)
        rest = f" (data outside the content hash: since {since:%Y-%m-%d}, when it was first hashed)" if since else ""
        say(f"{name}: as it was published{rest}")
    return 1 if problems else 0


@exemplified("newwiki snapshots rebuild enwiki-2026-09.manifest.json")
@snapshots.command("rebuild")
@field_options(RebuildRequest)
@setting_options(("contact",))
@common
def rebuild_snapshot(settings: Settings, quiet: bool, **fields: Any) -> int:
    """Fetch the revisions that a manifest names, and publish the same snapshot, or name the pages that are gone."""
    from flows.refreshing.rebuild import rebuild, source_of
    from newwiki.manifest import Manifest

    request = RebuildRequest(**fields)
    wanted = Manifest.read(request.manifest)
    source = source_of(wanted, request.api, request.dump, settings.contact or None)
    rebuilt = rebuild(open_database(settings), source, wanted, reporter(quiet))
    for line in rebuilt.report(wanted):
        say(line)
    return 1 if rebuilt.problems else 0


@job(
    RevisitRequest,
    summary="Read articles again later, and score runs against them.",
    examples=("newwiki snapshots revisit enwiki-2026-09",),
    settings=("contact", *SCORERS),
    result="""\
Returns the row of `editions`. The tables `edition_differences`, `came_true_by_run` and `came_true` hold the
differences.""",
)
def revisit(request: RevisitRequest, here: Here) -> Answer:
    """Publish a snapshot's articles as of a later time, score its runs against both editions, and show what came true.

    Editions and scores that are stored are not made again.
    """
    from flows.revisiting.publish_edition import asked_for, publish_edition, source_of
    from flows.revisiting.score_edition import score_edition

    database, settings = here.database, here.settings
    wanted = asked_for(database, request)
    published = publish_edition(database, lambda: source_of(database, request, wanted, settings), wanted, here.progress)
    score_edition(database, wanted.first, published, request.metrics, settings, here.progress)
    edition = published.snapshot_id

    def show(form: str) -> None:
        from flows.revisiting.show_edition import show_edition

        if form == "table":
            show_edition(database, edition)
        else:
            tables.show_query(database, "edition_differences", form, edition)

    return Answer(lambda: database.table("edition_one", edition), show)


snapshots.add_command(revisit, "revisit")


@exemplified("newwiki snapshots topics latest")
@snapshots.command("topics")
@click.argument(
    "snapshot", cls=Argument, description="Snapshot: its id, or latest.", shell_complete=completer("snapshot")
)
@click.option(
    "--api",
    metavar="URL",
    help="Address of the wiki's api.php (default: /w/api.php on the host of the permanent links).",
)
@setting_options(("contact",))
@common
@form_option
def snapshot_topics(settings: Settings, quiet: bool, form: str, snapshot: str, api: str | None) -> None:
    """Look up the topics of a snapshot's articles in Wikidata, and count the coarse types."""
    from flows.refreshing.look_up_topics import look_up, usual_address
    from storage.snapshots import resolve

    database = open_database(settings)
    name = resolve(database, snapshot).snapshot_id
    place, contact = api or usual_address(database, name), settings.contact or None
    look_up(database, name, place, contact, settings.wikidata, reporter(quiet))
    tables.show_query(database, "topic_counts", form, name)
