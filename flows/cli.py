"""The command line: one thin function a command. Everything heavy is imported by the command that needs it."""

import atexit
import functools
import os
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from newwiki.errors import NewWikiError, UsageError

if TYPE_CHECKING:
    from flows.progress import Progress
    from newwiki.records import Window
    from newwiki.settings import Settings

_FORMATS = ("table", "csv", "json", "markdown")


def main() -> int:
    """Runs a command. Gives its exit status: 0 (done), 1 (failed) or 2 (misused), the last two with one line of why."""
    try:
        status = cli.main(prog_name="newwiki", standalone_mode=False)
        return status if isinstance(status, int) else 0
    except NewWikiError as error:
        return _say(str(error), error.exit_status)
    except click.UsageError as error:
        command = error.ctx.command_path if error.ctx else "newwiki"
        return _say(f"{error.format_message().rstrip('.')} (see {command} --help)", 2)
    except click.ClickException as error:
        return _say(error.format_message(), 1)
    except (click.Abort, KeyboardInterrupt):
        return _say("interrupted; run the same command again and it goes on from here", 130)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _say(message: str, status: int) -> int:
    print(f"newwiki: {' '.join(message.split())}", file=sys.stderr)
    return status


def leave(status: int) -> NoReturn:
    """Ends the process: at once where Prefect has been at work, as its daemon threads would keep DuckDB's module alive
    beyond the interpreter, which then lists all that it could not free."""
    if "prefect" in sys.modules:
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)
    sys.exit(status)


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="newwiki-eval", prog_name="newwiki")
def cli() -> None:
    """Evaluates language models on the Wikipedia articles that have just been written."""


def common(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that every command has; the command gets `settings` and `quiet` for them."""

    @click.option("--db", metavar="PATH", help="The database (newwiki.duckdb, or NEWWIKI_DB).")
    @click.option("--config", type=click.Path(path_type=Path), help="A configuration file (newwiki.toml).")
    @click.option("--plugin", type=click.Path(path_type=Path), multiple=True, help="A Python file of your own pieces.")
    @click.option("--quiet", is_flag=True, help="No progress, no notes.")
    @functools.wraps(command)
    def with_settings(db: str | None, config: Path | None, plugin: tuple[Path, ...], quiet: bool, **rest: Any) -> Any:
        from newwiki.registry import load_plugin
        from newwiki.settings import load_settings

        for path in plugin:
            load_plugin(path)
        flags = {name: rest.pop(name) for name in ("contact", "entities", "embedder", "template") if name in rest}
        return command(settings=load_settings(config, db=db, **flags), quiet=quiet, **rest)

    return with_settings


def form_option(command: Callable[..., Any]) -> Callable[..., Any]:
    return click.option("--format", "form", type=click.Choice(_FORMATS), default="table", show_default=True)(command)


def prefect_option(command: Callable[..., Any]) -> Callable[..., Any]:
    text = "Run as a Prefect flow (so it does where PREFECT_API_URL is set)."
    return click.option("--prefect", is_flag=True, help=text)(command)


def scoring_options(command: Callable[..., Any]) -> Callable[..., Any]:
    for option in (
        click.option("--embedder", help="The S-BERT model: a folder or a hub id (all-MiniLM-L6-v2)."),
        click.option(
            "--entities",
            help="Who finds named entities: spacy:en_core_web_sm (or another pipeline), or rules-v1, a stand-in "
            "of regular expressions.",
        ),
    ):
        command = option(command)
    return command


@cli.command()
@click.option("--month", metavar="YYYY-MM", help="The pages created in this month.")
@click.option("--from", "first", type=click.DateTime(["%Y-%m-%d"]), help="The pages created from this day …")
@click.option("--to", "last", type=click.DateTime(["%Y-%m-%d"]), help="… to this day, both counted in.")
@click.option("--api", metavar="URL", help="A MediaWiki's api.php.")
@click.option("--wiki", metavar="NAME", help="A Wikipedia by its database name, such as enwiki.")
@click.option("--dump", type=click.Path(exists=True, dir_okay=False), help="A MediaWiki XML export with full history.")
@click.option("--min-revisions", type=click.IntRange(1), default=10, show_default=True)
@click.option("--min-words", type=click.IntRange(1), default=500, show_default=True)
@click.option("--sample", type=click.IntRange(1), default=3000, show_default=True, help="How many articles are drawn.")
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
    settings: "Settings",
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
    min_words: int,
    sample: int,
    seed: int,
    cutoff: datetime | None,
    limit: int | None,
    kind: str,
    before: datetime | None,
) -> None:
    """Publish the pages that were created in a window as a snapshot."""
    from flows import leaderboard
    from flows.steps.refresh import RefreshRequest
    from newwiki.records import Selection

    window = _window(month, first, last) if kind == "new" and not before else _old(kind, before, month, first, last)
    source, place = _source(api, wiki, dump)
    source = f"old-{source}" if kind == "old" else source
    selection = Selection(min_revisions, min_words, sample, seed, limit)
    request = RefreshRequest(window, selection, cutoff.replace(tzinfo=UTC) if cutoff else None, kind)
    snapshot = _refresh(settings, quiet, _through_prefect(prefect), source, place, request)
    database = _database(settings)
    if form == "table":
        leaderboard.show_funnel(database, snapshot.snapshot_id, form)
        print(f"snapshot {snapshot.snapshot_id}: {snapshot.articles} articles, content {snapshot.content_sha256}")
    else:
        _show_query(database, "snapshot_one", form, snapshot.snapshot_id)


def _refresh(settings: "Settings", quiet: bool, prefect: bool, source: str, place: str, request: Any) -> Any:
    if prefect:
        from flows.refresh import refresh as flow

        contact = settings.contact or None
        return flow(settings.db, source, place, request, contact=contact, wikidata=settings.wikidata)
    from flows.steps.refresh import gather, publish
    from flows.steps.topics import look_up_if_reachable
    from newwiki.registry import sources

    contact, database, progress = settings.contact or None, _database(settings), _progress(quiet)
    gathered = gather(database, sources.get(source)(place, contact), request, progress)
    snapshot = publish(database, gathered, request, progress)
    if source == "api" and not gathered.published:
        look_up_if_reachable(database, snapshot.snapshot_id, place, contact, settings.wikidata, progress)
    return snapshot


class ListByDefault(click.Group):
    """A group whose `list` runs where no subcommand is named."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        named = args and (args[0] in self.commands or args[0] in ctx.help_option_names or not args[0].startswith("-"))
        return super().parse_args(ctx, args if named else ["list", *args])


@cli.group(cls=ListByDefault)
def snapshots() -> None:
    """List, show and verify the snapshots."""


@snapshots.command("list")
@common
@form_option
def list_snapshots(settings: "Settings", quiet: bool, form: str) -> None:
    """All snapshots, the newest window first."""
    _show_query(_database(settings), "snapshot_list", form)


@snapshots.command("show")
@click.argument("snapshot")
@common
@form_option
def show_snapshot(settings: "Settings", quiet: bool, form: str, snapshot: str) -> None:
    """One snapshot (its id, or latest), with the funnel that led to it."""
    from flows import leaderboard, tables
    from storage.snapshots import resolve

    database = _database(settings)
    found = resolve(database, snapshot)
    if form == "table":
        tables.show(
            ["", found.snapshot_id], [(name, str(value)) for name, value in list(vars(found).items())[1:]], form
        )
        leaderboard.show_funnel(database, found.snapshot_id, form)
        leaderboard.show_requests(database, found.snapshot_id)
    else:
        _show_query(database, "snapshot_one", form, found.snapshot_id)


@snapshots.command("verify")
@click.argument("snapshot")
@common
def verify_snapshot(settings: "Settings", quiet: bool, snapshot: str) -> int:
    """Recompute a snapshot's hashes and compare them with what was published."""
    from storage.snapshots import resolve, verify

    database = _database(settings)
    problems = verify(database, snapshot)
    for problem in problems:
        print(problem)
    if not problems:
        print(f"{resolve(database, snapshot).snapshot_id}: as it was published")
    return 1 if problems else 0


@snapshots.command("export")
@click.argument("snapshot")
@click.option("--format", "form", type=click.Choice(["manifest", "parquet", "jsonl", "datasets"]), required=True)
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), required=True, help="A new or empty folder.")
@common
def export_snapshot(settings: "Settings", quiet: bool, snapshot: str, form: str, out: Path) -> None:
    """Write a snapshot into a folder: its revisions without texts, or its articles and candidates."""
    from storage.export import export

    for path in export(_database(settings), snapshot, form, out):
        print(path)


@snapshots.command("rebuild")
@click.argument("manifest", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--api", metavar="URL", help="A MediaWiki's api.php (that of the Wikipedia which the manifest names).")
@click.option("--dump", type=click.Path(exists=True, dir_okay=False), help="A MediaWiki XML export with full history.")
@click.option("--contact", help="Your address for the wiki's operators (NEWWIKI_CONTACT).")
@common
def rebuild_snapshot(settings: "Settings", quiet: bool, manifest: Path, api: str | None, dump: str | None) -> int:
    """Fetch the revisions that a manifest names, and publish the same snapshot, or name the pages that are gone."""
    from flows.steps.rebuild import rebuild, source_of
    from newwiki.manifest import Manifest

    wanted = Manifest.read(manifest)
    source = source_of(wanted, api, dump, settings.contact or None)
    rebuilt = rebuild(_database(settings), source, wanted, _progress(quiet))
    for line in rebuilt.report(wanted):
        print(line)
    return 1 if rebuilt.problems else 0


@snapshots.command("topics")
@click.argument("snapshot")
@click.option("--api", metavar="URL", help="The wiki's api.php (/w/api.php where its permanent links lead).")
@click.option("--contact", help="Your address for the wiki's operators (NEWWIKI_CONTACT).")
@common
@form_option
def snapshot_topics(settings: "Settings", quiet: bool, form: str, snapshot: str, api: str | None) -> None:
    """Look up what a snapshot's articles are about, by Wikidata, and count the coarse types."""
    from flows.steps.topics import look_up, usual_address
    from storage.snapshots import resolve

    database = _database(settings)
    name = resolve(database, snapshot).snapshot_id
    look_up(database, name, api or usual_address(database, name), settings.contact or None, settings.wikidata)
    _show_query(database, "topic_counts", form, name)


@cli.command()
@click.argument("models", nargs=-1, required=True, metavar="MODEL...")
@click.option(
    "--decoder",
    "decoders",
    multiple=True,
    required=True,
    metavar="SPEC",
    help="Such as greedy, or sample:top_p=[0.5,0.9].",
)
@click.option("--backend", default="hf", show_default=True)
@click.option("--model-args", "--model_args", default="", metavar="K=V,…", help="Such as revision=main,device=cpu.")
@click.option("--snapshot", default="latest", show_default=True, metavar="ID")
@click.option("--prompts", "--limit", type=int, help="Only the longest so many articles (all).")
@click.option("--samples", type=int, default=20, show_default=True, help="Completions a prompt.")
@click.option("--keep", type=int, default=10, show_default=True, help="The longest so many of them are scored.")
@click.option("--max-new-tokens", "--max_new_tokens", type=int, default=512, show_default=True)
@click.option("--batch-size", "--batch_size", default="auto", show_default=True, metavar="N|auto")
@click.option("--dtype", default="auto", show_default=True, metavar="NAME", help="auto is float32.")
@click.option("--seed", type=int, default=0, show_default=True)
@click.option("--metrics", default="core", show_default=True, metavar="core|all|NAME,…")
@click.option("--template", help="The prompt, with {title} and {first_sentence}.")
@scoring_options
@prefect_option
@common
@form_option
def evaluate(
    settings: "Settings",
    quiet: bool,
    prefect: bool,
    form: str,
    models: tuple[str, ...],
    decoders: tuple[str, ...],
    backend: str,
    model_args: str,
    snapshot: str,
    batch_size: str,
    dtype: str,
    metrics: str,
    **numbers: int,
) -> None:
    """Let models write a snapshot's articles under decoders, and score what they wrote.

    MODEL is a folder that save_pretrained wrote, or an id on the Hugging Face hub.
    """
    from evaluators.scoring import select
    from flows import leaderboard
    from flows.steps.evaluate import EvaluationRequest
    from newwiki.decoding.grammar import parse
    from storage.snapshots import resolve

    chosen = [decoder for specification in decoders for decoder in parse(specification)]
    evaluators = select(metrics)
    rows = _batch_size(batch_size)
    request = EvaluationRequest(snapshot, batch_size=rows, template=settings.template, **numbers)
    arguments = {"dtype": dtype, **_model_arguments(model_args)}
    database = _database(settings)
    resolve(database, snapshot)
    if _through_prefect(prefect):
        from flows.evaluate import evaluate as flow

        flow(
            settings.db,
            models,
            decoders,
            request=request,
            settings=settings,
            metrics=metrics,
            backend=backend,
            model_arguments=arguments,
        )
    else:
        from flows.steps.evaluate import generate, load_model, plan
        from flows.steps.score import Jury, score_run

        progress = _progress(quiet)
        jury = Jury(evaluators, entities=settings.entities, embedder=settings.embedder)
        for name in models:
            loaded = load_model(backend, name, arguments)
            for decoder in chosen:
                planned = plan(database, loaded, decoder, request)
                generate(database, planned, loaded, decoder, rows, progress)
                score_run(database, planned, jury, progress)
    _notes(leaderboard.show(database, snapshot, form), quiet)


@cli.command()
@click.option("--snapshot", metavar="ID", help="Only this one, or latest (all).")
@common
@form_option
def leaderboard(settings: "Settings", quiet: bool, form: str, snapshot: str | None) -> None:
    """Every scored run, and the articles themselves, with intervals."""
    from flows import leaderboard as board

    _notes(board.show(_database(settings), snapshot, form), quiet)


@cli.command()
@click.argument("query")
@common
@form_option
def sql(settings: "Settings", quiet: bool, form: str, query: str) -> None:
    """Ask the database a question in SQL. It can read, and nothing else."""
    import duckdb

    from flows import tables

    with _database(settings).fenced() as connection:
        try:
            cursor = connection.execute(query)
            rows = cursor.fetchall()
            columns = [column[0] for column in cursor.description or []]
        except duckdb.Error as error:
            raise click.ClickException(f"the query is refused: {error}") from None
    tables.show(columns, rows, form)


@cli.command()
@click.option(
    "--out", default="demo", show_default=True, type=click.Path(path_type=Path), help="The folder to work in."
)
@scoring_options
@common
def demo(settings: "Settings", quiet: bool, out: Path) -> None:
    """The whole road once: the sample wiki, a toy checkpoint, the monthly flow, the leaderboard."""
    from flows.demo import run

    run(out, settings, _progress(quiet))


@cli.command()
@scoring_options
@common
@form_option
def doctor(settings: "Settings", quiet: bool, form: str) -> int:
    """Say what is fit here and what is not, each with its remedy."""
    from flows import tables
    from flows.doctor import examine

    rows = examine(settings)
    tables.show(["what", "state", "in words"], rows, form)
    return 1 if any(state == "problem" for _, state, _ in rows) else 0


def _window(month: str | None, first: datetime | None, last: datetime | None) -> "Window":
    from newwiki.records import Window

    if month and not first and not last:
        return Window.month(month)
    if first and last and not month:
        return Window.days(first.date(), last.date())
    raise UsageError("which pages? Give --month 2026-10, or --from and --to")


def _old(kind: str, before: datetime | None, *others: object) -> "Window":
    from newwiki.records import Window

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


def _batch_size(text: str) -> int | None:
    if text != "auto" and not text.isdigit():
        raise UsageError(f"--batch-size is a number or auto, not '{text}'")
    return None if text == "auto" else int(text)


def _model_arguments(text: str) -> dict[str, str]:
    parts = [part.partition("=") for part in text.split(",") if part]
    if any(not equals or not key for key, equals, _ in parts):
        raise UsageError(f"--model-args are written key=value,key=value, not '{text}'")
    return {key.strip(): value.strip() for key, _, value in parts}


def _through_prefect(asked: bool) -> bool:
    return asked or bool(os.environ.get("PREFECT_API_URL"))


def _database(settings: "Settings") -> Any:
    from storage.database import Database

    return Database(settings.db)


def _progress(quiet: bool) -> "Progress":
    from flows.progress import Console, Silent

    return Silent() if quiet else Console()


def _notes(notes: list[str], quiet: bool) -> None:
    for note in notes:
        _progress(quiet).note(note)


def _show_query(database: Any, name: str, form: str, *parameters: object) -> None:
    from flows import tables
    from storage.database import query

    with database.read() as connection:
        cursor = connection.execute(query(name), list(parameters))
        columns = [column[0] for column in cursor.description or []]
        tables.show(columns, cursor.fetchall(), form)
