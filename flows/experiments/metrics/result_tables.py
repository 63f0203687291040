"""The result tables of `newwiki experiment metrics`."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from flows.verdict_kinds import gives_verdicts
from storage.result_tables import column, result_table

Verdict = Literal["right", "wrong", "higher", "lower", "cannot tell", "too few articles", "no numbers"]
Length = Literal["rises", "falls", "cannot tell"]


@result_table("metric_sight", key=("metric",))
@dataclass(frozen=True, kw_only=True)
class MetricSight:
    """One row per metric of `newwiki experiment metrics`: what the metric sees on the articles of a snapshot."""

    metric: str = column("The metric.")
    evaluator_id: str = column("The evaluator that computed the scores.")
    direction: str = column("The better direction of the metric: higher, lower or none.")
    articles: int = column("The number of articles with scores of the article's beginning and of another article's.")
    sees: Sequence[str] = column(
        "The differences that the metric sees: content, order, names, numbers, negation and repetition. Empty if it "
        "sees none, or has no better direction."
    )
    prefers: Sequence[str] = column(
        "The worthless texts that the metric prefers to a text of which half is from the article; names of texts as "
        "in metric_rungs."
    )
    length: Length = column(
        "Whether the number rises or falls if the same article is cut later, at 320 instead of 40 words."
    )
    length_gap: float | None = column(
        "The change of the mean from 40 to 320 words, divided by the gap between the article's mean and another "
        "article's; NULL without content in `sees`."
    )


@gives_verdicts(
    "metric_pairs",
    "articles",
    given="evaluators, lengths of texts and seed",
    family="the pairs of texts of one metric",
)
@result_table("metric_pairs", key=("metric", "text", "beside"))
@dataclass(frozen=True, kw_only=True)
class MetricPair:
    """One row per metric and pair of texts of `newwiki experiment metrics`: on how many articles the first text has the
    better number."""

    metric: str = column("The metric.")
    evaluator_id: str = column("The evaluator that computed the scores.")
    direction: str = column(
        "The direction of a better number: higher or lower; none if the metric has no better direction, or if the "
        "texts differ in length alone. The share is then that of higher numbers."
    )
    text: str = column("The first text, which is the better one; a name as in metric_rungs.")
    beside: str = column("The second text.")
    articles: int = column("The number of articles for which both texts have a number.")
    share: float | None = column(
        "The share of articles on which the first text has the better number; two equal numbers count as half an "
        "article; 0.5 is chance; NULL without articles."
    )
    low: float | None = column("The lower end of the 95 % interval of the share; NULL if there is no interval.")
    high: float | None = column("The upper end of the 95 % interval of the share; NULL if there is no interval.")
    no_interval: str | None = column("Why there is no interval; NULL if there is one.")
    p: float | None = column("The two-sided p-value of the sign test for a share of 0.5; NULL without articles.")
    p_holm: float | None = column("The p-value after Holm's correction over the pairs of the metric.")
    verdict: Verdict = column(
        "right (the first text is better more often), wrong (the second text is), higher or lower (without a "
        "direction), cannot tell, too few articles, or no numbers."
    )
    prompts: int | None = column(
        "The number of prompts with which the means of the two texts differ significantly in 80 of 100 cases; NULL "
        "if the numbers do not differ or do not vary, or if over a million are needed."
    )


@result_table("metric_rungs", key=("metric", "text"))
@dataclass(frozen=True, kw_only=True)
class MetricRung:
    """One row per metric and text of `newwiki experiment metrics`: the mean of the metric on the texts that are made in
    this way."""

    metric: str = column("The metric.")
    text: str = column("The name of the text, such as replaced_25.")
    articles: int = column("The number of articles for which the text has a number.")
    texts: int = column("The number of articles of which the text was made.")
    words: float | None = column("The mean number of words of these texts; NULL without texts.")
    mean: float | None = column("The mean of the metric over the articles; NULL without numbers.")


@result_table("metric_sets", key=("size",))
@dataclass(frozen=True, kw_only=True)
class MetricSet:
    """One row per number of metrics of `newwiki experiment metrics`: the metrics that together see most."""

    size: int = column("The number of metrics.")
    metrics: Sequence[str] = column("The metrics.")
    share: float = column(
        "The mean over all tests of the share of articles that the best of these metrics orders rightly in this test."
    )
    tests: int = column("The number of tests.")


@result_table("metric_strata", key=("metric", "stratum", "value"))
@dataclass(frozen=True, kw_only=True)
class MetricStratum:
    """One row per metric and part of the articles of `newwiki experiment metrics --by`: how often the article's
    beginning has a better number than another article's."""

    metric: str = column("The metric.")
    stratum: str = column("The property that splits the articles.")
    value: str = column("The part.")
    articles: int = column("The number of articles of the part for which both texts have a number.")
    share: float | None = column("The share of articles, as in metric_pairs.")
    low: float | None = column("The lower end of the 95 % interval of the share; NULL if there is no interval.")
    high: float | None = column("The upper end of the 95 % interval of the share; NULL if there is no interval.")
    no_interval: str | None = column("Why there is no interval; NULL if there is one.")
