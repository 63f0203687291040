"""A forgery, how it reaches the victim, and what becomes of it: refused, or taken in at some level."""

import shutil
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

import duckdb

import newwiki
from flows.admitting.gate import admit
from flows.bundles.taking_in import take_in
from flows.evaluating.generate import load_model
from flows.progress import Silent
from flows.site.sources import gathered
from newwiki.errors import NewWikiError
from newwiki.prompting.prompt_files import read_prompts
from newwiki.settings import Settings
from newwiki.site_request import SiteRequest
from storage.database import Database
from storage.pull import pull
from storage.shared import SharedFolder
from tests.bundles.world import BATCH, METRICS, SECRET, World

# `believed`: a forged number stands above `claimed`, or something ran or leaked. `crashed`: another error than ours.
Verdict = Literal["refused", "claimed", "harmless", "believed", "crashed"]
Way = Literal[
    "bundle", "later bundle", "beside", "scores", "replay", "folder", "later folder", "pulled twice", "pulled answers",
    "database", "site", "gathered", "answers", "prompts", "model", "receipt",
]  # fmt: skip

# What a run, a snapshot and a metric are told by. When they were heard of here may differ, and so may a model's folder,
# which is private.
_COLUMNS = {
    "runs": "run_id, regexp_replace(model, '^/.*/', ''), model_sha256, decoder, seed, dtype, versions, started_at, "
    "finished_at, numerics, knowledge_cutoff, prompt_template, samples, keep",
    "completions": "run_id, page_id, sample, text, tokens, words, finish_reason, kept",
    "scores": "run_id, evaluator_id, page_id, sample, metric, value, status",
    "run_scores": "run_id, evaluator_id, metric, value, status",
    "snapshots": "snapshot_id, content_sha256, published_at, licence, licence_url, language, window_start, window_end",
    "stored_articles": "snapshot_id, page_id, title, completion",
    "metrics": "metric, unit, minimum, maximum, direction, scope",
    "judgements": "run_a, run_b, page_id, judge, judge_kind, criterion, answer, judged_at",
}
_TABLES = tuple(_COLUMNS)
_MEASURED_HERE = ("copied_5grams", "copied_span")  # by whoever makes a site, of every text
_SECONDS = 120  # that an attempt may take


@dataclass(frozen=True)
class Forgery:
    """`make` writes it into a folder and gives its path. `pattern` is found in the refusal, where one is expected."""

    name: str
    way: Way
    make: Callable[[World, Path], Path]
    expected: Verdict
    pattern: str


@dataclass(frozen=True)
class Outcome:
    """What became of an attempt, with the refusal, or what was believed. `victim` is the database that has taken the
    forgery in."""

    verdict: Verdict
    told: str
    victim: Path | None = None


FORGERIES: dict[str, Forgery] = {}

Make = Callable[[World, Path], Path]


def refused(way: Way, pattern: str, name: str = "") -> Callable[[Make], Make]:
    """The decorated function makes a forgery that must be refused with a line that has this pattern. Its name is the
    first line of the docstring where none is given."""
    return lambda make: _enter(make, way, "refused", pattern, name)


def claimed(way: Way, name: str = "") -> Callable[[Make], Make]:
    """The decorated function makes a forgery that nobody can see through, so that its numbers must be `claimed`."""
    return lambda make: _enter(make, way, "claimed", "", name)


def harmless(way: Way, name: str = "") -> Callable[[Make], Make]:
    """The decorated function makes something that may be read, and must neither run nor show a private file."""
    return lambda make: _enter(make, way, "harmless", "", name)


def _enter(make: Make, way: Way, expected: Verdict, pattern: str, name: str) -> Make:
    name = name or (make.__doc__ or "").split("\n")[0].rstrip(".")
    assert name and name not in FORGERIES, name
    FORGERIES[name] = Forgery(name, way, make, expected, pattern)
    return make


def attempt(forgery: Forgery, world: World, folder: Path) -> Outcome:
    """Makes the forgery in an empty folder and gives it to the victim."""
    path = forgery.make(world, folder)
    try:
        with _limited(_SECONDS):
            told = "\n".join(_WAYS[forgery.way](world, path, folder))
    except NewWikiError as error:
        if forgery.way == "pulled twice" and (lost := lost_rows(folder / "victim.duckdb", world.database)):
            return Outcome("believed", f"rows of the victim's are gone from {', '.join(lost)}")
        return Outcome("crashed" if "\n" in str(error) else "refused", str(error))
    except (Exception, _Hangs) as error:  # noqa: BLE001 (that nothing else is raised is what is tried)
        return Outcome("crashed", f"{type(error).__name__}: {error}")
    if SECRET in told or (folder / "written").exists():
        return Outcome("believed", "it has read or written a file of the victim's")
    victim = folder / "victim.duckdb"
    if not victim.exists():
        return Outcome("harmless", told)
    if forgery.way == "pulled twice" and (lost := lost_rows(victim, world.database)):
        return Outcome("believed", f"rows of the victim's are gone from {', '.join(lost)}", victim)
    above = [one for one in forged_numbers(victim, world.database) if one.level != "claimed"]
    if above:
        return Outcome("believed", f"{len(above)} numbers above claimed, such as {above[0]}", victim)
    return Outcome("claimed", "", victim)


class _Hangs(BaseException):
    """The attempt takes too long. Nothing that the victim runs may catch it, as it would an error of its own."""


@contextmanager
def _limited(seconds: int) -> Iterator[None]:
    """Raises _Hangs."""

    def end(*_: object) -> None:
        raise _Hangs(f"not done after {seconds} s")

    before = signal.signal(signal.SIGALRM, end)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@dataclass(frozen=True)
class ForgedNumber:
    """A scoring in the victim's database that is not in the genuine one, or is of a run that is not."""

    run_id: str
    evaluator_id: str
    level: str


def forged_numbers(victim: Path, genuine: Path) -> list[ForgedNumber]:
    """Scorings whose numbers, run or texts are not those of the genuine database, with the level that each has."""
    theirs, ours = _rows(victim), _genuine_rows(genuine)
    theirs["scores"] = {row for row in theirs["scores"] if row[4] not in _MEASURED_HERE}
    new = {table: theirs[table] - ours[table] for table in _TABLES}
    forged = {row[0] for row in new["runs"] | new["completions"]}
    scored = theirs["scores"] | theirs["run_scores"]
    scorings = {row[:2] for row in new["scores"] | new["run_scores"]} | {row[:2] for row in scored if row[0] in forged}
    told_otherwise = [
        row
        for table in ("snapshots", "stored_articles", "metrics")
        for row in new[table]
        if row[0] in _names(ours[table])
    ]
    if told_otherwise:  # it goes for all numbers
        scorings |= {row[:2] for row in scored if not row[0].startswith("reference:")}
    levels = _levels(victim)
    return [ForgedNumber(run, by, levels.get((run, by), "unmarked")) for run, by, *_ in sorted(scorings)]


def _names(rows: set[tuple[str, ...]]) -> set[str]:
    return {row[0] for row in rows}


def lost_rows(victim: Path, genuine: Path) -> list[str]:
    """The tables in which the victim had rows that are gone, or others now."""
    theirs, ours = _rows(victim), _genuine_rows(genuine)
    return [table for table in _TABLES if ours[table] - theirs[table]]


@cache
def _genuine_rows(path: Path) -> dict[str, set[tuple[str, ...]]]:
    """Those of a database that no forgery changes."""
    return _rows(path)


def _rows(path: Path) -> dict[str, set[tuple[str, ...]]]:
    with duckdb.connect(str(path), read_only=True) as connection:
        return {
            table: {
                tuple(map(str, row))
                for row in connection.execute(f"select {_COLUMNS[table]} from {table}").fetchall()  # noqa: S608
            }
            for table in _TABLES
        }


def _levels(victim: Path) -> dict[tuple[str, str], str]:
    with duckdb.connect(str(victim), read_only=True) as connection:
        if not connection.execute("select 1 from duckdb_views() where view_name = 'levels'").fetchall():
            return {}
        rows = connection.execute("select run_id, evaluator_id, level from levels").fetchall()
    return {(run_id, evaluator_id): level for run_id, evaluator_id, level in rows}


def _victim(folder: Path, template: Path) -> Database:
    return Database(Path(shutil.copy(template, folder / "victim.duckdb")))


def _bundle(world: World, path: Path, folder: Path) -> Iterator[str]:
    """By somebody who has nothing yet."""
    take_in(_victim(folder, world.empty), [path])
    yield ""


def _later_bundle(world: World, path: Path, folder: Path) -> Iterator[str]:
    """The forger has the genuine snapshot, whose articles are scored."""
    take_in(_victim(folder, world.scored), [path])
    yield ""


def _beside(world: World, path: Path, folder: Path) -> Iterator[str]:
    """By somebody who has the genuine bundle."""
    take_in(_victim(folder, world.taken), [path])
    yield ""


def _scores(world: World, path: Path, folder: Path) -> Iterator[str]:
    """By somebody who has the scores computed again."""
    newwiki.check(path, metrics=METRICS, db=folder / "none.duckdb", quiet=True)
    yield from _bundle(world, path, folder)


def _replay(world: World, path: Path, folder: Path) -> Iterator[str]:
    """By somebody who has some completions of each run checked with the model's weights."""
    newwiki.check(
        path, metrics="rep_4", spot=4, number=1, model=str(world.checkpoint), db=folder / "none.duckdb", quiet=True
    )
    yield from _bundle(world, path, folder)


def _folder(world: World, path: Path, folder: Path) -> Iterator[str]:
    yield _pulled(_victim(folder, world.empty), path)


def _later_folder(world: World, path: Path, folder: Path) -> Iterator[str]:
    """The forger has the genuine snapshot, whose articles are scored."""
    yield _pulled(_victim(folder, world.scored), path)


def _pulled_answers(world: World, path: Path, folder: Path) -> Iterator[str]:
    """The forger has the genuine results, but no answers of people."""
    yield _pulled(_victim(folder, world.unjudged), path)


def _pulled_twice(world: World, path: Path, folder: Path) -> Iterator[str]:
    """By somebody who has the genuine results, answers of people included, and made them."""
    yield _pulled(_victim(folder, world.database), path)


def _pulled(victim: Database, path: Path) -> str:
    """Return what the command prints about it."""
    told: list[str] = []
    pull(victim, admit(SharedFolder(path.as_uri()), "pull"), told.append)
    return "\n".join(told)


def _database(world: World, path: Path, folder: Path) -> Iterator[str]:
    yield str(newwiki.leaderboard(db=path, quiet=True).to_pylist())
    yield str(newwiki.articles(db=path).to_pylist())
    yield str(newwiki.runs(db=path).to_pylist())


def _site(world: World, path: Path, folder: Path) -> Iterator[str]:
    newwiki.site(path, out=folder / "site", quiet=True)
    for file in (folder / "site").rglob("*"):
        if file.suffix in (".html", ".csv", ".json"):
            yield file.read_text("utf-8")


def _gathered(world: World, path: Path, folder: Path) -> Iterator[str]:
    """The victim builds a site from it and from the genuine bundle of one run."""
    request = SiteRequest(sources=(str(path), str(world.bundle_of_one)), recompute=False)
    with gathered(request, Settings(db=str(folder / "none.duckdb")), Silent()) as found:
        shutil.copy(found.database.path, folder / "victim.duckdb")
    yield ""


def _receipt(world: World, path: Path, folder: Path) -> Iterator[str]:
    """By somebody who counts the receipts of the genuine submitter, for a bundle of copied references."""
    checker: dict[str, Any] = {"receipt": (path,), "checker": (Path(f"{world.key}.pub"),), "recompute": False}
    request = SiteRequest(sources=(str(world.copied),), **checker)
    with gathered(request, Settings(db=str(folder / "none.duckdb")), Silent()) as found:
        shutil.copy(found.database.path, folder / "victim.duckdb")
    yield ""


def _answers(world: World, path: Path, folder: Path) -> Iterator[str]:
    database = _victim(folder, world.database)
    across = ("samples", "keep")
    newwiki.import_answers(
        world.greedy, world.nucleus, batch=BATCH, answers=path, across=across, db=database.path, quiet=True
    )
    yield ""


def _prompts(world: World, path: Path, folder: Path) -> Iterator[str]:
    yield "\n".join(one.prompt for one in read_prompts([path]).prompts)


def _model(world: World, path: Path, folder: Path) -> Iterator[str]:
    yield str(load_model("hf", str(path), {"device": "cpu"}).name)


_WAYS: dict[Way, Callable[[World, Path, Path], Iterator[str]]] = {
    "bundle": _bundle,
    "later bundle": _later_bundle,
    "beside": _beside,
    "scores": _scores,
    "replay": _replay,
    "folder": _folder,
    "later folder": _later_folder,
    "pulled twice": _pulled_twice,
    "pulled answers": _pulled_answers,
    "database": _database,
    "site": _site,
    "gathered": _gathered,
    "receipt": _receipt,
    "answers": _answers,
    "prompts": _prompts,
    "model": _model,
}
