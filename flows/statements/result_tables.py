"""The result tables of the experiments that test the statements of the New-Wiki Eval paper."""

from dataclasses import dataclass
from typing import Literal

from flows.verdict_kinds import gives_verdicts
from storage.result_tables import column, result_table

Verdict = Literal["holds", "does not hold", "cannot tell"]


@result_table("setting_numbers", key=("run_id", "metric"))
@dataclass(frozen=True, kw_only=True)
class SettingNumbers:
    """Mean and spread of each run and metric that the statements rest on, and of the articles."""

    run_id: str = column("The run, or reference:SNAPSHOT for the articles.")
    model: str = column("Its model.")
    decoder: str = column("Its decoder in canonical form.")
    parameters_of_model: float | None = column("How many parameters the model has; NULL where that is not known.")
    top_p: float | None = column("The decoder's top_p; NULL where it has none.")
    top_k: float | None = column("Its top_k; 0 where it cuts nothing off.")
    temperature: float | None = column("Its temperature.")
    penalty: float | None = column("Its presence and frequency penalty, where both are the same.")
    metric: str = column("The metric under the paper's name.")
    here: str = column("The metric that stands for it here.")
    evaluator_id: str = column("Who made the numbers, of all runs.")
    articles: int = column("How many articles have texts with a score.")
    texts: int = column("How many texts have one.")
    mean: float | None = column("The mean of the articles' means.")
    sd: float | None = column("The standard deviation of all texts.")
    sd_of_prompt: float | None = column(
        "The standard deviation of the texts of one article: the root of the mean variance."
    )


@result_table("metric_correlations", key=("metric", "other"))
@dataclass(frozen=True, kw_only=True)
class MetricCorrelation:
    """How two metrics correlate over the texts of all runs of an answer."""

    metric: str = column("One metric, under the paper's name.")
    other: str = column("The other.")
    articles: int = column("Of how many articles there are texts that have both.")
    texts: int = column("How many texts have both.")
    r: float | None = column("Pearson's r; NULL where one of the two does not vary.")
    low: float | None = column("The lower end of its 95 % interval, by articles.")
    high: float | None = column("Its upper end.")


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
    """What `newwiki experiment models` and `decoder-grid` found of each statement of the New-Wiki Eval paper."""

    statement: str = column("The statement's name.")
    section: str = column("Where in the paper its sentence stands.")
    quote: str = column("The sentence, or what of it is meant.")
    says: str = column("What is read out of it.")
    kind: str = column(
        "What the statement is about: trends, spreads, sizes of effects, correlations, penalties, named models or "
        "numbers of parameters."
    )
    ours: str = column("What was found, in words.")
    runs: int = column("How many runs it rests on.")
    articles: int = column("How many articles, which all of these runs have texts of.")
    comparisons: int = column("Of how many comparisons it is made.")
    effect: float | None = column(
        "The effect in the comparison on which the verdict turns; NULL where there is no number."
    )
    low: float | None = column("The lower end of its 95 % interval.")
    high: float | None = column("Its upper end.")
    unit: str | None = column(
        "What the effect is in: sd (standard deviations of texts), ln sd (the logarithm of one), r, or own (the "
        "metric's)."
    )
    p_holds: float | None = column("p of its not holding, after Holm's correction for all statements of the answer.")
    p_fails: float | None = column("p of its holding, after the same.")
    verdict: Verdict = column("holds, does not hold, or cannot tell.")
    why: str | None = column("Why it cannot be told; NULL where it can.")
    generalizes_over: str | None = column(
        "The units over which the verdict generalizes: articles, or models and articles; NULL where nothing was "
        "tested, and of answers of earlier versions."
    )
    models: int | None = column(
        "How many models a statement about size rests on, or families where these are its units; NULL for other "
        "statements."
    )
    models_needed: int | None = column(
        "How many models, of sizes spread as these are, a verdict on an effect as large as this would take in "
        "four of five cases; NULL for other statements, and where 1,000 are too few."
    )
