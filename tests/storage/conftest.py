import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import pytest

from newwiki.records import Run
from newwiki.snapshot import Judged, Selection, Site, Snapshot, Window
from storage.database import Database
from storage.snapshots import parameters_json, publish
from tests.once import once
from tests.storage.machines import score, texts, with_own_id, write

DAY = datetime(2026, 9, 3, 10, tzinfo=UTC)
CUTOFF = datetime(2026, 10, 15, tzinfo=UTC)
SEPTEMBER = Window.month("2026-09")


@pytest.fixture(scope="session")
def empty(shared_folder: Path) -> Path:
    """A database without a row. To make one takes far longer than to copy it."""

    def make(path: Path) -> None:
        with Database(path).write():
            pass

    return once(shared_folder / "storage-empty.duckdb", make)


@pytest.fixture
def database(empty: Path, tmp_path: Path) -> Database:
    """One of its own, without a row."""
    return Database(shutil.copy(empty, tmp_path / "newwiki.duckdb"))


Filled = Callable[[str, Database, Callable[[], object]], Database]


@pytest.fixture(scope="session")
def filled(shared_folder: Path) -> Filled:
    """`filled(name, database, fill)`: the test's own database with what `fill` puts into it. The first test that asks
    for the name has it filled, the others get a copy."""

    def copy(name: str, database: Database, fill: Callable[[], object]) -> Database:
        def make(path: Path) -> None:
            fill()
            shutil.copy(database.path, path)

        shutil.copy(once(shared_folder / f"filled-{name}.duckdb", make), database.path)
        return database

    return copy


@pytest.fixture(scope="session")
def selected() -> Callable[..., Judged]:
    def make(page_id: int, title: str = "", *, completion: str = "It is a river.", **changes: Any) -> Judged:
        values: dict[str, Any] = {
            "page_id": page_id,
            "title": title or f"Page {page_id}",
            "created_at": DAY,
            "verdict": "selected",
            "rev_id": 1000 + page_id,
            "revised_at": DAY,
            "revisions": 10,
            "words": 500,
            "first_sentence": "The Lumen is long.",
            "completion": completion,
        }
        return Judged(**values | changes)

    return make


def publish_pages(
    database: Database,
    *judged: Judged,
    name: str = "testwiki-2026-09",
    wiki: str = "testwiki",
    window: Window = SEPTEMBER,
) -> Snapshot:
    """Publish a snapshot of these pages."""
    site = Site(wiki, "en", "https://wiki.example/wiki/Main_Page")
    parameters = parameters_json(window, Selection(), "old" if window.is_old else "new")
    return publish(database, name, site, window, CUTOFF, parameters, judged)


@pytest.fixture
def published(database: Database) -> Callable[..., Snapshot]:
    """`publish_pages` into the test's own database."""
    return partial(publish_pages, database)


class _Undone(Exception):
    pass


@contextmanager
def undone(database: Database, *statements: str) -> Iterator[duckdb.DuckDBPyConnection]:
    """Execute the statements in a transaction that is rolled back at the end, so that tests can share a database."""
    with suppress(_Undone), database.write() as connection:
        for statement in statements:
            connection.execute(statement)
        yield connection
        raise _Undone


@pytest.fixture(scope="session")
def run_of() -> Callable[..., Run]:
    def make(run_id: str, snapshot_id: str = "testwiki-2026-09", **changes: Any) -> Run:
        values: dict[str, Any] = {
            "run_id": run_id,
            "snapshot_id": snapshot_id,
            "model": "toy",
            "model_sha256": "0" * 64,
            "backend": "elsewhere",
            "decoder": "greedy",
            "decoder_parameters": '{"no_repeat_ngram_size": 0}',
            "prompt_template": "{title}\n\n{first_sentence}",
            "prompts": 3,
            "seed": 0,
            "samples": 2,
            "keep": 1,
            "max_new_tokens": 8,
            "dtype": "float32",
            "versions": "{}",
        }
        return Run(**values | changes)

    return make


@pytest.fixture
def written(
    database: Database, published: Callable[..., Any], selected: Callable[..., Any], run_of: Any, filled: Filled
) -> Database:
    """A machine that has published and written."""

    def fill() -> None:
        published(*(selected(page) for page in (1, 2, 3)))
        write(database, run_of("run-a"), texts())

    return filled("written", database, fill)


@pytest.fixture
def first(written: Database, filled: Filled) -> Database:
    """A machine that has published, written and scored."""

    def fill() -> None:
        score(written, "run-a")
        score(written, "reference:testwiki-2026-09", value=90)

    return filled("first", written, fill)


@pytest.fixture
def third(empty: Path, tmp_path: Path) -> Database:
    """A machine whose database is empty."""
    return with_own_id(Database(shutil.copy(empty, tmp_path / "third.duckdb")))


@pytest.fixture
def second(written: Database, tmp_path: Path) -> Database:
    """Another one, with the same snapshot, that has done nothing yet."""
    other = Path(shutil.copy(written.path, tmp_path / "second.duckdb"))
    with with_own_id(Database(other)).write() as connection:
        for table in (
            "runs",
            "completions",
            "scores",
            "run_scores",
            "scorings",
            "stored_summaries",
            "page_means",
            "page_gaps",
        ):
            connection.execute(f"delete from {table}")  # noqa: S608 (our own names)
    return Database(other)
