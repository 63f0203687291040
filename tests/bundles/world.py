"""Genuine results of a toy model, in every form in which they reach another person, and what a forger starts from."""

import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

import newwiki
from flows.bundles.keys import make_pair
from flows.bundles.taking_in import take_in
from storage.database import Database
from storage.push import push
from storage.shared import SharedFolder

METRICS = "rep_4,bleu,self_bleu"
SECRET = "secret-of-the-victim-5d1f"
SETTINGS: dict[str, Any] = {"prompts": 3, "max_new_tokens": 10, "batch_size": 8, "metrics": METRICS}
NUCLEUS = "sample:top_k=20,top_p=0.9"
BATCH = "batch"
_DERIVED = ("scores", "run_scores", "scorings", "stored_summaries", "page_means", "page_gaps")


@dataclass(frozen=True)
class World:
    """`greedy`, `nucleus` and `likelihood` are run ids. `copied` is a bundle whose nucleus run has copied its
    references and is scored honestly; `seeds` holds one run of each of two seeds."""

    folder: Path
    checkpoint: Path
    greedy: str
    nucleus: str
    likelihood: str

    @property
    def database(self) -> Path:
        return self.folder / "genuine.duckdb"

    @property
    def bundle(self) -> Path:
        return self.folder / "genuine.newwiki"

    @property
    def one_run(self) -> Path:
        """A database with the nucleus run alone, and no answers of people; to be copied."""
        return self.folder / "one-run.duckdb"

    @property
    def bundle_of_one(self) -> Path:
        """The genuine bundle of the nucleus run alone."""
        return self.folder / "one-run.newwiki"

    @property
    def copied(self) -> Path:
        return self.folder / "copied.newwiki"

    @property
    def shared(self) -> Path:
        return self.folder / "shared"

    @property
    def answers(self) -> Path:
        return self.folder / "answers.csv"

    @property
    def empty(self) -> Path:
        """A database without a row, to be copied."""
        return self.folder / "empty.duckdb"

    @property
    def taken(self) -> Path:
        """A database that holds the genuine bundle, to be copied."""
        return self.folder / "taken.duckdb"

    @property
    def scored(self) -> Path:
        """A database that holds the genuine snapshot, with its articles scored, and no run; to be copied."""
        return self.folder / "scored.duckdb"

    @property
    def unjudged(self) -> Path:
        """A database that holds the genuine results but no answers of people; to be copied."""
        return self.folder / "unjudged.duckdb"

    @property
    def key(self) -> Path:
        return self.folder / "alice"

    @property
    def forgers_key(self) -> Path:
        return self.folder / "mallory"

    @property
    def secret(self) -> Path:
        return self.folder / "private" / "secret.txt"


def build(folder: Path, published: Path, checkpoint: Path) -> World:
    """Evaluates the checkpoint on a published snapshot, and submits, pushes and judges its runs. Takes some seconds."""
    database = Path(shutil.copy(published, folder / "genuine.duckdb"))
    newwiki.evaluate(
        str(checkpoint), decoder=["greedy", NUCLEUS], samples=4, keep=2, db=database, quiet=True, **SETTINGS
    )
    newwiki.evaluate(
        str(checkpoint), decoder="greedy", db=database, quiet=True, **SETTINGS | {"metrics": "bits_per_byte"}
    )
    world = World(folder, checkpoint, *_run_ids(database))
    for key in (world.key, world.forgers_key):
        make_pair(key, database)
    newwiki.submit(world.greedy, world.nucleus, world.likelihood, key=world.key, out=world.bundle, db=database)
    newwiki.submit(world.nucleus, key=world.key, out=world.bundle_of_one, db=database)
    newwiki.export_pairs(
        world.greedy, world.nucleus, batch=BATCH, out=world.answers, across=("samples", "keep"), db=database, quiet=True
    )
    _answer(world.answers)
    newwiki.import_answers(
        world.greedy,
        world.nucleus,
        batch=BATCH,
        answers=world.answers,
        across=("samples", "keep"),
        db=database,
        quiet=True,
    )
    push(Database(database), SharedFolder(world.shared.as_uri()), lambda text: None)
    with Database(world.empty).write():
        pass
    take_in(Database(shutil.copy(world.empty, world.taken)), [world.bundle])
    _leave_out(world)
    _copy_references(world)
    world.secret.parent.mkdir()
    world.secret.write_text(SECRET)
    return world


def _run_ids(database: Path) -> Iterator[str]:
    with duckdb.connect(str(database), read_only=True) as connection:
        for wanted in ("decoder = 'greedy'", "decoder like 'sample%'", "samples = 0"):
            [(run_id,)] = connection.execute(f"select run_id from runs where {wanted}").fetchall()  # noqa: S608
            yield run_id


def _answer(path: Path) -> None:
    """Fills every empty cell of the last columns, the criteria, as a person would."""
    import csv

    with path.open(newline="", encoding="utf-8-sig") as file:
        reader = csv.DictReader(file)
        rows, names = [*reader], [*(reader.fieldnames or ())]
    criteria = [name for name in names if f"question_{name}" in names]
    for number, row in enumerate(rows):
        row.update({"annotator": "ann"} | dict.fromkeys(criteria, "120"[number % 3]))
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, names)
        writer.writeheader()
        writer.writerows(rows)


def _leave_out(world: World) -> None:
    """Write the databases of people who have some of the genuine results, under ids of their own."""
    runs = {
        world.unjudged: "false",
        world.one_run: f"run_id in ('{world.greedy}', '{world.likelihood}')",
        world.scored: "not is_reference(run_id)",
    }
    for path, are_gone in runs.items():
        with duckdb.connect(shutil.copy(world.database, path)) as connection:
            for table in ("runs", "completions", *_DERIVED):
                connection.execute(f"delete from {table} where {are_gone}")  # noqa: S608 (our own names)
            connection.execute("delete from judgements")
            connection.execute("update this_database set database_id = left(md5(?), 12)", [path.stem])


def _copy_references(world: World) -> None:
    """In the place of the nucleus run's texts stand the beginnings of the articles, with their tokens' ids where this
    version stores them; the product scores them."""
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(world.checkpoint)
    database = Path(shutil.copy(world.database, world.folder / "copied.duckdb"))
    with duckdb.connect(str(database)) as connection:
        columns = {row[0] for row in connection.execute("describe completions").fetchall()}
        rows = connection.execute(
            "select page_id, sample, completion from completions join stored_articles using (page_id) where run_id = ?",
            [world.nucleus],
        ).fetchall()
        for page, sample, article in rows:
            ids = tokenizer(f" {article[:400]}")["input_ids"][:10]
            text = tokenizer.decode(ids)
            of_text = {"text": text, "words": len(text.split()), "tokens": 10, "finish_reason": "length"}
            of_text |= {"truncated": True, "kept": sample < 2, "token_ids": ids}
            written = {name: value for name, value in of_text.items() if name in columns}
            connection.execute(
                f"update completions set {', '.join(f'{name} = ?' for name in written)} "  # noqa: S608 (our own names)
                "where run_id = ? and page_id = ? and sample = ?",
                [*written.values(), world.nucleus, page, sample],
            )
        for table in _DERIVED:
            connection.execute(f"delete from {table} where run_id = ?", [world.nucleus])  # noqa: S608
        connection.execute("delete from judgements")
    newwiki.score(run=[world.nucleus], metrics=METRICS, db=database, quiet=True)
    newwiki.submit(world.nucleus, key=world.forgers_key, out=world.copied, db=database)


def rows_of(path: Path, tables: Sequence[str]) -> dict[str, set[str]]:
    """The rows of these tables as texts, to be compared."""
    with duckdb.connect(str(path), read_only=True) as connection:
        return {table: {repr(row) for row in connection.execute(f"from {table}").fetchall()} for table in tables}
