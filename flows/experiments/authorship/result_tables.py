"""The result tables of `newwiki experiment authorship`."""

from dataclasses import dataclass
from datetime import date
from typing import Literal

from flows.verdict_kinds import gives_verdicts
from storage.result_tables import column, result_table

SeparationVerdict = Literal["told apart", "cannot tell", "too few articles"]
DifferenceVerdict = Literal["moved", "no difference shown", "no interval"]

_MARKED = "The number of these articles that are marked (authorship_articles)."


@gives_verdicts(
    "authorship_separations",
    "articles",
    given="models, tags and later editions",
    family="the models of the answer and all of them together",
)
@result_table("authorship_separations", key=("model", "run_id"))
@dataclass(frozen=True, kw_only=True)
class AuthorshipSeparation:
    """One row per model of `newwiki experiment authorship`, and one for all models together: how far the likelihood of
    the articles separates the marked articles from the others."""

    model: str = column("The model, or all models.")
    run_id: str | None = column("The run in which the model read the articles; NULL for all models together.")
    evaluator_id: str = column("The evaluator that computed the bits per byte.")
    articles: int = column("The number of articles that have bits per byte by the model, or by all models.")
    marked: int = column(_MARKED)
    auc: float = column(
        "The probability that a marked article has fewer bits per byte than another one; 0.5 is chance. For all models "
        "together, each article's score is the mean over models of its bits per byte in standard deviations."
    )
    low: float = column("The lower end of the 95 % interval of auc.")
    high: float = column("The upper end of the 95 % interval of auc.")
    length_auc: float = column("The probability that a marked article has more words than another one.")
    length_low: float = column("The lower end of the 95 % interval of length_auc.")
    length_high: float = column("The upper end of the 95 % interval of length_auc.")
    verdict: SeparationVerdict = column(
        "told apart if the interval of auc, corrected for the number of rows (Bonferroni), leaves out 0.5; cannot "
        "tell; or too few articles, with fewer than 13 marked or other ones."
    )


@gives_verdicts(
    "authorship_differences",
    "articles",
    given="runs, tags and later editions",
    family="the runs and metrics of the answer",
)
@result_table("authorship_differences", key=("run_id", "metric"))
@dataclass(frozen=True, kw_only=True)
class AuthorshipDifference:
    """One row per run and metric of `newwiki experiment authorship`: the mean with and without the marked articles."""

    run_id: str = column("The run, or reference:SNAPSHOT for the articles.")
    model: str = column("The model; Wikipedia for the articles.")
    decoder: str = column("The decoder in canonical form; likelihood if the model read the articles.")
    metric: str = column("The metric.")
    evaluator_id: str = column("The evaluator that computed the scores.")
    articles: int = column("The number of articles with a score, each counted once.")
    marked: int = column(_MARKED)
    mean_with: float = column("The mean over all these articles.")
    mean_without: float | None = column("The mean without the marked articles; NULL if there are no others.")
    shift: float | None = column(
        "mean_with minus mean_without: the share of marked articles times difference. NULL without a difference."
    )
    shift_low: float | None = column("The lower end of the 95 % interval of shift; NULL if there is no interval.")
    shift_high: float | None = column("The upper end of the 95 % interval of shift; NULL if there is no interval.")
    difference: float | None = column(
        "The mean over the marked articles minus that over the others; NULL if either group is empty."
    )
    difference_low: float | None = column("The lower end of the 95 % interval of difference.")
    difference_high: float | None = column("The upper end of the 95 % interval of difference.")
    no_interval: str | None = column(
        "Why there is no interval: too few articles, or no variance; NULL if there is one."
    )
    verdict: DifferenceVerdict = column(
        "moved if the interval of the difference, corrected for the number of rows with an interval (Bonferroni), "
        "leaves out 0; no difference shown; or no interval."
    )


@result_table("authorship_articles", key=("page_id",))
@dataclass(frozen=True, kw_only=True)
class AuthorshipArticle:
    """One row per marked article of `newwiki experiment authorship`, with the reasons."""

    page_id: int = column("The article.")
    tags: str = column("The kinds of its maintenance templates at the cutoff; empty if there are none.")
    deleted_on: date | None = column(
        "The day (UTC) on which it was deleted later; NULL if no later edition records a deletion."
    )
    deletion_kinds: str | None = column(
        "What it was deleted for, as far as the comment says so; NULL if it was not deleted or the comment is unknown."
    )
