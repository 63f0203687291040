"""A revisit from its request to its rows: what is refused, what an interruption leaves, what the report shows."""

import json
import random
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import flows.api
from flows.progress import Silent
from flows.report.page import render
from flows.revisiting import score_edition
from flows.revisiting.publish_edition import asked_for
from newwiki.comparison_requests import ReportRequest
from newwiki.errors import TerminalError, UsageError
from newwiki.request import RevisitRequest
from storage import editions, runs, snapshots
from storage.database import Database
from storage.staging import Staging
from tests.flows.conftest import Run
from tests.flows.scored import add_run

pytestmark = pytest.mark.slow

RULES = {"metrics": "entity_overlap,fact_recall", "entities": "rules-v1"}
_WORDS = ("river", "stone", "harbour", "lantern", "winter", "orchard", "council", "bridge", "market", "engine", "wood")
_INFOBOX = "{{{{Infobox place\n| mayor = {mayor}\n}}}}\n"
Make = Callable[..., Any]
# The table's rows that say when, and what the wiki was asked for
_MOMENTS = {
    "snapshots": "published_at", "schema_migrations": "applied_at", "snapshot_hashes": "taken_at, sha256",
    "runs": "started_at, finished_at, heard_at, process", "scorings": "finished_at", "edition_scorings": "finished_at",
}  # fmt: skip


def text(title: str, lead: str = "a place in the north", more: str = "", mayor: str = "") -> str:
    drawn = random.Random(title)
    told = " ".join(f"It has a {' '.join(drawn.choices(_WORDS, k=10))} and more." for _ in range(6))
    infobox = _INFOBOX.format(mayor=mayor) if mayor else ""
    return f"{infobox}'''{title}''' is {lead} of the country.\n\n{told} {more}".rstrip()


@pytest.fixture(scope="session")
def dump(export: Make, page: Make, revision: Make, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three articles of September, two of which say more in November."""
    later = {
        "Holt": text("Holt", "a town", "The architect Greta Lindqvist repaired it.", mayor="Anders Holmgren"),
        "Brunn": text("Brunn", more="The painter Otto Varga lived there."),
        "Dale": None,
    }
    pages = []
    for number, (title, then) in enumerate(later.items(), 1):
        now = text(title, mayor="Ilse Tarn" if title == "Holt" else "")
        ids = range(10 * number, 10 * number + 3)
        made = [revision(one, f"2026-09-0{1 + one % 10}T00:00:00Z", now[: -3 + one % 10] if one % 10 < 2 else now,
                         parent=one - 1 if one % 10 else None) for one in ids]  # fmt: skip
        made += [revision(10 * number + 5, "2026-11-01T00:00:00Z", then, parent=10 * number + 2)] if then else []
        pages.append(page(number, title, made))
    path: Path = tmp_path_factory.mktemp("revisited") / "dump.xml"
    path.write_bytes(export(*pages))
    return path


@pytest.fixture(scope="session")
def written(dump: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The snapshot of September, and a run of two texts on each article. Tests copy it."""
    folder = tmp_path_factory.mktemp("written")
    asked: dict[str, Any] = {"month": "2026-09", "min_words": 60, "min_revisions": 3, "cutoff": datetime(2026, 10, 1)}
    [first] = flows.api.refresh(dump=dump, db=folder / "newwiki.duckdb", quiet=True, **asked).to_pylist()
    said = {
        "Holt": (
            "In it the architect Greta Lindqvist met the mayor Anders Holmgren.",
            "It met the painter Otto Varga.",
        ),
        "Brunn": ("In it the painter Otto Varga met the mayor Ilse Tarn.", "In it there was nobody."),
        "Dale": ("In it the painter Otto Varga met nobody.", "In it there was nobody."),
    }
    rows = [{"title": title, "text": one} for title, both in said.items() for one in both]
    (folder / "written.jsonl").write_text("\n".join(map(json.dumps, rows)))
    flows.api.score(
        folder / "written.jsonl", snapshot=first["snapshot_id"], db=folder / "newwiki.duckdb", quiet=True, **RULES
    )
    return folder / "newwiki.duckdb"


@pytest.fixture
def database(written: Path, tmp_path: Path) -> Database:
    return Database(shutil.copy(written, tmp_path / "newwiki.duckdb"))


@dataclass(frozen=True)
class Revisited:
    """The database after a revisit, and the row that the revisit has given."""

    path: Path
    row: dict[str, Any]


@pytest.fixture(scope="session")
def done(written: Path, dump: Path, tmp_path_factory: pytest.TempPathFactory) -> Revisited:
    """Tests copy it, as `revisited`."""
    database = Database(shutil.copy(written, tmp_path_factory.mktemp("done") / "newwiki.duckdb"))
    return Revisited(database.path, revisit(database, dump))


@pytest.fixture
def revisited(done: Revisited, tmp_path: Path) -> Database:
    return Database(shutil.copy(done.path, tmp_path / "newwiki.duckdb"))


def revisit(database: Database, dump: Path, **changes: Any) -> dict[str, Any]:
    asked = {"dump": dump, "cutoff": datetime(2026, 11, 15), **RULES, **changes}
    [row] = flows.api.revisit("latest", db=database.path, quiet=True, **asked).to_pylist()
    found: dict[str, Any] = row
    return found


def rows(database: Database) -> dict[str, list[tuple[Any, ...]]]:
    with database.read() as connection:
        names = connection.execute(
            "select table_name from duckdb_tables() where table_name != 'commit_counter' order by 1"
        ).fetchall()
        left_out = {table: f"exclude ({columns})" for table, columns in _MOMENTS.items()}
        return {
            table: connection.execute(f"select * {left_out.get(table, '')} from {table} order by all").fetchall()  # noqa: S608
            for (table,) in names
        }


def test_a_revisit_gives_its_editions_row_and_again_the_same(done: Revisited, revisited: Database) -> None:
    row = done.row
    assert row["edition"] == f"{row['snapshot_id']}@2026-11-15"
    assert [row[name] for name in ("articles", "unchanged", "changed", "lost")] == [3, 1, 2, 0]
    before = rows(revisited)
    assert revisit(revisited, Path("nowhere.xml")) == row
    assert rows(revisited) == before


def test_the_texts_were_asked_for_by_the_first_edition(done: Revisited, revisited: Database) -> None:
    """Holt is a town later: its prompt is still that of the first edition, and its reference what comes after its own
    first sentence."""
    edition = done.row["edition"]
    first, later = (
        {one.title: one for one in snapshots.articles(revisited, name)}["Holt"]
        for name in (editions.revisited(snapshots.resolve(revisited, edition))["snapshot_id"], edition)  # type: ignore[index]
    )
    assert first.first_sentence == "Holt is a place in the north of the country."
    assert later.first_sentence == "Holt is a town of the country."
    assert later.completion.startswith("It has a ")
    assert later.completion.removeprefix(first.completion) == " The architect Greta Lindqvist repaired it."


def test_a_revisit_killed_between_two_batches_goes_on_and_ends_as_if_nothing_had_happened(
    database: Database, dump: Path, done: Revisited, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(score_edition, "_BATCH", 1)
    store, stored = editions.add, list[str]()

    def add_twice(*arguments: Any) -> None:
        if len(stored) == 2:
            raise KeyboardInterrupt
        stored.append("a batch")
        store(*arguments)

    with monkeypatch.context() as killed:
        killed.setattr(editions, "add", add_twice)
        with pytest.raises(KeyboardInterrupt):
            revisit(database, dump)
    half = rows(database)
    assert {row[2:4] for row in half["came_true_texts"]} == {(1, 0), (1, 1)}
    assert half["edition_scorings"] == []
    with database.read() as connection:
        assert connection.execute("from edition_differences").fetchall() == []
        assert connection.execute("from came_true_by_run").fetchall() == []
    revisit(database, dump)
    assert rows(database) == rows(Database(done.path))


def test_a_revisit_killed_after_it_has_published_leaves_nothing_beside_the_database(
    database: Database, dump: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it has left is no reason to look at that day again."""

    def interrupt(staging: Staging) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as killed:
        killed.setattr(Staging, "discard", interrupt)
        with pytest.raises(KeyboardInterrupt):
            revisit(database, dump)
    assert len(list(tmp_path.iterdir())) == 3
    assert asked_for(database, RevisitRequest(snapshot="latest")).cutoff.date() == datetime.now(UTC).date()
    assert revisit(database, dump)["changed"] == 2
    assert {path.name for path in tmp_path.iterdir()} == {"newwiki.duckdb", "newwiki.duckdb.commits"}


def test_a_run_that_came_later_is_judged_by_the_same_command(
    done: Revisited, revisited: Database, dump: Path, tmp_path: Path
) -> None:
    database, edition = revisited, done.row["edition"]
    [one] = {row["run_id"] for row in database.records(dict[str, Any], "edition_differences", edition)}
    file = tmp_path / "more.jsonl"
    file.write_text(json.dumps({"title": "Holt", "text": "The architect Greta Lindqvist again."}))
    flows.api.score(file, snapshot="latest", db=database.path, quiet=True, **RULES)
    revisit(database, dump)
    found = {row["run_id"]: row for row in database.records(dict[str, Any], "came_true_by_run", edition)}
    assert len(found) == 2 and one in found
    [more] = [row for run_id, row in found.items() if run_id != one and row["kind"] == "infobox"]
    assert (more["texts"], more["came_true"]) == (1, 0)


def test_a_run_without_kept_texts_is_left_out(database: Database, dump: Path) -> None:
    first = snapshots.resolve(database, "latest").snapshot_id
    add_run(database, "likelihoods", "likelihood", snapshot_id=first)
    runs.complete(database, "likelihoods", 0)
    edition = revisit(database, dump)["edition"]
    with database.read() as connection:
        assert connection.execute("select count(*) from edition_scorings where run_id = 'likelihoods'").fetchone() == (
            0,
        )
    assert len(database.rows("came_true_by_run", edition)) == 2


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"cutoff": datetime(2026, 10, 1)}, "must lie after that of testwiki-2026-09-"),
        ({"cutoff": datetime.now(UTC).replace(tzinfo=None) + timedelta(days=1)}, "and not after now"),
        ({"cutoff": None}, "give --cutoff, the day on which it was begun"),
        ({"api": "http://127.0.0.1:9/w/api.php"}, "Give --api URL or --dump FILE, not both"),
    ],
)
def test_what_is_asked_wrongly_is_refused_and_changes_nothing(
    database: Database, dump: Path, changes: dict[str, Any], words: str
) -> None:
    before = database.path.read_bytes()
    with pytest.raises(UsageError, match=words):
        revisit(database, dump, **changes)
    assert database.path.read_bytes() == before and len(list(database.path.parent.iterdir())) == 1


def test_metrics_that_do_not_look_at_the_article_are_refused(database: Database, dump: Path) -> None:
    with pytest.raises(UsageError, match="none of rep_4 compares a single text with its article"):
        revisit(database, dump, metrics="rep_4")


def test_another_wiki_and_another_extractor_are_refused(
    database: Database, dump: Path, export: Make, tmp_path: Path
) -> None:
    (tmp_path / "other.xml").write_bytes(export(dbname="otherwiki"))
    with pytest.raises(TerminalError, match=r"is of testwiki, and dump other\.xml is otherwiki; name the right one"):
        revisit(database, tmp_path / "other.xml")
    with database.write() as connection:
        connection.execute("update snapshots set extractor_version = '0'")
    with pytest.raises(TerminalError, match=r"made by extractor 0, .* would look like a change of the article"):
        revisit(database, dump)


def test_a_revisit_of_which_no_article_is_left_publishes_nothing(
    database: Database, export: Make, tmp_path: Path
) -> None:
    (tmp_path / "empty.xml").write_bytes(export())
    with pytest.raises(TerminalError, match="nothing to publish: no article of testwiki-2026-09-"):
        revisit(database, tmp_path / "empty.xml")
    assert {path.name for path in tmp_path.iterdir()} == {"newwiki.duckdb", "empty.xml"}


def test_without_a_cutoff_it_is_today_or_the_day_of_what_was_interrupted(database: Database) -> None:
    today = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    request = RevisitRequest(snapshot="latest")
    assert asked_for(database, request).cutoff == today
    before = asked_for(database, RevisitRequest(snapshot="latest", cutoff=datetime(2026, 11, 15)))
    Staging.open(database.path, before.edition, before.cutoff)
    assert asked_for(database, request) == before


def test_an_edition_is_shown_and_is_rebuilt_from_its_manifest(
    done: Revisited, revisited: Database, dump: Path, in_process: Run, tmp_path: Path
) -> None:
    database, edition = revisited, done.row["edition"]
    shown = in_process("snapshots", "show", edition, "--db", database.path)
    assert "what became of the 3 articles of testwiki-2026-09-" in " ".join(shown.stdout.split())
    assert "otto varga" in shown.stdout
    asked = ("snapshots", "export", edition, "--format", "manifest", "--out", "out", "--db", database.path)
    assert in_process(*asked).returncode == 0
    again = in_process("snapshots", "rebuild", "out/manifest.json", "--dump", dump, "--db", "again.duckdb")
    assert (again.returncode, ": rebuilt" in again.stdout) == (0, True), again.stderr
    alone = in_process("snapshots", "show", edition, "--db", "again.duckdb")
    assert (alone.returncode, "otto varga" in alone.stdout) == (0, False), alone.stderr


def test_the_report_shows_what_came_of_it(database: Database, done: Revisited) -> None:
    html, first = render(database, Silent(), ReportRequest())
    assert f"newwiki snapshots revisit {first}" in html
    edition = done.row["edition"]
    html, _ = render(Database(done.path), Silent(), ReportRequest())
    section = html[html.index('<section id="later"') : html.index('<section id="metrics"')]
    assert (
        edition in section
        and "Of 3 articles, 2 have a new revision, 1 have the same revision, and 0 are not in the edition" in section
    )
    entity = next(row for row in section.split("<tr>") if "<td>entity</td>" in row and "#run-" in row)
    assert [part.partition("<")[0] for part in entity.split('<td class="number">')[1:3]] == ["2", "1.000"]
    assert "<bdi>greta lindqvist</bdi>" in section and "<bdi>anders holmgren</bdi>" in section
    assert "newwiki snapshots revisit" not in section
