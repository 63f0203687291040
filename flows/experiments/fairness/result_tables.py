"""The result tables of `newwiki experiment fairness`."""

from dataclasses import dataclass

from flows.verdict_kinds import gives_verdicts
from storage.result_tables import column, result_table

_GIVEN = "models, settings, seed and words for groups"


@result_table("fairness_shares", key=("model", "sweep", "place", "category", "group_name", "metric"))
@dataclass(frozen=True)
class GroupShare:
    """Of each setting and group the share of negative texts."""

    model: str = column("The model.")
    sweep: str = column("The parameter that is varied.")
    place: int = column("The setting's place in the sweep.")
    category: str = column("What the groups are of.")
    group_name: str = column("The group.")
    metric: str = column("The metric.")
    evaluator_id: str = column("Who scored.")
    prompts: int = column("How many of its prompts have a number.")
    texts: int = column("How many of its texts.")
    unscored: int = column("How many of its texts have none.")
    share: float | None = column("The mean over the judged texts; NULL where none has a number.")
    low: float | None = column("The lower end of its 95 % interval, clustered by prompt.")
    high: float | None = column("The upper end.")
    no_interval: str | None = column("Why there is none.")
    prompt_share: float | None = column("The mean over the group's prompts alone, before a model has written a word.")


@gives_verdicts(
    "fairness_pairs", "prompts", given=_GIVEN, family="the models, metrics, settings and pairs of groups of the answer"
)
@result_table("fairness_pairs", key=("model", "sweep", "place", "category", "metric", "group_a", "group_b"))
@dataclass(frozen=True)
class GroupPair:
    """Of each setting and two groups of a category the difference of their shares."""

    model: str = column("The model.")
    sweep: str = column("The parameter that is varied.")
    place: int = column("The setting's place in the sweep.")
    category: str = column("What the groups are of.")
    metric: str = column("The metric.")
    group_a: str = column("One group.")
    group_b: str = column("The other.")
    paired: bool = column("Whether prompts of the same words are compared with each other.")
    prompts: int = column("How many pairs of prompts, or where nothing pairs them prompts.")
    difference: float | None = column("The share of group_a less that of group_b, each prompt counted once.")
    low: float | None = column("The lower end of its 95 % interval.")
    high: float | None = column("The upper end.")
    no_interval: str | None = column("Why there is none.")
    p: float | None = column("Of no difference.")
    p_holm: float | None = column(
        "The same after Holm's correction for all models, metrics, pairs and settings of the answer."
    )
    verdict: str = column(
        "different, the prompts decide (they differ by themselves, and the texts no further), cannot be told "
        "apart, or too few prompts."
    )
    prompt_difference: float | None = column("The mean over the prompts alone of group_a less that of group_b.")
    beyond: float | None = column("The difference less that of the prompts alone, each prompt counted once.")
    beyond_low: float | None = column("The lower end of its 95 % interval.")
    beyond_high: float | None = column("The upper end.")
    beyond_p_holm: float | None = column(
        "Of no difference beyond the prompts, after Holm's correction for all models, metrics, pairs and settings "
        "of the answer."
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
    """Of each setting and category the mean absolute difference of the shares of two groups."""

    model: str = column("The model.")
    sweep: str = column("The parameter that is varied.")
    place: int = column("The setting's place in the sweep.")
    category: str = column("What the groups are of.")
    metric: str = column("The metric.")
    pairs: int = column("How many pairs of groups.")
    disparity: float | None = column("The mean absolute difference; above 0 by chance too.")
    low: float | None = column("The lower end of its 95 % interval.")
    high: float | None = column("The upper end.")
    no_interval: str | None = column("Why there is none.")
    p: float | None = column(
        "Of no difference between any of the groups, by permutation; where the prompts differ by themselves, of "
        "none beyond theirs."
    )
    p_holm: float | None = column(
        "The same after Holm's correction for all models, metrics, categories and settings of the answer."
    )


@gives_verdicts("fairness_changes", "prompts", given=_GIVEN, family="the changes of the answer")
@result_table("fairness_changes", key=("model", "sweep", "category", "metric", "group_a", "group_b", "from_place"))
@dataclass(frozen=True)
class AdvantageChange:
    """Where along a sweep the group with fewer negative texts becomes another."""

    model: str = column("The model.")
    sweep: str = column("The parameter that is varied.")
    category: str = column("What the groups are of.")
    metric: str = column("The metric.")
    group_a: str = column("One group.")
    group_b: str = column("The other.")
    from_place: int = column("The last setting before.")
    to_place: int = column("The first setting after.")
    advantaged_before: str = column("Who has fewer negative texts before.")
    advantaged_after: str = column("Who has fewer after.")
    shown: bool = column(
        "Whether on either side of the change a setting differs after Holm's correction; otherwise it may be chance."
    )


@gives_verdicts("fairness_correlations", "prompts", given=_GIVEN, family="the tests of one model, sweep and metric")
@result_table("fairness_correlations", key=("model", "sweep", "metric"))
@dataclass(frozen=True)
class DiversityCorrelation:
    """Over the settings of a sweep, how the share of negative texts goes with the diversity of texts."""

    model: str = column("The model.")
    sweep: str = column("The parameter that is varied.")
    metric: str = column("The metric.")
    settings: int = column("How many settings.")
    correlation: float | None = column(
        "Pearson's, of trigram_entropy and the mean share over all groups; NULL where one does not vary."
    )
    low: float | None = column("The lower end of its 95 % interval over prompts; NULL for too few prompts.")
    high: float | None = column("The upper end.")
    p: float | None = column("Two-sided p of no correlation, over prompts.")


@result_table("fairness_settings", key=("model", "sweep", "place"))
@dataclass(frozen=True)
class FairnessSetting:
    """The decoders of each sweep of `newwiki experiment fairness`, in their order, with how varied their texts are."""

    model: str = column("The model.")
    sweep: str = column("The parameter that is varied, such as top_p.")
    place: int = column("The setting's place in the sweep, from 0.")
    setting: str = column("The parameter's value.")
    decoder: str = column("The decoder in canonical form.")
    run_id: str = column("The run.")
    texts: int = column("How many completions it has.")
    unended: int = column("How many have no sentence end before they stop; they are scored as they are.")
    trigram_entropy: float | None = column(
        "The entropy of the trigrams of all first sentences, in nats; NULL where there is no trigram."
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
    """What swapping words of the scored sentences does to the share of negative ones."""

    metric: str = column("The metric.")
    swapped: int = column("How many percent of a sentence's words are swapped; 0 is the sentences as they are.")
    texts: int = column("How many sentences.")
    prompts: int = column("Of how many prompts.")
    repetitions: int = column("How often they were swapped anew.")
    share: float = column("The mean share of negative sentences.")
    sd: float | None = column("Its standard deviation over repetitions; NULL for the sentences as they are.")
    difference: float | None = column("The share less that of the sentences as they are, the mean over prompts.")
    low: float | None = column("The lower end of its 95 % interval, clustered by prompt.")
    high: float | None = column("The upper end.")
    no_interval: str | None = column("Why there is none.")
    p: float | None = column("Of Welch's t-test of the repetitions against the sentences as they are.")
