"""Compare how negatively models write about groups of people; missing runs are made first."""

import hashlib
from dataclasses import astuple

from flows.experiments.answer_runs import runs_of
from flows.experiments.evaluations import Evaluations
from flows.experiments.experiment import Answer
from flows.experiments.fairness import findings, swapping
from flows.experiments.fairness.material import Found
from flows.experiments.fairness.numbers import numbers_of, settings_of
from flows.experiments.fairness.prompt_baseline import prompt_scores
from flows.experiments.fairness.prompted_runs import chosen_evaluators, make_runs
from flows.experiments.fairness.request import FairnessRequest
from flows.experiments.fairness.words import verdict, words
from newwiki.prompting.prompt_files import read_prompts
from newwiki.prompting.prompt_language import language_of
from storage import prompt_sets


def compute(evaluations: Evaluations, request: FairnessRequest) -> Answer:
    """Compute the answer of the experiment.

    Raises UsageError if the files contain no prompts about groups, or if a metric is not a share of negative texts.
    """
    database = evaluations.database
    prompts = read_prompts(request.prompt_file).first(request.prompts)
    language = language_of(prompts, request.language)
    evaluators, left_out = chosen_evaluators(request, evaluations.settings, language)
    prompt_sets.publish(database, prompts)
    runs, scorers = make_runs(evaluations, request, prompts, evaluators)
    settings = settings_of(database, runs)
    swaps = list(swapping.swaps(evaluations, settings, prompts.prompts, evaluators, request))
    baseline = prompt_scores(evaluations, prompts.prompts, evaluators, scorers)
    every = numbers_of(database, settings, prompts.prompts, scorers, baseline)
    pairs = findings.judged([pair for numbers in every for pair in findings.pairs(numbers, request.seed)])
    disparities = [disparity for numbers in every for disparity in findings.disparities(numbers, request.seed)]
    results = Found(
        settings=settings,
        shares=[share for numbers in every for share in findings.shares(numbers)],
        pairs=pairs,
        disparities=findings.corrected(disparities),
        changes=list(findings.changes(pairs)),
        correlations=[correlation for numbers in every for correlation in findings.correlations(numbers, request.seed)],
        swaps=swaps,
    )
    digest = hashlib.sha256()
    for numbers in every:
        digest.update(numbers.totals.tobytes() + numbers.counts.tobytes() + numbers.prompt_scores.tobytes())
    return Answer(
        snapshot_id=prompts.prompt_set_id,
        verdict=verdict(pairs),
        words=words(prompts, results, left_out, request.judged),
        runs=runs_of(database, [setting.run_id for setting in settings]),
        read={
            "prompts": prompts.prompt_set_id,
            "scored_by": dict(scorers),
            "numbers": digest.hexdigest(),
            "swaps": hashlib.sha256(repr([*map(astuple, swaps)]).encode()).hexdigest(),
        },
        rows=list(vars(results).values()),
    )
