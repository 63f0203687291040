"""`newwiki sql`: a question to the database in SQL."""

import click

from flows import tables
from flows.options import common, form_option, open_database
from newwiki.settings import Settings


@click.command()
@click.argument("query")
@common
@form_option
def sql(settings: Settings, quiet: bool, form: str, query: str) -> None:
    """Ask the database a question in SQL. It can read, and nothing else."""
    import duckdb

    with open_database(settings).fenced() as connection:
        try:
            cursor = connection.execute(query)
            rows = cursor.fetchall()
            columns = [column[0] for column in cursor.description or []]
        except duckdb.Error as error:
            raise click.ClickException(f"the query is refused: {error}") from None
    tables.show(columns, rows, form)
