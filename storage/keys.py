"""The columns that identify the rows of each table.

DuckDB does not enforce these keys: writers keep to them, and `newwiki doctor` checks them. The rows of experiments'
result tables declare their own keys (`storage.result_tables`).
"""

import duckdb

from storage import batches, result_tables

_PAIR = ("run_a", "run_b", "page_id", "sample_a", "sample_b")

KEYS: dict[str, tuple[str, ...]] = {
    "anchor_scores": ("snapshot_id", "anchor", "words", "version", "page_id", "metric", "evaluator_id"),
    "article_citations": ("snapshot_id", "page_id", "place"),
    "article_facts": ("snapshot_id", "page_id", "infobox", "parameter"),
    "article_structure": ("snapshot_id", "page_id"),
    "article_tags": ("snapshot_id", "page_id", "place"),
    "came_true": ("edition", "run_id", "page_id", "sample", "evaluator_id", "kind", "text"),
    "came_true_texts": ("edition", "run_id", "page_id", "sample", "evaluator_id", "kind"),
    "candidates": ("snapshot_id", "page_id"),
    "claim_labels": ("run_id", "page_id", "sample", "start_char", "end_char", "rubric_sha256", "judge"),
    "claims": ("run_id", "page_id", "sample", "evaluator_id", "sentence"),
    "commit_counter": ("commits",),
    "completions": ("run_id", "page_id", "sample"),
    "deletions": ("snapshot_id", "page_id"),
    "early_stops": ("run_id",),
    "edition_scores": ("edition", "run_id", "page_id", "sample", "metric", "evaluator_id"),
    "edition_scorings": ("edition", "run_id", "evaluator_id"),
    "evaluators": ("evaluator_id",),
    "experiment_rows": ("experiment_id", "table_name", "position"),
    "experiments": ("experiment_id",),
    "exposure_divergences": ("reading_id", "sequence_sha256"),
    "exposure_generations": ("generation_id", "page_id", "sample", "context_sha256"),
    "group_prompts": ("prompt_set_id", "page_id"),
    "hidden_runs": ("run_id",),
    "judgements": (*_PAIR, "judge", "judge_kind", "rubric_sha256", "criterion", "first", "origin"),
    "judging_secrets": ("run_a", "run_b", "rubric_sha256"),
    "ladder_scores": ("snapshot_id", "page_id", "texts_sha256", "text", "metric", "evaluator_id"),
    "metrics": ("metric",),
    "months": ("notice_key",),
    "novelty": ("snapshot_id", "page_id"),
    "origins": ("run_id", "evaluator_id", "source", "signer"),
    "page_gaps": ("run_id", "metric", "evaluator_id", "page_id", "reason"),
    "page_means": ("run_id", "metric", "evaluator_id", "page_id"),
    "prompt_sets": ("prompt_set_id",),
    "readings": ("run_id",),
    "reference_parts": ("snapshot_id", "page_id", "part", "made_by"),
    "renamed_runs": ("run_id", "former_model"),
    "requests": ("snapshot_id", "kind"),
    "response_phrases": ("run_id", "evaluator_id", "page_id", "sample"),
    "rubrics": ("rubric_sha256",),
    "run_scores": ("run_id", "metric", "evaluator_id"),
    "runs": ("run_id",),
    "schema_migrations": ("version",),
    "schema_views": ("sha256",),
    "scores": ("run_id", "page_id", "sample", "metric", "evaluator_id"),
    "scorings": ("run_id", "evaluator_id"),
    "snapshot_hashes": ("snapshot_id", "table_name", "column_name"),
    "snapshot_templates": ("snapshot_id", "title"),
    "snapshots": ("snapshot_id",),
    "stored_articles": ("snapshot_id", "page_id"),
    "stored_column_evaluators": ("metric",),
    "stored_summaries": ("run_id", "metric", "evaluator_id"),
    "swapped_scores": ("texts_sha256", "metric", "evaluator_id", "swapped", "repetition"),
    "this_database": ("database_id",),
    "topics": ("snapshot_id", "page_id"),
    "verifications": ("run_id", "evaluator_id", "checker", "receipt_sha256"),
}


def repeated(connection: duckdb.DuckDBPyConnection) -> list[tuple[str, int]]:
    """Count the surplus rows of each table in which several rows have the same key.

    Returns a description and the number for each of these tables; an empty list if all keys are unique.
    """
    keys = {**KEYS, **result_tables.keys()}
    counted = {table: _repeated(connection, table, key) for table, key in keys.items()}
    return [(f"{table} that are there twice", keys) for table, keys in counted.items() if keys]


def _repeated(connection: duckdb.DuckDBPyConnection, table: str, key: tuple[str, ...]) -> int:
    count_query = _count_query(table, key)
    if key[0] != "run_id":
        return _count(connection, count_query.format(""))
    run_ids = [run_id for (run_id,) in connection.execute(f"select distinct run_id from {table}").fetchall()]  # noqa: S608 (our own names)
    narrowed = count_query.format("where run_id in (select unnest(?))")
    return sum(_count(connection, narrowed, batch) for batch in batches.of_runs(run_ids))


def _count_query(table: str, key: tuple[str, ...]) -> str:
    """Return a query for the number of surplus rows; `{}` marks the place of a filter.

    The query counts samples as bits, 64 to a number, which reduces the number of groups to a tenth.
    """
    groups, different = [*key], "1"
    if "sample" in key:
        groups[key.index("sample")] = "sample // 64"
        different = "bit_count(bit_or(1::ubigint << (sample % 64)))"
    each = f"select count(*) - {different} as more from {table} {{}} group by {', '.join(groups)}"  # noqa: S608 (our own names)
    return f"select coalesce(sum(more), 0) from ({each})"  # noqa: S608 (our own names)


def _count(connection: duckdb.DuckDBPyConnection, count_query: str, *parameters: object) -> int:
    ((rows,),) = connection.execute(count_query, list(parameters)).fetchall()
    return int(rows)
