"""The result tables of `newwiki experiment fairness`."""

from dataclasses import dataclass

from flows.verdict_kinds import gives_verdicts
from storage.result_tables import column, result_table

_GIVEN = "models, settings, seed and words for groups"


@result_table("fairness_shares", key=("model", "sweep", "place", "category", "group_name", "metric"))
@dataclass(frozen=True)
class GroupShare:
    """One row per model, setting, group and metric of `newwiki experiment fairness`: the share of negative texts."""

    model: str = column("The model.")
    sweep: str = column("The parameter that is varied.")
    place: int = column("The position of the setting in the sweep, from 0.")
    category: str = column("The category of the groups.")
    group_name: str = column("The group.")
    metric: str = column("The metric.")
    evaluator_id: str = column("The evaluator that computed the scores.")
    prompts: int = column("The number of the group's prompts that have a score.")
    texts: int = column("The number of the group's texts that have a score.")
    unscored: int = column("The number of the group's texts that have no score.")
    share: float | None = column("The mean score over the scored texts; NULL if no text has a score.")
    low: float | None = column(
        "The lower end of the 95 % interval of the share, clustered by prompt; NULL if there is no interval."
    )
    high: float | None = column(
        "The upper end of the 95 % interval of the share, clustered by prompt; NULL if there is no interval."
    )
    no_interval: str | None = column("Why there is no interval; NULL if there is one.")
    prompt_share: float | None = column("The mean score over the group's prompts alone, without any text of a model.")


@gives_verdicts(
    "fairness_pairs", "prompts", given=_GIVEN, family="the models, metrics, settings and pairs of groups of the answer"
)
@result_table("fairness_pairs", key=("model", "sweep", "place", "category", "metric", "group_a", "group_b"))
@dataclass(frozen=True)
class GroupPair:
    """One row per model, setting, metric and pair of groups of a category of `newwiki experiment fairness`: the
    difference of the groups' shares of negative texts."""

    model: str = column("The model.")
    sweep: str = column("The parameter that is varied.")
    place: int = column("The position of the setting in the sweep, from 0.")
    category: str = column("The category of the groups.")
    metric: str = column("The metric.")
    group_a: str = column("The first group.")
    group_b: str = column("The second group.")
    paired: bool = column("Whether prompts with the same words are compared with each other.")
    prompts: int = column("The number of pairs of prompts, or the number of prompts if they are not paired.")
    difference: float | None = column("The share of group_a minus the share of group_b, where each prompt counts once.")
    low: float | None = column("The lower end of the 95 % interval of the difference; NULL if there is no interval.")
    high: float | None = column("The upper end of the 95 % interval of the difference; NULL if there is no interval.")
    no_interval: str | None = column("Why there is no interval; NULL if there is one.")
    p: float | None = column("The p-value of the test for no difference.")
    p_holm: float | None = column(
        "The p-value after Holm's correction for all models, metrics, pairs and settings of the answer."
    )
    verdict: str = column(
        "different, the prompts decide (the prompts alone differ, and the texts differ no further), cannot be "
        "told apart, or too few prompts."
    )
    prompt_difference: float | None = column("The mean score over the prompts alone of group_a minus that of group_b.")
    beyond: float | None = column(
        "The difference minus the difference of the prompts alone, where each prompt counts once."
    )
    beyond_low: float | None = column("The lower end of the 95 % interval of beyond.")
    beyond_high: float | None = column("The upper end of the 95 % interval of beyond.")
    beyond_p_holm: float | None = column(
        "The p-value of the test for no difference beyond the prompts, after Holm's correction for all models, "
        "metrics, pairs and settings of the answer."
    )

    @property
    def advantaged(self) -> str | None:
        """The group with the smaller share; None if both are equal."""
        return None if not self.difference else self.group_b if self.difference > 0 else self.group_a


@gives_verdicts(
    "fairness_disparities", "prompts", given=_GIVEN, family="the models, metrics, settings and categories of the answer"
)
@result_table("fairness_disparities", key=("model", "sweep", "place", "category", "metric"))
@dataclass(frozen=True)
class GroupDisparity:
    """One row per model, setting, metric and category of `newwiki experiment fairness`: the mean absolute difference
    between the shares of two groups."""

    model: str = column("The model.")
    sweep: str = column("The parameter that is varied.")
    place: int = column("The position of the setting in the sweep, from 0.")
    category: str = column("The category of the groups.")
    metric: str = column("The metric.")
    pairs: int = column("The number of pairs of groups.")
    disparity: float | None = column(
        "The mean absolute difference over pairs of groups, which is above 0 even by chance."
    )
    low: float | None = column("The lower end of the 95 % interval of the disparity; NULL if there is no interval.")
    high: float | None = column("The upper end of the 95 % interval of the disparity; NULL if there is no interval.")
    no_interval: str | None = column("Why there is no interval; NULL if there is one.")
    p: float | None = column(
        "The p-value of a permutation test for no difference between any groups; if the prompts alone differ, for"
        " no difference beyond that of the prompts."
    )
    p_holm: float | None = column(
        "The p-value after Holm's correction for all models, metrics, categories and settings of the answer."
    )


@gives_verdicts("fairness_changes", "prompts", given=_GIVEN, family="the changes of the answer")
@result_table("fairness_changes", key=("model", "sweep", "category", "metric", "group_a", "group_b", "from_place"))
@dataclass(frozen=True)
class AdvantageChange:
    """One row per change along a sweep of `newwiki experiment fairness`: a place where the group with fewer negative
    texts changes."""

    model: str = column("The model.")
    sweep: str = column("The parameter that is varied.")
    category: str = column("The category of the groups.")
    metric: str = column("The metric.")
    group_a: str = column("The first group.")
    group_b: str = column("The second group.")
    from_place: int = column("The position of the last setting before the change.")
    to_place: int = column("The position of the first setting after the change.")
    advantaged_before: str = column("The group that has fewer negative texts before the change.")
    advantaged_after: str = column("The group that has fewer negative texts after the change.")
    shown: bool = column(
        "Whether a setting on each side of the change differs after Holm's correction; otherwise the change may "
        "be chance."
    )


@gives_verdicts("fairness_correlations", "prompts", given=_GIVEN, family="the tests of one model, sweep and metric")
@result_table("fairness_correlations", key=("model", "sweep", "metric"))
@dataclass(frozen=True)
class DiversityCorrelation:
    """One row per model, sweep and metric of `newwiki experiment fairness`: the correlation between the share of
    negative texts and the diversity of texts, over the settings of the sweep."""

    model: str = column("The model.")
    sweep: str = column("The parameter that is varied.")
    metric: str = column("The metric.")
    settings: int = column("The number of settings.")
    correlation: float | None = column(
        "Pearson's correlation of trigram_entropy and the mean share over all groups; NULL if one of the two does"
        " not vary."
    )
    low: float | None = column(
        "The lower end of the 95 % interval of the correlation over prompts; NULL if there are too few prompts."
    )
    high: float | None = column(
        "The upper end of the 95 % interval of the correlation over prompts; NULL if there are too few prompts."
    )
    p: float | None = column("The two-sided p-value of the test for no correlation, over prompts.")


@result_table("fairness_settings", key=("model", "sweep", "place"))
@dataclass(frozen=True)
class FairnessSetting:
    """One row per setting of a sweep of `newwiki experiment fairness`: the decoder, and how varied its texts are."""

    model: str = column("The model.")
    sweep: str = column("The parameter that is varied, such as top_p.")
    place: int = column("The position of the setting in the sweep, from 0.")
    setting: str = column("The value of the parameter.")
    decoder: str = column("The decoder in canonical form.")
    run_id: str = column("The run.")
    texts: int = column("The number of completions of the run.")
    unended: int = column(
        "The number of completions that stop before the end of a sentence; they are scored unchanged."
    )
    trigram_entropy: float | None = column(
        "The entropy of the trigrams of all first sentences, in nats; NULL if there are no trigrams."
    )


@gives_verdicts(
    "fairness_swaps",
    "seeds",
    over="draws of the words that change places",
    given="sentences and scorers",
    family="the draws of one metric and share of words",
)
@result_table("fairness_swaps", key=("metric", "swapped"))
@dataclass(frozen=True)
class FairnessSwap:
    """One row per metric and percentage of swapped words of `newwiki experiment fairness`: the share of negative
    sentences after words of the scored sentences were swapped."""

    metric: str = column("The metric.")
    swapped: int = column("The percentage of a sentence's words that are swapped; 0 for the unchanged sentences.")
    texts: int = column("The number of sentences.")
    prompts: int = column("The number of prompts of the sentences.")
    repetitions: int = column("The number of repetitions, each with new swaps.")
    share: float = column("The mean share of negative sentences.")
    sd: float | None = column("The standard deviation of the share over repetitions; NULL for the unchanged sentences.")
    difference: float | None = column("The mean over prompts of the share minus the share of the unchanged sentences.")
    low: float | None = column(
        "The lower end of the 95 % interval of the difference, clustered by prompt; NULL if there is no interval."
    )
    high: float | None = column(
        "The upper end of the 95 % interval of the difference, clustered by prompt; NULL if there is no interval."
    )
    no_interval: str | None = column("Why there is no interval; NULL if there is one.")
    p: float | None = column("The p-value of Welch's t-test of the repetitions against the unchanged sentences.")
