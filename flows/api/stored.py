"""The contents of the database as Arrow tables."""

import pyarrow as pa

from flows.api.opening import PathLike, database_at, opened
from flows.jobs.job import arrow_table


def snapshots(*, db: PathLike | None = None) -> pa.Table:
    """Return all snapshots, the newest window first."""
    return database_at(db).table("snapshot_list")


def articles(snapshot: str = "latest", *, db: PathLike | None = None) -> pa.Table:
    """Return the articles of a snapshot by page id: titles, first sentences, references, permanent links."""
    return _snapshot_table("export_articles", snapshot, db)


def candidates(snapshot: str = "latest", *, db: PathLike | None = None) -> pa.Table:
    """Return every page that was considered for a snapshot, with its verdict."""
    return _snapshot_table("export_candidates", snapshot, db)


def verify(snapshot: str = "latest", *, db: PathLike | None = None) -> list[str]:
    """Verify a snapshot. Returns a sentence for each deviation from what was published; empty if there is none."""
    from storage import snapshots as stored

    return stored.verify(database_at(db), snapshot)


def runs(*, db: PathLike | None = None) -> pa.Table:
    """Return all runs, scored or not, in the order in which they began; `hidden` says which no board shows."""
    return database_at(db).table("run_list")


def completions(run: str, *, snapshot: str | None = None, db: PathLike | None = None) -> pa.Table:
    """Return the completions of a run with the articles' titles. `run` is named as for `compare`."""
    return _run_table("exported_completions", run, snapshot, db)


def scores(run: str, *, wide: bool = False, snapshot: str | None = None, db: PathLike | None = None) -> pa.Table:
    """Return a run's scores by its newest evaluators, a row for each text and metric.

    With `wide` there is a row for each text, with the evaluators of the view `scores_wide`.
    """
    return _run_table("exported_scores_wide" if wide else "exported_scores", run, snapshot, db)


def metrics(*, db: PathLike | None = None, **settings: str) -> pa.Table:
    """Return the metrics of texts and runs, with what they see according to the newest answers in the database."""
    from flows import pieces

    force, database = opened(db, settings)
    table: pa.Table = arrow_table(pieces.COLUMNS, pieces.rows(force.pair_scorer, pieces.sights(database)))
    return table


def decoders() -> pa.Table:
    """Return the decoders with their parameters, defaults, ranges and sources."""
    from flows import pieces

    rows = [[str(cell) for cell in row] for row in pieces.decoders()]
    table: pa.Table = arrow_table(pieces.DECODER_COLUMNS, rows)
    return table


def query(sql: str, *, db: PathLike | None = None, quiet: bool = False) -> pa.Table:
    """Return the rows of a query, which can read the database and reach nothing else. A note says why there are none,
    where that is known."""
    import duckdb

    from flows.progress import reporter
    from flows.querying.why_empty import why_empty
    from newwiki.errors import UsageError
    from storage.allowed_statements import refused, split

    with database_at(db).fenced() as connection:
        statements = split(connection, sql)
        if len(statements) != 1:
            raise UsageError(f"a query is one statement, and this is {len(statements)}: split it")
        try:
            rows = connection.sql(statements[0]).to_arrow_table()
        except duckdb.Error as error:
            raise refused(error) from None
        reason = None if rows.num_rows else why_empty(connection, sql)
    if reason:
        reporter(quiet=quiet).note(reason)
    return rows


def _snapshot_table(name: str, snapshot: str, db: PathLike | None) -> pa.Table:
    from storage.snapshots import resolve

    database = database_at(db)
    return database.table(name, resolve(database, snapshot).snapshot_id)


def _run_table(name: str, run: str, snapshot: str | None, db: PathLike | None) -> pa.Table:
    from storage.comparison import contenders

    database = database_at(db)
    [contender] = contenders(database, [run], snapshot=snapshot)
    return database.table(name, contender.run_id)
