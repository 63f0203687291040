"""What is in the database, as Arrow tables."""

import pyarrow as pa

from flows.api.opening import PathLike, database_at, opened, rows_of


def snapshots(*, db: PathLike | None = None) -> pa.Table:
    """All snapshots, the newest window first."""
    return database_at(db).table("snapshot_list")


def articles(snapshot: str = "latest", *, db: PathLike | None = None) -> pa.Table:
    """The articles of a snapshot by page id: titles, first sentences, completions (the references), permanent links."""
    return _of_snapshot("export_articles", snapshot, db)


def candidates(snapshot: str = "latest", *, db: PathLike | None = None) -> pa.Table:
    """Every page that was considered for a snapshot, with its verdict."""
    return _of_snapshot("export_candidates", snapshot, db)


def verify(snapshot: str = "latest", *, db: PathLike | None = None) -> list[str]:
    """What does not agree with what was published; empty where all is as it was."""
    from storage import snapshots as stored

    return stored.verify(database_at(db), snapshot)


def runs(*, db: PathLike | None = None) -> pa.Table:
    """All runs, in the order in which they were begun, scored or not."""
    return database_at(db).table("run_list")


def completions(run: str, *, db: PathLike | None = None) -> pa.Table:
    """What a run has written, with the articles' titles. `run` is named as for `compare`."""
    return _of_run("exported_completions", run, db)


def scores(run: str, *, wide: bool = False, db: PathLike | None = None) -> pa.Table:
    """A run's scores by its newest evaluators, a row a text and metric; with `wide` a row a text, by the evaluators
    whose numbers stand in the columns of the view `scores_wide`."""
    return _of_run("exported_scores_wide" if wide else "exported_scores", run, db)


def metrics(*, db: PathLike | None = None, **settings: str) -> pa.Table:
    """What a text, or a run, can be measured by."""
    from flows import catalogue

    force, _ = opened(db, settings)
    rows = [dict(zip(catalogue.COLUMNS, row, strict=True)) for row in catalogue.rows(force.pair_scorer)]
    return rows_of(rows, catalogue.COLUMNS)


def decoders() -> pa.Table:
    """The decoders with their parameters, defaults, ranges and sources."""
    from flows import catalogue

    columns = catalogue.DECODER_COLUMNS
    return rows_of([dict(zip(columns, map(str, row), strict=True)) for row in catalogue.decoders()], columns)


def query(sql: str, *, db: PathLike | None = None) -> pa.Table:
    """What the database answers. The question can read it, and reach nothing else."""
    import duckdb

    from newwiki.errors import UsageError
    from storage.allowed_statements import refused, split

    with database_at(db).fenced() as connection:
        statements = split(connection, sql)
        if len(statements) != 1:
            raise UsageError(f"a query is one statement, and this is {len(statements)}")
        try:
            return connection.sql(statements[0]).to_arrow_table()
        except duckdb.Error as error:
            raise refused(error) from None


def _of_snapshot(name: str, snapshot: str, db: PathLike | None) -> pa.Table:
    from storage.snapshots import resolve

    database = database_at(db)
    return database.table(name, resolve(database, snapshot).snapshot_id)


def _of_run(name: str, run: str, db: PathLike | None) -> pa.Table:
    from storage.comparison import contenders

    database = database_at(db)
    [found] = contenders(database, [run])
    return database.table(name, found.run_id)
