"""The evaluation as a Prefect flow: two tasks a run (generate, score), and the leaderboard as an artifact."""

from collections.abc import Sequence
from pathlib import Path

from prefect import flow, task
from prefect.artifacts import create_table_artifact
from prefect.cache_policies import NO_CACHE

from evaluators.scorer import add_scorers
from flows.crew import crew
from flows.progress import Console
from flows.retrying import RETRIES
from flows.steps import evaluate as steps
from flows.steps import score as scoring
from flows.steps.evaluate_all import evaluate_all
from flows.steps.leaderboard import board
from newwiki.decoding.grammar import Decoder, parse
from newwiki.models.backend import Backend
from newwiki.settings import Settings
from storage import snapshots
from storage.database import Database


@flow(name="newwiki-evaluate", flow_run_name="evaluate on {request.snapshot}")
def evaluate(
    db: str,
    models: Sequence[str],
    decoders: Sequence[str],
    *,
    request: steps.EvaluationRequest,
    settings: Settings,
    metrics: str = "core",
    budget: int = scoring.DEFAULT_BUDGET,
    backend: str = "hf",
    model_arguments: dict[str, str] | None = None,
    runner: str | None = None,
) -> set[str]:
    """Generates and scores every model under every decoder, one after the other; what is done is not done again.

    Gives the ids of the evaluators that scored. With a `runner` (`threads:4`, `dask:tcp://…`, see `flows.runners`) each
    run is cut into shards, which are the tasks.
    """
    database = Database(Path(db))
    if runner:
        add_scorers(settings.scorers)
        console = Console()
        with crew(runner, console) as hired:
            scorers = evaluate_all(
                database, models, decoders, request, settings, console, metrics=metrics, budget=budget, backend=backend,
                arguments=model_arguments, crew=hired,
            )  # fmt: skip
        _show_leaderboard(database, request.snapshot, scorers)
        return scorers
    chosen = [decoder for specification in decoders for decoder in parse(specification)]
    add_scorers(settings.scorers)
    steps.find_models(backend, models, model_arguments or {})
    jury = scoring.Jury(scoring.choose(metrics, settings, Console()), settings, budget)
    for name in models:
        loaded = steps.load_model(backend, name, model_arguments or {})
        for decoder in chosen:
            planned = generate(database, loaded, decoder, request)
            score(database, planned, jury)
    scorers = jury.ids(jury.evaluators)
    _show_leaderboard(database, request.snapshot, scorers)
    return scorers


@task(name="generate", task_run_name="generate {decoder.short}", cache_policy=NO_CACHE, **RETRIES)
def generate(
    database: Database, backend: Backend, decoder: Decoder, request: steps.EvaluationRequest
) -> steps.PlannedRun:
    planned = steps.plan(database, backend, decoder, request)
    steps.generate(database, planned, backend, decoder, Console())
    return planned


@task(name="score", task_run_name="score {planned.run.decoder}", cache_policy=NO_CACHE, **RETRIES)
def score(database: Database, planned: steps.PlannedRun, jury: scoring.Jury) -> None:
    scoring.score_run(database, planned.run, planned.articles, jury, Console())


def _show_leaderboard(database: Database, snapshot: str, scorers: set[str]) -> None:
    name = snapshots.resolve(database, snapshot).snapshot_id
    shown = board(database, name, prefer=scorers)
    table = [{head: record[head] for head in shown.heads} for record in shown.records]
    key = f"leaderboard-{name}".lower().replace("_", "-")
    description = "\n\n".join([f"Every run on {name}, and the articles themselves", *shown.notes])
    create_table_artifact(table=table, key=key, description=description)
