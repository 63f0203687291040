"""`newwiki snapshots`: list, show, verify, export, rebuild and revisit them, and look up their topics."""

import click

from flows import tables
from flows.commands.export import export_snapshot
from flows.completing import completer
from flows.listing import exemplified, listed
from flows.options import common, contact_option, form_option, open_database, scoring_options
from flows.printing import say
from flows.progress import reporter
from flows.request_options import asks
from newwiki.request import RebuildRequest, RevisitRequest
from newwiki.settings import Settings


class ListByDefault(click.Group):
    """A group whose `list` runs where no subcommand is named."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        named = args and (args[0] in self.commands or args[0] in ctx.help_option_names or not args[0].startswith("-"))
        return super().parse_args(ctx, args if named else ["list", *args])


@listed(
    "look",
    "The snapshots: list, show, verify, export, revisit.",
    example=("newwiki snapshots", "newwiki snapshots show latest"),
)
@click.group(cls=ListByDefault)
def snapshots() -> None:
    """List, show and verify the snapshots."""


snapshots.add_command(export_snapshot, "export")


@exemplified("newwiki snapshots list --format json")
@snapshots.command("list")
@common
@form_option
def list_snapshots(settings: Settings, quiet: bool, form: str) -> None:
    """All snapshots, the newest window first."""
    tables.show_query(open_database(settings), "snapshot_list", form)


@exemplified("newwiki snapshots show latest")
@snapshots.command("show")
@click.argument("snapshot", shell_complete=completer("snapshot"))
@common
@form_option
def show_snapshot(settings: Settings, quiet: bool, form: str, snapshot: str) -> None:
    """One snapshot (its id, or latest), with the funnel that led to it."""
    from flows.refreshing.show_funnel import show_funnel, show_requests
    from flows.revisiting.show_edition import show_edition
    from storage.editions import revisited
    from storage.snapshots import resolve

    database = open_database(settings)
    found = resolve(database, snapshot)
    if form == "table":
        tables.show(
            ["", found.snapshot_id], [(name, str(value)) for name, value in list(vars(found).items())[1:]], form
        )
        show_funnel(database, found.snapshot_id, form)
        show_requests(database, found.snapshot_id)
        if revisited(found):
            show_edition(database, found.snapshot_id)
    else:
        tables.show_query(database, "snapshot_one", form, found.snapshot_id)


@exemplified("newwiki snapshots verify enwiki-2026-09")
@snapshots.command("verify")
@click.argument("snapshot", shell_complete=completer("snapshot"))
@common
def verify_snapshot(settings: Settings, quiet: bool, snapshot: str) -> int:
    """Recompute a snapshot's hashes and compare them with what was published."""
    from storage.snapshots import first_hashed, resolve, verify

    database = open_database(settings)
    name = resolve(database, snapshot).snapshot_id
    problems = verify(database, name)
    for problem in problems:
        say(problem)
    if not problems:
        since = first_hashed(database, name)
        known = f" (what its content hash does not cover: as on {since:%Y-%m-%d}, when it was hashed)" if since else ""
        say(f"{name}: as it was published{known}")
    return 1 if problems else 0


@exemplified("newwiki snapshots rebuild enwiki-2026-09.manifest.json")
@snapshots.command("rebuild")
@asks(RebuildRequest)
@contact_option
@common
def rebuild_snapshot(settings: Settings, quiet: bool, request: RebuildRequest) -> int:
    """Fetch the revisions that a manifest names, and publish the same snapshot, or name the pages that are gone."""
    from flows.refreshing.rebuild import rebuild, source_of
    from newwiki.manifest import Manifest

    wanted = Manifest.read(request.manifest)
    source = source_of(wanted, request.api, request.dump, settings.contact or None)
    rebuilt = rebuild(open_database(settings), source, wanted, reporter(quiet))
    for line in rebuilt.report(wanted):
        say(line)
    return 1 if rebuilt.problems else 0


@exemplified("newwiki snapshots revisit enwiki-2026-09")
@snapshots.command("revisit")
@asks(RevisitRequest)
@contact_option
@scoring_options
@common
@form_option
def revisit_snapshot(settings: Settings, quiet: bool, form: str, request: RevisitRequest) -> None:
    """Take a snapshot's articles as they stand later, score its runs beside both editions, and show what came true."""
    from flows.api.making import run_revisit
    from flows.revisiting.show_edition import show_edition

    edition = run_revisit(request, settings, quiet=quiet).snapshot_id
    if form == "table":
        show_edition(open_database(settings), edition)
    else:
        tables.show_query(open_database(settings), "edition_differences", form, edition)


@exemplified("newwiki snapshots topics latest")
@snapshots.command("topics")
@click.argument("snapshot", shell_complete=completer("snapshot"))
@click.option("--api", metavar="URL", help="The wiki's api.php (/w/api.php where its permanent links lead).")
@contact_option
@common
@form_option
def snapshot_topics(settings: Settings, quiet: bool, form: str, snapshot: str, api: str | None) -> None:
    """Look up what a snapshot's articles are about, by Wikidata, and count the coarse types."""
    from flows.refreshing.look_up_topics import look_up, usual_address
    from storage.snapshots import resolve

    database = open_database(settings)
    name = resolve(database, snapshot).snapshot_id
    place, contact = api or usual_address(database, name), settings.contact or None
    look_up(database, name, place, contact, settings.wikidata, reporter(quiet))
    tables.show_query(database, "topic_counts", form, name)
