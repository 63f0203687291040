"""Load the installed evaluators that have the fingerprints of stored scores."""

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from evaluators.entities import STAND_IN
from flows.progress import Silent
from flows.scoring.loaded_evaluators import LoadedEvaluators, choose
from newwiki.errors import NewWikiError
from newwiki.registry import Evaluator, ReadingEvaluator
from newwiki.settings import Settings


def same_here(
    rows: Collection[Mapping[str, Any]], metrics: str, settings: Settings
) -> tuple[LoadedEvaluators, Mapping[str, str]]:
    """Load the installed evaluators of texts among `metrics` that have the same fingerprint as one of these rows.

    `rows` have the name, the model and the evaluator_id of each evaluator. If their entities come from the stand-in, it
    replaces the tagger of the settings, because every machine has it. Also returns the reason for each evaluator that
    cannot be loaded, by evaluator name.
    """
    if any(STAND_IN in (row["model"] or "").split(" + ") for row in rows):
        settings = replace(settings, entities=STAND_IN)
    names, ids = {row["name"] for row in rows}, {row["evaluator_id"] for row in rows}
    chosen = [
        evaluator
        for evaluator in choose(metrics, settings, Silent())
        if evaluator.name in names and not isinstance(evaluator, ReadingEvaluator)
    ]
    loaded, missing = _loadable(chosen, settings)
    installed = (*loaded.evaluators, *loaded.set_evaluators)
    return loaded.only([evaluator for evaluator in installed if loaded.ids([evaluator]) <= ids]), missing


def _loadable(chosen: Sequence[Evaluator], settings: Settings) -> tuple[LoadedEvaluators, Mapping[str, str]]:
    """Load these evaluators. Also returns the evaluators that cannot be loaded, with the reasons."""
    with suppress(NewWikiError):
        return LoadedEvaluators(chosen, settings), {}
    missing = {}
    for evaluator in chosen:
        try:
            LoadedEvaluators([evaluator], settings)
        except NewWikiError as error:
            missing[evaluator.name] = str(error)
    return LoadedEvaluators([evaluator for evaluator in chosen if evaluator.name not in missing], settings), missing
