"""The result tables of the experiments that test the statements of the New-Wiki Eval paper."""

from dataclasses import dataclass
from typing import Literal

from flows.verdict_kinds import gives_verdicts
from storage.result_tables import column, result_table

Verdict = Literal["holds", "does not hold", "cannot tell"]


@result_table("setting_numbers", key=("run_id", "metric"))
@dataclass(frozen=True, kw_only=True)
class SettingNumbers:
    """One row per run and metric on which the statements of the paper are tested, and per metric of the articles: the
    mean and the spread."""

    run_id: str = column("The run, or reference:SNAPSHOT for the articles.")
    model: str = column("The model.")
    decoder: str = column("The decoder in canonical form.")
    parameters_of_model: float | None = column("The number of the model's parameters; NULL if it is not known.")
    top_p: float | None = column("The top_p of the decoder; NULL if it has none.")
    top_k: float | None = column("The top_k of the decoder; 0 if it cuts nothing off.")
    temperature: float | None = column("The temperature of the decoder.")
    penalty: float | None = column("The presence and frequency penalty of the decoder, if both are equal.")
    metric: str = column("The metric, with the name in the paper.")
    here: str = column("The corresponding metric of New-Wiki Eval.")
    evaluator_id: str = column("The evaluator that computed the scores of all runs.")
    articles: int = column("The number of articles whose texts have scores.")
    texts: int = column("The number of texts that have a score.")
    mean: float | None = column("The mean over articles of the mean score of their texts.")
    sd: float | None = column("The standard deviation over all texts.")
    sd_of_prompt: float | None = column(
        "The standard deviation over the texts of one article: the square root of the mean variance."
    )


@result_table("metric_correlations", key=("metric", "other"))
@dataclass(frozen=True, kw_only=True)
class MetricCorrelation:
    """One row per pair of metrics of an answer: the correlation over the texts of all runs."""

    metric: str = column("The first metric, with the name in the paper.")
    other: str = column("The second metric, with the name in the paper.")
    articles: int = column("The number of articles with texts that have both scores.")
    texts: int = column("The number of texts that have both scores.")
    r: float | None = column("Pearson's r; NULL if one of the metrics does not vary.")
    low: float | None = column("The lower end of the 95 % interval of r, by articles.")
    high: float | None = column("The upper end of the 95 % interval of r, by articles.")


@gives_verdicts(
    "statement_verdicts",
    "articles",
    "models",
    over="articles, and models where a statement is about size",
    given="settings, seeds and, but for size, models",
    family="the statements of the answer that are said to hold, and among those that are said not to",
)
@result_table("statement_verdicts", key=("statement",))
@dataclass(frozen=True, kw_only=True)
class StatementVerdict:
    """One row per statement of the New-Wiki Eval paper: the verdict of `newwiki experiment models` or
    `decoder-grid`."""

    statement: str = column("The name of the statement.")
    section: str = column("The section of the paper that contains the sentence.")
    quote: str = column("The sentence, or the part of it that is tested.")
    says: str = column("The statement that is read from the sentence.")
    kind: str = column(
        "The subject of the statement: trends, spreads, sizes of effects, correlations, penalties, named models "
        "or numbers of parameters."
    )
    ours: str = column("The finding of the experiment, in words.")
    runs: int = column("The number of runs on which the verdict is based.")
    articles: int = column("The number of articles for which all runs of the test have texts.")
    comparisons: int = column("The number of comparisons of which the test consists.")
    effect: float | None = column("The effect in the comparison that decides the verdict; NULL if there is no number.")
    low: float | None = column("The lower end of the 95 % interval of the effect.")
    high: float | None = column("The upper end of the 95 % interval of the effect.")
    unit: str | None = column(
        "The unit of the effect: sd (standard deviations of texts), ln sd (the logarithm of a standard "
        "deviation), r, or own (the unit of the metric)."
    )
    p_holds: float | None = column(
        "The p-value of the hypothesis that the statement does not hold, after Holm's correction for all "
        "statements of the answer."
    )
    p_fails: float | None = column("The p-value of the hypothesis that the statement holds, after the same correction.")
    verdict: Verdict = column("holds, does not hold, or cannot tell.")
    why: str | None = column("Why the experiment cannot tell; NULL if it can.")
    generalizes_over: str | None = column(
        "The units over which the verdict generalizes: articles, or models and articles; NULL if nothing was "
        "tested, and for answers of earlier versions."
    )
    models: int | None = column(
        "The number of models on which a statement about size is tested, or of families if these are its units; "
        "NULL for other statements."
    )
    models_needed: int | None = column(
        "The number of models, with sizes spread as in this experiment, that a verdict on an effect of this size "
        "would need in four of five cases; NULL for other statements, and if 1,000 models are too few."
    )
