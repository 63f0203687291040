"""Stored runs and files of texts from elsewhere, scored one after the other."""

from collections.abc import Sequence
from pathlib import Path

from flows.progress import Progress
from flows.steps.outside import take_in
from flows.steps.score import DEFAULT_BUDGET, Jury, choose, score_run
from newwiki.errors import UsageError
from newwiki.settings import Settings
from storage import runs
from storage.database import Database


def score_all(
    database: Database,
    settings: Settings,
    progress: Progress,
    *,
    files: Sequence[Path] = (),
    run_ids: Sequence[str] = (),
    missing: bool = False,
    snapshot: str = "latest",
    model: str | None = None,
    decoder: str | None = None,
    metrics: str = "core",
    budget: int = DEFAULT_BUDGET,
) -> set[str]:
    """Scores what lacks scores, of these runs, or with `missing` of every stored one; gives the evaluators' ids.

    A file's texts are about articles of `snapshot`, written by `model` under `decoder`. Raises UsageError where nothing
    is named.
    """
    if not files and not run_ids and not missing:
        raise UsageError("name what to score: a FILE.jsonl, --run ID, or --missing for every stored run")
    jury = Jury(choose(metrics, settings, progress), settings, budget)
    work = [take_in(database, file, snapshot=snapshot, model=model, decoder=decoder) for file in files]
    ids = list(run_ids)
    if missing:
        stored, alone = runs.complete_runs(database)
        ids += stored
        if alone:
            progress.note(f"not scored, as their references are in their files: {', '.join(alone)}")
    work += [runs.with_articles(database, run_id) for run_id in dict.fromkeys(ids)]
    for run, articles in work:
        score_run(database, run, articles, jury, progress)
    return jury.ids(jury.evaluators)
