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
    """How well a score of a model tells matched old articles from new ones, and how well their texts alone do."""

    model: str = column("The model.")
    score: str = column("The metric: min_k_percent, or bits_per_byte with its sign turned.")
    pairs: int = column("How many matched pairs.")
    auc: float = column(
        "The chance that an old article has the higher score of an old and a new one; 0.5 says nothing."
    )
    low: float = column("The lower end of its 95 % interval.")
    high: float = column("Its upper end.")
    blind_auc: float = column("The same of a classifier that has read only other pairs' texts, and no model.")
    blind_low: float = column("The lower end of its 95 % interval.")
    blind_high: float = column("Its upper end.")
    difference_low: float = column("The lower end of the 95 % interval of auc - blind_auc.")
    difference_high: float = column("Its upper end.")


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
    """What `newwiki experiment leakage` found by each metric: matched old articles against new ones."""

    model: str = column("The model.")
    decoder: str = column("The decoder in canonical form; likelihood where the model read the articles.")
    metric: str = column("The metric.")
    evaluator_id: str = column("Who made the numbers, of all its runs.")
    pairs: int = column("How many matched pairs have numbers of both articles, and of the control's.")
    mean_old: float = column("The mean on their old articles.")
    mean_new: float = column("The mean on their new articles.")
    gap: float = column("The mean of old minus new.")
    sd: float | None = column("The standard deviation of the pairs' gaps; NULL for a single pair.")
    low: float | None = column("The lower end of the gap's 95 % interval.")
    high: float | None = column("Its upper end.")
    no_interval: str | None = column("Why it has none.")
    p: float = column("Two-sided p of no gap.")
    p_holm: float = column(
        "The same after Holm's correction: of bits for the models and decoders, of all other metrics for each "
        "other and for decoders and models."
    )
    control: str | None = column("The control; NULL where there was none.")
    control_gap: float | None = column("The control's gap on these pairs.")
    difference: float | None = column("The gap less the control's.")
    difference_low: float | None = column("The lower end of that difference's 95 % interval.")
    difference_high: float | None = column("Its upper end.")
    difference_p_holm: float | None = column("Two-sided p of no difference, after the same correction.")
    verdict: Verdict = column(
        "better on old articles, worse on old articles (different by a metric that has no better end), no "
        "difference shown, the articles' own (the control has it too), or too few pairs."
    )
    difference_sd: float | None = column("The standard deviation of the pairs' gaps less the control's.")
    visible: float | None = column(
        "The smallest difference that so many pairs would show in 80 of 100 cases, of the gap, or of its "
        "difference from the control's."
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
    """Which old article was set against which new one."""

    old_page_id: int = column("The old article.")
    new_page_id: int = column("The new one.")
    distance: float = column("How far apart they are, in standard deviations of what they are matched by.")
