"""Test whether an evaluator still judges a sentence negative after some of its words have been swapped (table 3)."""

import hashlib
import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from evaluators import statistics
from evaluators.group_differences import welch_p
from evaluators.scoring import score
from flows.experiments.evaluations import Evaluations
from flows.experiments.fairness.request import FairnessRequest
from flows.experiments.fairness.result_tables import FairnessSetting, FairnessSwap
from flows.scoring.loaded_evaluators import LoadedEvaluators
from flows.scoring.prompted_sentences import scored_sentence
from newwiki.prompting.prompt_set import GroupPrompt, JudgedText
from newwiki.registry import Evaluator
from storage import prompt_sets
from storage.database import Database

PERCENT = (0, 10, 20, 30, 40, 50)
REPETITIONS = 10

Array = NDArray[np.float64]


def swaps(
    evaluations: Evaluations,
    settings: Sequence[FairnessSetting],
    prompts: Sequence[GroupPrompt],
    evaluators: Sequence[Evaluator],
    request: FairnessRequest,
) -> Iterator[FairnessSwap]:
    """Yield the swaps for each metric that classifies a sentence as negative; stored scores are reused."""
    judging = [evaluator for evaluator in evaluators if evaluator.metrics[0].unit == "share of texts"]
    count, seed = request.swap_texts, request.seed
    drawn = _drawn(evaluations.database, settings, prompts, count, request.judged) if judging and count else []
    if not drawn:
        return
    loaded = LoadedEvaluators(judging, evaluations.settings, len(drawn))
    pages = [page for page, _ in drawn]
    values = _scored(evaluations, loaded, [sentence for _, sentence in drawn], seed)
    for metric in (evaluator.metrics[0].name for evaluator in judging):
        for percent in PERCENT:
            repeated = [values[metric, percent, turn] for turn in turns(percent)]
            if np.isfinite([values[metric, 0, 0], *repeated]).all(axis=0).any():
                yield _swap(metric, percent, pages, values[metric, 0, 0], repeated)


def turns(percent: int) -> range:
    return range(REPETITIONS if percent else 1)


def swapped(sentence: str, percent: int, seed: int) -> str:
    """Exchange this share of the sentence's words, at least two: words are drawn, and each takes the place of the next.

    Source: Dhamala et al. 2022, appendix C.
    """
    words = sentence.split()
    count = max(2, round(len(words) * percent / 100))
    if not percent or len(words) < 2:
        return sentence
    digest = hashlib.sha256(f"{seed} {percent} {sentence}".encode()).digest()
    places = np.random.default_rng(int.from_bytes(digest[:8], "big")).permutation(len(words))[:count]
    moved = list(words)
    for place, other in zip(places, np.roll(places, 1), strict=True):
        moved[place] = words[other]
    return " ".join(moved)


def _drawn(
    database: Database,
    settings: Sequence[FairnessSetting],
    prompts: Sequence[GroupPrompt],
    count: int,
    judged: JudgedText,
) -> list[tuple[int, str]]:
    """Draw `count` sentences of all runs with the numbers of their prompts; the draw is deterministic."""
    by_page = {prompt.page_id: prompt for prompt in prompts}
    runs = dict.fromkeys(setting.run_id for setting in settings)
    keys = [
        (hashlib.sha256(f"{run_id} {page} {sample}".encode()).digest(), page, text)
        for run_id in runs
        for page, sample, text in database.rows("run_texts", run_id)
    ]
    drawn = []
    for _, page, text in sorted(keys, key=lambda key: key[0]):
        _, sentence = scored_sentence(by_page[page].prompt, text, by_page[page].hidden, judged)
        if sentence:
            drawn.append((page, sentence))
        if len(drawn) == count:
            break
    return drawn


def _scored(
    evaluations: Evaluations, loaded: LoadedEvaluators, sentences: Sequence[str], seed: int
) -> Mapping[tuple[str, int, int], Array]:
    """Return a number for each sentence, by metric, percent and repetition."""
    names = {
        evaluator.metrics[0].name: loaded.fingerprints[evaluator.name].evaluator_id for evaluator in loaded.evaluators
    }
    texts_sha256 = hashlib.sha256(repr([seed, list(sentences)]).encode()).hexdigest()
    stored = prompt_sets.stored_swaps(evaluations.database, texts_sha256, list(names.values()))
    lacking = {
        (percent, turn): [
            evaluator for evaluator in loaded.evaluators if (evaluator.metrics[0].name, percent, turn) not in stored
        ]
        for percent in PERCENT
        for turn in turns(percent)
    }
    todo = {key: judging for key, judging in lacking.items() if judging}
    if todo:
        with evaluations.progress.stretch("scoring sentences with swapped words", "repetitions") as bar:
            for done, ((percent, turn), judging) in enumerate(todo.items(), start=1):
                numbers = scored_texts(
                    loaded, judging, [swapped(sentence, percent, seed + turn) for sentence in sentences]
                )
                rows = {name: (names[name], values) for name, values in numbers.items()}
                prompt_sets.keep_swaps(evaluations.database, texts_sha256, percent, turn, rows)
                stored |= {(name, percent, turn): values for name, values in numbers.items()}
                bar.update(done, len(todo))
    return {key: np.array(values, float) for key, values in stored.items()}


def scored_texts(
    loaded: LoadedEvaluators, evaluators: Sequence[Evaluator], texts: Sequence[str]
) -> dict[str, list[float]]:
    """Return, by metric, a number for each text; NaN for a text without one."""
    analyses = loaded.analyse(texts, [""] * len(texts), evaluators)
    keys = [(at, 0) for at in range(len(texts))]
    scores = score(evaluators, loaded.fingerprints, keys, analyses, dict(enumerate(analyses)))
    numbers: dict[str, list[float]] = {evaluator.metrics[0].name: [math.nan] * len(texts) for evaluator in evaluators}
    for row in scores:
        if row.value is not None:
            numbers[row.metric][row.page_id] = row.value
    return numbers


def _swap(metric: str, percent: int, pages: Sequence[int], plain: Array, values: Sequence[Array]) -> FairnessSwap:
    known = np.isfinite([plain, *values]).all(axis=0)
    clusters, means = np.array(pages)[known], [float(repetition[known].mean()) for repetition in values]
    baseline = float(plain[known].mean())
    apart = np.mean(values, axis=0)[known] - plain[known]
    estimate = statistics.estimate(*statistics.by_cluster(apart, clusters)).at()
    is_swapped = percent > 0
    return FairnessSwap(
        metric=metric,
        swapped=percent,
        texts=int(known.sum()),
        prompts=len(set(clusters)),
        repetitions=len(values),
        share=float(np.mean(means)),
        sd=float(np.std(means, ddof=1)) if is_swapped else None,
        difference=float(np.mean(means)) - baseline if is_swapped else None,
        low=estimate.low if is_swapped else None,
        high=estimate.high if is_swapped else None,
        no_interval=estimate.lacking if is_swapped else None,
        p=welch_p(means, baseline) if is_swapped else None,
    )
