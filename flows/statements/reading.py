"""Read the runs' numbers by the paper's metrics, and test the paper's statements on them."""

import hashlib
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path

from flows.comparing.one_evaluator import left_out_words, of_all
from flows.experiments.answer_runs import runs_of
from flows.experiments.experiment import Answer
from flows.statements.numbers import ReadRun, read_numbers
from flows.statements.rows import correlations, setting_numbers
from flows.statements.statement import paper
from flows.statements.verdicts import verdicts
from flows.statements.words import verdict, words
from newwiki.decoding.grammar import parse
from newwiki.errors import TerminalError, UsageError
from newwiki.models.files import parameter_count
from newwiki.paper_metrics import paper_metrics
from newwiki.snapshot import Snapshot
from storage import comparison
from storage.database import Database


def read_run(run_id: str, model: str, model_sha256: str, decoder: str, folders: Mapping[str, Path | None]) -> ReadRun:
    """Return a run with the parameters of its decoder and the size of its model, if they are known."""
    try:
        parameters = parse(decoder)[0].parameters
    except UsageError:
        parameters = {}
    return ReadRun(run_id, model, model_sha256, decoder, parameters, _size(model, folders.get(model)))


def articles_of(snapshot: Snapshot) -> ReadRun:
    return ReadRun(f"reference:{snapshot.snapshot_id}", "Wikipedia", "reference", "reference")


def answer(database: Database, experiment: str, snapshot: Snapshot, runs: Sequence[ReadRun]) -> Answer:
    """Test the statements of the experiment on these runs and on the articles among them.

    Raises TerminalError if the runs have no metric of the paper.
    """
    ids = [run.run_id for run in runs if not run.is_articles]
    by_metric, disputed = of_all(comparison.text_scorings(database, ids), ids)
    evaluators = {
        metric.title: (name, by_metric[name])
        for metric in paper_metrics()
        if (name := next((name for name in metric.here if name in by_metric), None))
    }
    if not evaluators:
        raise TerminalError("no metric of the paper has scores of all these runs; score them: newwiki score --missing")
    numbers = read_numbers(database, runs, evaluators)
    statement_verdicts = verdicts(numbers, paper().of(experiment))
    in_paper = {name for metric in paper_metrics() for name in metric.here}
    return Answer(
        snapshot_id=snapshot.snapshot_id,
        verdict=verdict(statement_verdicts),
        words=[*words(statement_verdicts, numbers), *left_out_words([name for name in disputed if name in in_paper])],
        runs=runs_of(database, ids),
        read={
            "snapshot": snapshot.content_sha256,
            "statements": hashlib.sha256(_statements()).hexdigest(),
            "sizes": {run.run_id: run.size for run in runs},
            "scored": sorted((run.run_id, made_by) for run in runs for _, made_by in evaluators.values()),
        },
        rows=[statement_verdicts, list(setting_numbers(numbers, evaluators)), list(correlations(numbers))],
        units=[len(numbers.pages)],
    )


def _statements() -> bytes:
    return (files("flows.statements") / "statements.toml").read_bytes()


def _size(model: str, folder: Path | None) -> float | None:
    """Return the model's size from its checkpoint, else from the paper's model of this name, else None."""
    checkpoint = folder or (Path(model) if Path(model).is_dir() else None)
    if checkpoint and (count := parameter_count(checkpoint)):
        return count
    return next((paper_model.parameters for paper_model in paper().models if paper_model.is_called(model)), None)
