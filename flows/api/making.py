"""What makes something: a snapshot, completions, scores. The functions `run_…` are what the commands call too."""

import pyarrow as pa

from flows.api.arguments import asks
from flows.api.judging import board_table
from flows.api.opening import PathLike, opened
from flows.progress import reporter
from newwiki.request import EvaluationRequest, LeaderboardRequest, RefreshRequest, RevisitRequest, ScoringRequest
from newwiki.settings import Settings
from newwiki.snapshot import Snapshot
from storage.database import Database


@asks(RefreshRequest)
def refresh(request: RefreshRequest, *, db: PathLike | None = None, quiet: bool = False, **settings: str) -> pa.Table:
    """Publishes the pages that were created in a window as a snapshot, and gives its row of `snapshots`.

    One that is published already is given as it is. `dump` may be several files, folders or patterns, which are one.
    Pages that nearly repeat an article of the snapshots `novel_against` are dropped.
    """
    force, database = opened(db, settings)
    return database.table("snapshot_one", run_refresh(request, force, quiet=quiet).snapshot_id)


@asks(RevisitRequest)
def revisit(request: RevisitRequest, *, db: PathLike | None = None, quiet: bool = False, **settings: str) -> pa.Table:
    """Publishes a snapshot's articles as they stand later as an edition of it, scores the snapshot's runs beside both,
    and gives the edition's row of `editions`.

    What is published or scored already is not done again. `edition_differences`, `came_true_by_run` and `came_true` in
    the database hold what came of it.
    """
    force, database = opened(db, settings)
    return database.table("edition_one", run_revisit(request, force, quiet=quiet).snapshot_id)


@asks(EvaluationRequest)
def evaluate(
    request: EvaluationRequest,
    *,
    runner: str | None = None,
    db: PathLike | None = None,
    quiet: bool = False,
    **settings: str,
) -> pa.Table:
    """Lets models write a snapshot's articles under decoders, scores it, and gives the snapshot's leaderboard.

    What is written or scored already is not done again. `batch_size` None means as many as fit. Among the settings are
    `entities`, `embedder`, `embedder_dtype`, `embedder_backend`, `lexicon`, `likelihood_model`, `pair_scorer`,
    `evidence`, `scorers` and `template`. With a `runner` (`processes:2`, `dask:tcp://…`) workers do it,
    through Prefect.
    """
    _require_known(runner)
    force, database = opened(db, settings)
    scorers = run_evaluation(request, force, runner=runner, quiet=quiet)
    return board_table(database, LeaderboardRequest(snapshot=request.snapshot), quiet, scorers)


@asks(ScoringRequest)
def score(
    request: ScoringRequest,
    *,
    runner: str | None = None,
    db: PathLike | None = None,
    quiet: bool = False,
    **settings: str,
) -> pa.Table:
    """Scores stored runs (by id), or JSONL files of texts that were written elsewhere, and gives the leaderboard.

    A `runner` is as for `evaluate`.
    """
    _require_known(runner)
    force, database = opened(db, settings)
    scorers = run_scoring(request, force, runner=runner, quiet=quiet)
    return board_table(database, LeaderboardRequest(), quiet, scorers)


def run_refresh(request: RefreshRequest, settings: Settings, *, prefect: bool = False, quiet: bool = False) -> Snapshot:
    """The snapshot that is asked for. With `prefect` a flow publishes it."""
    from flows.refreshing.which_pages import definition_of, refresh_from

    definition_of(request)  # what is wrong with it is told before Prefect hears of it
    if prefect:
        from flows.refreshing.flow import refresh as flow

        published: Snapshot = flow(request, settings)
        return published
    return refresh_from(Database(settings.db), request, settings, reporter(quiet))


def run_revisit(request: RevisitRequest, settings: Settings, *, quiet: bool = False) -> Snapshot:
    """The edition that is asked for, with the runs on the first scored beside it."""
    from flows.revisiting.publish_edition import asked_for, publish_edition, source_of
    from flows.revisiting.score_edition import score_edition

    database, progress = Database(settings.db), reporter(quiet)
    wanted = asked_for(database, request)
    edition = publish_edition(database, lambda: source_of(database, request, wanted, settings), wanted, progress)
    score_edition(database, wanted.first, edition, request.metrics, settings, progress)
    return edition


def run_evaluation(
    request: EvaluationRequest,
    settings: Settings,
    *,
    runner: str | None = None,
    prefect: bool = False,
    quiet: bool = False,
) -> set[str]:
    """Writes and scores what is missing; gives the ids of the evaluators. With `prefect` or a runner a flow does it."""
    database = Database(settings.db)
    if prefect or runner:
        from flows.evaluating.flow import evaluate_in_flow

        return evaluate_in_flow(database, request, settings, runner=runner, quiet=quiet)
    from flows.evaluating.evaluate_all import evaluate_all

    return evaluate_all(database, request, settings, reporter(quiet))


def run_scoring(
    request: ScoringRequest, settings: Settings, *, runner: str | None = None, quiet: bool = False
) -> set[str]:
    """Scores what is missing; gives the ids of the evaluators. With a runner a flow does it."""
    if runner:
        from flows.scoring.flow import score as flow

        scorers: set[str] = flow(request, settings, runner=runner, quiet=quiet)
        return scorers
    from flows.scoring.score_all import score_all

    return score_all(Database(settings.db), request, settings, reporter(quiet))


def _require_known(runner: str | None) -> None:
    from flows.workers.runners import parse_runner

    if runner:
        parse_runner(runner)
