"""Shared folders that somebody else has written into: parts that were changed, with notes that vouch for them."""

import os
import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as parquet

from storage.shared import Note, SharedFolder, SharedPart
from tests.bundles.attempts import Make, claimed, refused
from tests.bundles.forged_bundles import HOSTILE_NAMES
from tests.bundles.world import World

Row = dict[str, Any]
Change = Callable[[Row], Row]


class ForgedFolder:
    """A copy of the genuine folder, whose parts are changed together with their notes. It is soon taken in, as it has
    the nucleus run alone, unless answers are judged, which are on two."""

    def __init__(self, world: World, folder: Path, *, with_answers: bool = False) -> None:
        others = [f"run_id={run_id}*" for run_id in (world.greedy, world.likelihood)]
        left_out = () if with_answers else (*others, "judgements", "rubrics")
        self.path = Path(shutil.copytree(world.shared, folder / "shared", ignore=shutil.ignore_patterns(*left_out)))
        self.shared = SharedFolder(self.path.as_uri())

    def parts(self, table: str, **keys: str) -> list[Note]:
        return [
            note
            for part, note in self.shared.notes().items()
            if part.table == table and keys.items() <= dict(part.keys).items()
        ]

    def change(self, table: str, change: Callable[[list[Row]], list[Row]], **keys: str) -> Path:
        """Every part of the table under these keys."""
        for note in self.parts(table, **keys):
            rows = self.shared.read(note)
            changed = pa.Table.from_pylist(change(rows.to_pylist()), schema=rows.schema)
            self.shared.write(note.part, changed, note.facts)
        return self.path

    def note(self, table: str) -> Path:
        return self.path / "catalogue" / f"{self.parts(table)[0].part.path}.json"

    def file(self, table: str) -> Path:
        part = self.parts(table)[0].part
        return self.path / part.path / f"{table}.parquet"


def of_rows(table: str, change: Change, run: str = "") -> Make:
    """The genuine folder with every row of a table changed, of all runs or of that one."""

    def make(world: World, folder: Path) -> Path:
        keys = {"run_id": getattr(world, run)} if run else {}
        forged = ForgedFolder(world, folder, with_answers=table == "judgements")
        return forged.change(table, lambda rows: [change(row) for row in rows], **keys)

    return make


def put(**changes: Any) -> Change:
    return lambda row: row | changes


claimed("later folder", "a folder with another model's name")(of_rows("runs", put(model="openai/gpt-9"), "nucleus"))
claimed("later folder", "a folder with scores of 0.999 for repetition")(
    of_rows("scores", put(value=0.999, status="ok"), "nucleus")
)
for name, table, changes, run, pattern in (
    ("another checkpoint", "runs", {"model_sha256": "0" * 64}, "nucleus", "hash|id|weights"),
    ("other texts", "completions", {"text": "Other words than it wrote."}, "nucleus", "words|text"),
    ("an infinite score", "scores", {"value": float("inf"), "status": "ok"}, "nucleus", "finite|range|inf"),
    ("scores of pages that are not there", "scores", {"page_id": 123456}, "nucleus", "page|text|twice"),
    ("a run that is not complete", "runs", {"status": "running"}, "nucleus", "complete|status"),
    ("evaluators of other names", "evaluators", {"name": "trusted"}, "", "hash|fingerprint|id"),
    ("metrics of another direction", "metrics", {"direction": "none", "minimum": -9.0}, "", "metric"),
    ("metrics of hostile scope", "metrics", {"scope": "'; drop table runs; --"}, "", "metric|scope"),
    ("another licence", "snapshots", {"licence_url": "https://evil.example"}, "", "licence|hash|snapshot"),
    ("other facts", "article_facts", {"value": "forged"}, "", "fact|hash"),
):
    refused("later folder" if run else "folder", pattern, f"a folder with {name}")(of_rows(table, put(**changes), run))
refused("later folder", "name|model", "a folder with a model's name: Wikipedia")(
    of_rows("runs", put(model=HOSTILE_NAMES["Wikipedia"]), "nucleus")
)


def _metrics_of_sql(world: World, folder: Path) -> Path:
    """What the review has written a file with: one name makes a mark of the other's place."""
    forged = ForgedFolder(world, folder)
    [note] = forged.parts("metrics", metric="rep_4")
    rows = forged.shared.read(note)
    first = "{value_of_each_metric}, --"
    target = str(folder / "written").replace("'", "''")
    second = f"].mean as x from (select 1); copy (select 1) to '{target}'; --"
    [row] = rows.to_pylist()
    hostile = [row | {"metric": first, "scope": "run"}, row | {"metric": second}]
    forged.shared.write(note.part, pa.Table.from_pylist(hostile, schema=rows.schema), note.facts)
    return forged.path


refused("folder", "metric|name", "a folder with a metric that writes a file")(_metrics_of_sql)


def doubled(table: str, run: str) -> Make:
    def make(world: World, folder: Path) -> Path:
        keys = {"run_id": getattr(world, run)}
        return ForgedFolder(world, folder).change(table, lambda rows: [*rows, *rows], **keys)

    return make


refused("later folder", "twice|row", "a folder with scores twice")(doubled("scores", "nucleus"))


@refused("later folder", "run|key|another")
def _(world: World, folder: Path) -> Path:
    """A folder with completions of another run under a run's name."""
    change = put(run_id=world.greedy)
    return ForgedFolder(world, folder).change(
        "completions", lambda rows: [change(row) for row in rows], run_id=world.nucleus
    )


# Notes and files that are none


def noted(content: bytes) -> Make:
    """The genuine folder with this in the place of a note."""

    def make(world: World, folder: Path) -> Path:
        forged = ForgedFolder(world, folder)
        forged.note("runs").write_bytes(content)
        return forged.path

    return make


def _note(run: str = "y", table: str = "runs", rest: str = f'"sha256": "{"0" * 64}", "facts": {{}}') -> bytes:
    part = f'{{"table": "{table}", "keys": [["snapshot_id", "x"], ["run_id", "{run}"]]}}'
    return f'{{"part": {part}, "rows": 1, {rest}}}'.encode()


for name, content in {
    "cut off": b'{"part": {"tab',
    "empty": b"",
    "a list": b"[1, 2]",
    "without a hash": _note(rest='"facts": {}'),
    "nested 100,000 deep": b'{"part":' * 100_000,
    "not in UTF-8": b"\xff\xfe{}",
    "of a path outside": _note(run="../../../etc"),
    "with a key twice": _note(rest=f'"rows": 2, "sha256": "{"0" * 64}", "facts": {{}}'),
    "with facts that are a number": _note(rest=f'"sha256": "{"0" * 64}", "facts": 5'),
    "of a table that is none": _note(table="x; drop"),
}.items():
    refused("folder", "", f"a note that is {name}")(noted(content))


@refused("later folder", "completions|UTF-8")
def _(world: World, folder: Path) -> Path:
    """A folder with Parquet whose text is no UTF-8."""
    forged = ForgedFolder(world, folder)
    [note] = forged.parts("completions", run_id=world.nucleus)
    rows = forged.shared.read(note)
    broken = pa.Array.from_buffers(
        pa.string(), len(rows), [None, pa.py_buffer(bytes(4 * len(rows)) + b"\2\0\0\0"), pa.py_buffer(b"\xff\xfe")]
    )
    place = rows.column_names.index("text")
    parquet.write_table(rows.set_column(place, "text", broken), forged.path / note.part.path / "completions.parquet")
    return forged.path


@refused("later folder", "Parquet|not what|completions")
def _(world: World, folder: Path) -> Path:
    """A folder with a file that is no Parquet."""
    forged = ForgedFolder(world, folder)
    forged.file("completions").write_bytes(b"PAR1" + bytes(1000) + b"PAR1")
    return forged.path


@refused("later folder", "file|FIFO|not what|regular|cannot")
def _(world: World, folder: Path) -> Path:
    """A folder with a FIFO for a table."""
    forged = ForgedFolder(world, folder)
    path = forged.file("completions")
    path.unlink()
    os.mkfifo(path)
    return forged.path


@refused("later folder", "column|words|type|integer")
def _(world: World, folder: Path) -> Path:
    """A folder with words that are texts."""
    forged = ForgedFolder(world, folder)
    [note] = forged.parts("completions", run_id=world.nucleus)
    rows = forged.shared.read(note)
    place = rows.column_names.index("words")
    texts = pa.array(["many"] * len(rows), pa.string())
    forged.shared.write(note.part, rows.set_column(place, "words", texts), note.facts)
    return forged.path


# Verification and judgements


@claimed("later folder")
def _(world: World, folder: Path) -> Path:
    """A folder that says that it was verified."""
    forged = ForgedFolder(world, folder)
    forged.change("scores", lambda rows: [row | {"value": 0.5, "status": "ok"} for row in rows], run_id=world.nucleus)
    row = {
        "run_id": world.nucleus, "evaluator_id": "5fa0a165e9a49afe", "level": "verified", "confirmed": 12,
        "checked": 12, "total": 12, "draw": None, "checker": "here", "receipt_sha256": "0" * 64,
        "checked_at": datetime(2026, 11, 27, tzinfo=UTC),
    }  # fmt: skip
    forged.shared.write(SharedPart("verifications", (("run_id", world.nucleus),)), pa.Table.from_pylist([row]), {})
    return forged.path


def judged(**changes: Any) -> Make:
    return of_rows("judgements", put(**changes))


refused("pulled twice", "answers", "an answer of the victim's, given otherwise in 2126")(
    judged(answer="tie", judged_at=datetime(2126, 1, 1, tzinfo=UTC))
)
refused("pulled twice", "answers", "an answer of the victim's, given otherwise a second later")(
    of_rows("judgements", lambda row: row | {"answer": "tie", "judged_at": row["judged_at"].replace(year=2027)})
)
refused("pulled answers", "2126|future|judged", "an answer of 2126")(judged(judged_at=datetime(2126, 1, 1, tzinfo=UTC)))
refused("pulled answers", "answer", "an answer that is none")(judged(answer="both"))
refused("pulled answers", "judge|name", "a judge's name with an escape sequence")(judged(judge="\x1b[2Jann"))
