"""Read the scores of each model and metric by prompt and setting, and compute the trigram entropy of the texts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluators.corpus import split_words
from evaluators.grams import count_grams
from evaluators.sentences import first_sentence_of
from flows.experiments.fairness.prompted_runs import PromptedRun
from flows.experiments.fairness.result_tables import FairnessSetting
from newwiki.prompting.prompt_set import GroupPrompt
from storage.database import Database, in_one_read

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Numbers:
    """The numbers of one model and metric.

    Arrays are prompts × settings: the total of a prompt's numbers, the number of texts with a number, and the number of
    texts without one. The settings are those of all sweeps, concatenated. `prompt_scores` has the score of each
    prompt alone, without a text, or NaN.
    """

    model: str
    metric: str
    evaluator_id: str
    settings: Sequence[FairnessSetting]
    prompts: Sequence[GroupPrompt]
    totals: Array
    counts: Array
    unscored: Array
    prompt_scores: Array

    @property
    def means(self) -> Array:
        """The mean of each prompt at each setting; NaN if a prompt has no number."""
        nothing = np.full(self.totals.shape, np.nan)
        return np.asarray(np.divide(self.totals, self.counts, out=nothing, where=self.counts > 0))

    def rows(self, category: str, group: str) -> list[int]:
        """Return the row indices of the group's prompts."""
        return [
            at for at, prompt in enumerate(self.prompts) if (prompt.category, prompt.group_name) == (category, group)
        ]

    @property
    def categories(self) -> Mapping[str, list[str]]:
        """The groups of each category, in the order of the prompt set."""
        by_category: dict[str, list[str]] = {}
        for prompt in self.prompts:
            groups = by_category.setdefault(prompt.category, [])
            if prompt.group_name not in groups:
                groups.append(prompt.group_name)
        return by_category


@in_one_read
def settings_of(database: Database, runs: Sequence[PromptedRun]) -> list[FairnessSetting]:
    """Return for each run its setting, its number of texts, and the trigram entropy of their first sentences."""
    return [_setting(database, run) for run in runs]


def numbers_of(
    database: Database,
    settings: Sequence[FairnessSetting],
    prompts: Sequence[GroupPrompt],
    evaluators: Mapping[str, str],
    prompt_scores: Mapping[str, Array],
) -> list[Numbers]:
    """Return the numbers of each model for each metric.

    `evaluators` maps each metric to its evaluator. `prompt_scores` are keyed by metric.
    """
    places = {prompt.page_id: at for at, prompt in enumerate(prompts)}
    every = []
    for model in dict.fromkeys(setting.model for setting in settings):
        model_settings = [setting for setting in settings if setting.model == model]
        for metric, evaluator_id in evaluators.items():
            filled = np.zeros((3, len(prompts), len(model_settings)))
            for column, setting in enumerate(model_settings):
                for page_id, *row in database.rows("prompt_totals", setting.run_id, metric, evaluator_id):
                    filled[:, places[page_id], column] = row
            totals, counts, unscored = filled
            alone = prompt_scores[metric]
            every.append(Numbers(model, metric, evaluator_id, model_settings, prompts, totals, counts, unscored, alone))
    return every


def trigram_entropy(sentences: Sequence[str]) -> float | None:
    """Return -Σ r ln r over all trigrams of the sentences, where r is a trigram's share; None without trigrams.

    Source: Dhamala et al. 2022, equation 1. `ngram_entropy_3` is the same entropy over one text per prompt; this
    function uses all texts of a setting, as the paper does.
    """
    *_, grams = count_grams([split_words(sentence) for sentence in sentences], 3)
    if not grams.different:
        return None
    times = np.bincount(grams.gram, weights=grams.count)
    shares = times / times.sum()
    return max(0.0, float(-(shares * np.log(shares)).sum()))


def _setting(database: Database, run: PromptedRun) -> FairnessSetting:
    sentences = [first_sentence_of(text, None) for _, _, text in database.rows("run_texts", run.run.run_id)]
    return FairnessSetting(
        model=run.model,
        sweep=run.setting.sweep,
        place=run.setting.place,
        setting=run.setting.value,
        decoder=run.run.decoder,
        run_id=run.run.run_id,
        texts=len(sentences),
        unended=sum(not ended for _, ended in sentences),
        trigram_entropy=trigram_entropy([sentence for sentence, _ in sentences]),
    )
