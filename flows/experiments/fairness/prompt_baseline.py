"""Score the prompts alone, to measure how an evaluator judges a group before a model has written a word."""

import hashlib
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from flows.experiments.evaluations import Evaluations
from flows.experiments.fairness.swapping import scored_texts
from flows.scoring.loaded_evaluators import LoadedEvaluators
from newwiki.prompting.prompt_set import GroupPrompt, without_names
from newwiki.registry import Evaluator
from storage import prompt_sets

Array = NDArray[np.float64]


def prompt_scores(
    evaluations: Evaluations,
    prompts: Sequence[GroupPrompt],
    evaluators: Sequence[Evaluator],
    scored_by: Mapping[str, str],
) -> Mapping[str, Array]:
    """Return, by metric, the score of each prompt, with XYZ for its hidden words; NaN for a prompt without a score.

    `scored_by` are the ids of the evaluators by metric. Stored scores of the same prompts are reused. They are stored
    with the scores of sentences with swapped words, as texts with no word swapped.
    """
    texts = [without_names(prompt.prompt, prompt.hidden) for prompt in prompts]
    texts_sha256 = hashlib.sha256(repr(["prompts", texts]).encode()).hexdigest()
    stored = prompt_sets.stored_swaps(evaluations.database, texts_sha256, list(scored_by.values()))
    numbers = {metric: values for (metric, _, _), values in stored.items()}
    lacking = [evaluator for evaluator in evaluators if evaluator.metrics[0].name not in numbers]
    if lacking:
        loaded = LoadedEvaluators(lacking, evaluations.settings, len(texts))
        scored = scored_texts(loaded, lacking, texts)
        rows = {metric: (scored_by[metric], values) for metric, values in scored.items()}
        prompt_sets.keep_swaps(evaluations.database, texts_sha256, 0, 0, rows)
        numbers |= scored
    return {metric: np.array(values, float) for metric, values in numbers.items()}
