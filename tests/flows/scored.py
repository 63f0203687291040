"""Runs with made-up scores, stored the way that a scoring stores them."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from newwiki.records import Fingerprint, Metric, Run, Score
from storage import runs, short_forms, summaries
from storage.comparison import contenders
from storage.database import Database, insert
from storage.queries import query
from storage.run_names import Contender

SNAPSHOT = "samplewiki-2026-09"
RULES = Fingerprint("evaluator-rules", "density", "1", "rules-v1", dependencies={"regex": "1"})
SPACY = Fingerprint("evaluator-spacy", "density", "1", "spacy:en_two_cities-1.0", dependencies={"spacy": "3"})


def pair(database: Database, one: str, other: str) -> tuple[Contender, Contender]:
    first, second = contenders(database, [one, other])
    return first, second


def add_run(database: Database, run_id: str, decoder: str = "greedy", **changes: Any) -> str:
    runs.start(database, made_up_run(run_id, decoder, **changes))
    return run_id


def add_scored_runs(
    database: Database,
    scores: Mapping[str, Mapping[str, ArrayLike]],
    by: Fingerprint = RULES,
    about: Mapping[str, Mapping[str, Any]] | None = None,
    first_pages: Mapping[str, int] | None = None,
) -> None:
    """Stores many runs with their scores, by run and metric, in one transaction; `about` has what a run has of its own,
    and `first_pages` the number of its first page where it is not 1. A `reference:` gets scores alone."""
    metrics = {name for of_run in scores.values() for name in of_run}
    runs.register(database, [by], [Metric(name, "", None, None, "higher", "", "") for name in sorted(metrics)])
    with database.write() as connection:
        for run_id, of_run in scores.items():
            if not run_id.startswith("reference:"):
                of_run_itself = {"decoder": "greedy"} | dict((about or {}).get(run_id, {}))
                insert(connection, "runs", [made_up_run(run_id, **of_run_itself)], status="complete")
                connection.execute(query("fill_protocol"), [run_id])
                short_forms.enter(connection, run_id)
            insert(connection, "scores", _rows(of_run, by, (first_pages or {}).get(run_id, 1)), run_id=run_id)
            connection.execute("insert into scorings values (?, ?, now())", [run_id, by.evaluator_id])
            summaries.store(connection, run_id, [by.evaluator_id])


def score(
    database: Database,
    run_id: str,
    scores: Mapping[str, ArrayLike],
    by: Fingerprint = RULES,
    direction: Any = "higher",
) -> None:
    """Stores a scoring: each metric's numbers are prompts × samples, or one a prompt; NaN is one that cannot be had."""
    with database.write():
        runs.register(database, [by], [Metric(name, "", None, None, direction, "", "") for name in scores])
        runs.add_scores(database, run_id, _rows(scores, by))
        runs.finish_scoring(database, run_id, {by.evaluator_id})


def _rows(scores: Mapping[str, ArrayLike], by: Fingerprint, first_page: int = 1) -> list[Score]:
    return [
        Score(
            first_page + page,
            sample,
            name,
            None if np.isnan(value) else float(value),
            "no_number" if np.isnan(value) else "ok",
            by.evaluator_id,
        )
        for name, values in scores.items()
        for (page, sample), value in np.ndenumerate(np.asarray(values, float).reshape(len(np.asarray(values)), -1))
    ]


def made_up_run(run_id: str, decoder: str, **changes: Any) -> Run:
    values: dict[str, Any] = {
        "snapshot_id": SNAPSHOT,
        "model": "models/toy",
        "model_sha256": "0" * 64,
        "backend": "hf",
        "decoder": decoder,
        "decoder_parameters": "{}",
        "prompt_template": "{title}",
        "prompts": 3,
        "seed": 0,
        "samples": 1,
        "keep": 1,
        "max_new_tokens": 8,
        "dtype": "float32",
        "versions": "{}",
    }
    return Run(run_id=run_id, **values | changes)
