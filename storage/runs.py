"""Store runs with their completions and scores, in batches, so that an interrupted run resumes after the last batch."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, fields
from datetime import datetime
from typing import Any

import duckdb
import pyarrow as pa

from newwiki.errors import UsageError, did_you_mean
from newwiki.models.backend import StoredAnswers
from newwiki.records import CheckedClaim, Completion, Fingerprint, Metric, Run, RunScore, Score
from newwiki.snapshot import Article
from storage import liveness, newest, short_forms, snapshots, summaries
from storage.database import Database, insert, insert_arrow, insert_new
from storage.migrate import create_views
from storage.prompt_sets import is_prompt_set
from storage.queries import first_row, query, records


def status(database: Database, run_id: str) -> str | None:
    """Return `running`, `complete`, `failed`, `interrupted` or `stopped`.

    Returns None for a run that was never started, and if there is no database yet.
    """
    if not database.is_there:
        return None
    with database.read() as connection:
        row = first_row(connection.execute("select status, heard_at, process from runs where run_id = ?", [run_id]))
    return liveness.state(*row) if row else None


def stored_model(database: Database, run_id: str) -> str | None:
    """Return the name under which a run's model is stored, or None if the run was never started.

    Another folder with the same weights and settings has the same run.
    """
    if not database.is_there:
        return None
    with database.read() as connection:
        row = first_row(connection.execute("select model from runs where run_id = ?", [run_id]))
    return str(row[0]) if row else None


def interrupted(database: Database) -> list[tuple[str, datetime | None]]:
    """Return the runs that were started and that no process is writing, each with the time of its last heartbeat."""
    with database.read() as connection:
        return _interrupted(connection)


def unfinished(database: Database, run_ids: Sequence[str]) -> list[str]:
    """Return those of these runs that were started and are not complete."""
    if not database.is_there:
        return []
    with database.read():
        return [run_id for run_id in run_ids if status(database, run_id) not in (None, "complete")]


def complete_runs(database: Database) -> tuple[list[str], list[str], list[str]]:
    """Return the ids of all complete runs that have written texts, in three lists.

    The lists are: runs whose articles are stored, runs that came with their own references, and runs on prompt sets.
    """
    rows = database.rows("complete_runs")
    prompted = [run_id for run_id, name, _ in rows if is_prompt_set(name)]
    others = [(run_id, stored) for run_id, name, stored in rows if not is_prompt_set(name)]
    return (
        [run_id for run_id, stored in others if stored],
        [run_id for run_id, stored in others if not stored],
        prompted,
    )


def with_articles(database: Database, run_id: str) -> tuple[Run, list[Article]]:
    """Return a complete run and its articles. Raises UsageError if there is no such run, or if it has no articles."""
    with database.read() as connection:
        names = ", ".join(field.name for field in fields(Run))
        runs = records(Run, connection.execute(f"select {names} from runs where run_id = ?", [run_id]))  # noqa: S608 (our own names)
        known = [name for (name,) in connection.execute("select run_id from runs").fetchall()]
    if not runs:
        raise UsageError(f"there is no run '{run_id}'{did_you_mean(run_id, known)}; `newwiki list runs` lists the runs")
    [run] = runs
    if run.samples == 0:
        raise UsageError(
            f"run {run_id} only read articles and has no texts; score it with `newwiki evaluate --likelihood-only`"
        )
    if status(database, run_id) != "complete":
        raise UsageError(f"run {run_id} is not complete; repeat the `newwiki evaluate` command that started it")
    if is_prompt_set(run.snapshot_id):
        raise UsageError(f"run {run_id} uses a prompt set and no articles; score it with `newwiki experiment fairness`")
    written = {page_id for (page_id,) in database.rows("written_pages", run_id)}
    articles = [article for article in snapshots.articles(database, run.snapshot_id) if article.page_id in written]
    if not articles:
        raise UsageError(f"run {run_id} has its own references; score its file again with `newwiki score FILE.jsonl`")
    return run, articles


def start(database: Database, run: Run) -> None:
    """Record the run as running.

    An interrupted or failed run resumes, and its `versions` then contain `resumed`, because its times no longer show
    how fast it was written. A complete run stays complete. Other runs whose process has died are marked as interrupted.
    """
    with database.write() as connection:
        for dead, _ in _interrupted(connection):
            connection.execute("update runs set status = 'interrupted', process = null where run_id = ?", [dead])
        row = first_row(connection.execute("select status from runs where run_id = ?", [run.run_id]))
        if not row:
            insert(connection, "runs", [run], status="running")
            connection.execute("update runs set started_at = now() where run_id = ?", [run.run_id])
            connection.execute(query("fill_protocol"), [run.run_id])
            short_forms.enter(connection, run.run_id)
        elif row[0] != "complete":
            connection.execute(query("resume_run"), [run.run_id])
        if not row or row[0] != "complete":
            connection.execute(query("hear"), [liveness.this_process(), run.run_id])


def stored_completions(database: Database, run_id: str) -> set[tuple[int, int]]:
    """Return the (page id, sample) pairs whose completions are stored."""
    return set(database.rows("stored_completions", run_id))


def stored_answers(database: Database, run_id: str) -> StoredAnswers:
    """Return what is stored of a run whose texts a server writes."""
    [(completions, served_by, *tokens)] = database.rows("stored_answers", run_id)
    return StoredAnswers(completions, tuple(served_by), *tokens)


def server_batches(database: Database, run_id: str) -> tuple[str, ...]:
    """Return the ids of the batches of a run at its server, in the order in which they were sent."""
    return tuple(batch_id for (batch_id,) in database.rows("server_batches", run_id))


def add_server_batch(database: Database, run_id: str, batch_id: str) -> None:
    """Store the id of a batch, before its server has answered it."""
    with database.write() as connection:
        connection.execute(query("add_server_batch"), [batch_id, run_id])


def add_completions(database: Database, run_id: str, completions: Sequence[Completion]) -> None:
    with database.write() as connection:
        insert_new(connection, "completions", completions, run_id=run_id)
        connection.execute(query("hear"), [liveness.this_process(), run_id])


def complete(database: Database, run_id: str, keep: int) -> None:
    """Mark the `keep` longest completions of each prompt as kept, and the run as complete."""
    with database.write() as connection:
        connection.execute(query("mark_kept"), [keep, run_id])
        connection.execute(query("count_texts"), [run_id])
        connection.execute(query("end_run"), ["complete", run_id])
        newest.enter(connection)


def keep_longest(database: Database, run_id: str, keep: int, pages: Iterable[int]) -> None:
    """Mark the `keep` longest completions of each of these prompts as kept. The run stays incomplete."""
    with database.write() as connection:
        connection.execute(query("mark_kept_of_pages"), [keep, run_id, list(pages)])


def fail(database: Database, run_id: str) -> None:
    """Mark the run as failed. Its completions stay."""
    with database.write() as connection:
        connection.execute(query("end_run"), ["failed", run_id])


def interrupt(database: Database, run_id: str) -> None:
    """Mark the run as interrupted. Its completions stay, and the run can be resumed."""
    with database.write() as connection:
        connection.execute(query("end_run"), ["interrupted", run_id])


def _interrupted(connection: duckdb.DuckDBPyConnection) -> list[tuple[str, datetime | None]]:
    rows = connection.execute(query("unfinished_runs")).fetchall()
    return [
        (run_id, heard_at)
        for run_id, stored, heard_at, process in rows
        if liveness.state(stored, heard_at, process) != "running"
    ]


def kept_completions(database: Database, run_id: str) -> list[tuple[int, int]]:
    """Return the (page id, sample) pairs of the kept completions, ordered by page and sample."""
    return [(page_id, sample) for page_id, sample in database.rows("kept_completions", run_id)]


def kept_texts(database: Database, run_id: str, first_page: int, last_page: int) -> dict[tuple[int, int], str]:
    """Return the texts of the kept completions by (page id, sample), for the pages from `first_page` to `last_page`."""
    rows = database.rows("kept_texts", run_id, first_page, last_page)
    return {(page_id, sample): text for page_id, sample, text in rows}


def is_registered(database: Database, fingerprints: Iterable[Fingerprint], metrics: Iterable[Metric]) -> bool:
    """Return whether these evaluators and metrics are stored with the same content."""
    with database.read() as connection:
        entered = {name for (name,) in connection.execute("select evaluator_id from evaluators").fetchall()}
        stored = _stored_metrics(connection)
    return all(fingerprint.evaluator_id in entered for fingerprint in fingerprints) and all(
        metric in stored for metric in metrics
    )


def register(database: Database, fingerprints: Iterable[Fingerprint], metrics: Iterable[Metric]) -> None:
    """Store evaluators and metrics that are new, and add a column for each new metric to the views."""
    metrics = list(metrics)
    rows = [
        asdict(fingerprint)
        | {
            "parameters": json.dumps(fingerprint.parameters, sort_keys=True),
            "dependencies": json.dumps(fingerprint.dependencies, sort_keys=True),
        }
        for fingerprint in fingerprints
    ]
    if _are_registered(database, rows, metrics):
        return
    with database.write() as connection:
        if rows:
            insert_new(connection, "evaluators", pa.Table.from_pylist(rows))
        stored = _stored_metrics(connection)
        changed = [metric for metric in metrics if metric not in stored]
        for metric in changed:
            connection.execute("delete from metrics where metric = ?", [metric.name])
            row = asdict(metric)
            insert_arrow(connection, "metrics", pa.Table.from_pylist([{"metric": row.pop("name"), **row}]))
        if changed:
            create_views(connection, only_metrics=True)


def _are_registered(database: Database, rows: Sequence[Mapping[str, Any]], metrics: Iterable[Metric]) -> bool:
    """Return whether everything is stored already, so that no transaction is needed."""
    if not database.is_there:
        return False
    with database.read() as connection:
        evaluators = {name for (name,) in connection.execute("select evaluator_id from evaluators").fetchall()}
        stored = _stored_metrics(connection)
    return all(row["evaluator_id"] in evaluators for row in rows) and all(metric in stored for metric in metrics)


def _stored_metrics(connection: duckdb.DuckDBPyConnection) -> list[Metric]:
    return records(Metric, connection.execute("select metric as name, * exclude (metric) from metrics"))


def finished_scorings(database: Database, run_id: str) -> set[str]:
    """Return the ids of the evaluators that have scored the whole run."""
    with database.read() as connection:
        rows = connection.execute("select evaluator_id from scorings where run_id = ?", [run_id]).fetchall()
    return {evaluator_id for (evaluator_id,) in rows}


def scored_texts(database: Database, run_id: str, evaluator_ids: Iterable[str]) -> dict[str, set[tuple[int, int]]]:
    """Return the (page id, sample) pairs that each evaluator has scored, by evaluator id."""
    scored: dict[str, set[tuple[int, int]]] = {name: set() for name in evaluator_ids}
    for name, page_id, sample in database.rows("scored_texts", run_id, list(scored)):
        scored[name].add((page_id, sample))
    return scored


def add_scores(database: Database, run_id: str, scores: Sequence[Score], claims: Sequence[CheckedClaim] = ()) -> None:
    """Store scores, and the verdicts on claims that they count, in one transaction.

    If the scores add to a finished scoring, its summaries are updated in the same transaction.
    """
    with database.write() as connection:
        insert_new(connection, "scores", scores, run_id=run_id)
        insert_new(connection, "claims", claims, run_id=run_id)
        summaries.renew_finished(connection, run_id, {score.evaluator_id for score in scores})


def set_scored(database: Database, run_id: str) -> dict[str, int]:
    """Return the number of scored texts by the id of each set evaluator that has scored the run."""
    return dict(database.rows("set_scored", run_id))


def add_run_scores(database: Database, run_id: str, scores: Sequence[RunScore]) -> None:
    """Store the scores of set evaluators, replacing their earlier scores of the run."""
    if scores:
        with database.write() as connection:
            ids = sorted({score.evaluator_id for score in scores})
            connection.execute(
                "delete from run_scores where run_id = ? and evaluator_id in (select unnest(?))", [run_id, ids]
            )
            insert(connection, "run_scores", scores, run_id=run_id)
            summaries.choose_columns(connection)


def finish_scoring(database: Database, run_id: str, evaluator_ids: Iterable[str]) -> None:
    """Record that these evaluators have scored the whole run, and store the summaries of their scores.

    An evaluator that was recorded before keeps its time of completion.
    """
    if finished := sorted(evaluator_ids):
        with database.write() as connection:
            entered = connection.execute(query("finish_scoring"), [run_id, finished, run_id]).fetchall()
            summaries.store(connection, run_id, [evaluator_id for (evaluator_id,) in entered])
