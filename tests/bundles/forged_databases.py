"""Databases of somebody else: views and macros that would run or read, and rows that were never written."""

# ruff: noqa: S608 (SQL of the forger's own is what is tried)

import shutil
from pathlib import Path

import duckdb

from tests.bundles.attempts import Make, claimed, harmless, refused
from tests.bundles.world import World


def after(*statements: str, of: str = "database") -> Make:
    """A genuine database after these statements; `{secret}` is a private file, `{written}` one that must not be."""

    def make(world: World, folder: Path) -> Path:
        path = Path(shutil.copy(getattr(world, of), folder / "forged.duckdb"))
        with duckdb.connect(str(path)) as connection:
            for statement in statements:
                connection.execute(
                    statement.format(
                        secret=world.secret, written=folder / "written", nucleus=world.nucleus, greedy=world.greedy
                    )
                )
        return path

    return make


_READ = "(select content from read_text('{secret}'))"
_VIEW = f"create or replace view articles as select * replace ({_READ} as title) from stored_articles"
harmless("database", "a view that reads a private file")(after(_VIEW))
refused("database", "view", "a view in the place of a table")(
    after(
        "alter table stored_articles rename to hidden",
        f"create view stored_articles as select * replace ({_READ} as title, {_READ} as completion) from hidden",
    )
)
refused("database", "view", "a view in the place of the runs")(
    after("alter table runs rename to hidden", f"create view runs as select * replace ({_READ} as model) from hidden")
)
_MACRO = f"create or replace macro is_reference(run_id) as starts_with(run_id, {_READ} || 'x') or run_id = {_READ}"
harmless("database", "a macro of ours that reads a private file")(after(_MACRO))


_SHADOWS = [
    f"create macro {name}({parameters}) as {_READ}"
    for name, parameters in (
        ("lower", "a"), ("round", "a, b"), ("concat", "a, b"), ("strftime", "a, b"), ("starts_with", "a, b"),
        ("coalesce", "a, b"), ("list_sort", "a"), ("json_extract_string", "a, b"), ("any_value", "a"), ("max", "a"),
    )
]  # fmt: skip
harmless("database", "macros that shadow DuckDB's functions")(after(*_SHADOWS))
refused("database", "metric", "metrics whose names are marks of a view's text")(
    after(
        "insert into metrics select * replace ('{{value_of_each_metric}}, --' as metric, 'run' as scope) from metrics "
        "limit 1",
        "insert into metrics select * replace ($$].mean as x from (select 1); copy (select 1) to '{written}'; --$$ as "
        "metric) from metrics where metric = 'rep_4'",
    )
)
_MORE = (
    "create table more (a integer default 5, b integer generated always as (a + 1))",
    "create view leaderboard_more as select * from read_text('{secret}')",
)
harmless("database", "a table with a generated column and a hostile default")(after(*_MORE))
harmless("site", "a site of a database with every hostile view and macro")(after(_VIEW, _MACRO, *_MORE, *_SHADOWS))
refused("database", "newer|version|upgrade", "a schema of the future")(
    after("insert into schema_migrations select * replace (9999 as version) from schema_migrations limit 1")
)
refused("database", "lack|table|whole|missing", "a database without completions")(after("drop table completions"))
refused("database", "no|cannot|database", "a file that is no database")(
    lambda world, folder: _written(folder / "forged.duckdb", b"DUCK" + bytes(20_000))
)
refused("database", "no|cannot|database", "a database that is cut off")(
    lambda world, folder: _written(folder / "forged.duckdb", world.database.read_bytes()[:100_000])
)


def _written(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


_COPIED = """
update completions set text = 'The article begins so and so it goes on', words = 9 where run_id = '{nucleus}'
"""
refused("gathered", "contradict|not the same|words|text", "a database with other texts of a genuine run")(
    after(_COPIED, of="one_run")
)
_OF_RUN = ("runs", "completions", "scores", "run_scores", "scorings", "stored_summaries", "page_means", "page_gaps")
_NEW_RUN = [f"update {table} set run_id = 'feedfeedfeedfeed' where run_id = '{{nucleus}}'" for table in _OF_RUN]
refused("gathered", "hash|id", "a database with a run under another id")(after(*_NEW_RUN, of="one_run"))
claimed("gathered", "a database with a run of unknown backend that says that it was verified")(
    after(
        *_NEW_RUN,
        "update runs set backend = 'oracle', model = 'openai/gpt-9' where run_id = 'feedfeedfeedfeed'",
        "insert into verifications by name select run_id, evaluator_id, 'verified' as level, 12 as confirmed, 12 as "
        "checked, 12 as total, 'here' as checker, repeat('0', 64) as receipt_sha256, now() as checked_at from scorings",
        "insert into verifications by name select run_id, '' as evaluator_id, 'verified' as level, 12 as confirmed, 12 "
        "as checked, 12 as total, 'here' as checker, repeat('0', 64) as receipt_sha256, now() as checked_at from runs",
        of="one_run",
    )
)
