"""The result tables of `newwiki experiment leakage`."""

from dataclasses import dataclass
from typing import Literal

from flows.verdict_kinds import gives_verdicts
from storage.result_tables import column, result_table

Verdict = Literal[
    "better on old articles",
    "worse on old articles",
    "different on old articles",
    "no difference shown",
    "the articles' own",
    "too few pairs",
]


@gives_verdicts(
    "leakage_memberships",
    "articles",
    over="pairs of articles",
    counted="pairs",
    given="models and seed",
    family="the scores of one model",
)
@result_table("leakage_memberships", key=("model", "score"))
@dataclass(frozen=True, kw_only=True)
class Membership:
    """One row per model and score of `newwiki experiment leakage`: how well the score separates matched old articles
    from new ones, and how well the texts alone do."""

    model: str = column("The model.")
    score: str = column("The metric: min_k_percent, or bits_per_byte with the opposite sign.")
    pairs: int = column("The number of matched pairs.")
    auc: float = column(
        "The probability that the old article of an old and a new article has the higher score; 0.5 is chance."
    )
    low: float = column("The lower end of the 95 % interval of auc.")
    high: float = column("The upper end of the 95 % interval of auc.")
    blind_auc: float = column(
        "The same probability for a classifier that has read only the texts of other pairs, without any model."
    )
    blind_low: float = column("The lower end of the 95 % interval of blind_auc.")
    blind_high: float = column("The upper end of the 95 % interval of blind_auc.")
    difference_low: float = column("The lower end of the 95 % interval of auc - blind_auc.")
    difference_high: float = column("The upper end of the 95 % interval of auc - blind_auc.")


@gives_verdicts(
    "leakage_gaps",
    "articles",
    over="pairs of articles",
    counted="pairs",
    given="models, decoders and seed",
    family="the models, decoders and metrics of the headline",
)
@result_table("leakage_gaps", key=("model", "decoder", "metric"))
@dataclass(frozen=True, kw_only=True)
class Gap:
    """One row per model, decoder and metric of `newwiki experiment leakage`: the difference between scores on matched
    old and new articles."""

    model: str = column("The model.")
    decoder: str = column("The decoder in canonical form; likelihood if the model read the articles.")
    metric: str = column("The metric.")
    evaluator_id: str = column("The evaluator that computed the scores of all runs of the model.")
    pairs: int = column(
        "The number of matched pairs that have scores for both articles and, if there is a control, scores of the"
        " control."
    )
    mean_old: float = column("The mean score on the old articles of the matched pairs.")
    mean_new: float = column("The mean score on the new articles of the matched pairs.")
    gap: float = column("The mean over pairs of the old score minus the new score.")
    sd: float | None = column("The standard deviation of the pairs' gaps; NULL for a single pair.")
    low: float | None = column("The lower end of the 95 % interval of the gap; NULL if there is no interval.")
    high: float | None = column("The upper end of the 95 % interval of the gap; NULL if there is no interval.")
    no_interval: str | None = column("Why there is no interval; NULL if there is one.")
    p: float = column("The two-sided p-value of the test for no gap.")
    p_holm: float = column(
        "The p-value after Holm's correction: for bits over models and decoders, for all other metrics over "
        "metrics, decoders and models."
    )
    control: str | None = column("The control; NULL if there was none.")
    control_gap: float | None = column("The gap of the control on the same pairs; NULL if there was no control.")
    difference: float | None = column("The gap minus the gap of the control; NULL if there was no control.")
    difference_low: float | None = column("The lower end of the 95 % interval of the difference.")
    difference_high: float | None = column("The upper end of the 95 % interval of the difference.")
    difference_p_holm: float | None = column(
        "The two-sided p-value of the test for no difference, after the same correction."
    )
    verdict: Verdict = column(
        "better on old articles, worse on old articles (different on old articles for a metric without a better "
        "direction), no difference shown, the articles' own (the control has the gap too), or too few pairs."
    )
    difference_sd: float | None = column(
        "The standard deviation over pairs of the gap minus the gap of the control; NULL if there was no control."
    )
    visible: float | None = column(
        "The smallest gap, or difference from the control's gap, that this number of pairs would show in 80 of "
        "100 cases."
    )

    @property
    def judged(self) -> tuple[float | None, float | None, float | None, float | None]:
        """The mean, interval ends and sd behind the verdict: of the difference if there is a control, else of the
        gap."""
        if self.control:
            return self.difference, self.difference_low, self.difference_high, self.difference_sd
        return self.gap, self.low, self.high, self.sd


@result_table("leakage_pairs", key=("old_page_id",))
@dataclass(frozen=True, kw_only=True)
class MatchedPair:
    """One row per pair of articles of `newwiki experiment leakage`: an old article and the new article matched with
    it."""

    old_page_id: int = column("The old article.")
    new_page_id: int = column("The new article.")
    distance: float = column(
        "The distance between the two articles in the properties by which they are matched, in standard deviations."
    )
