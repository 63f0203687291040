"""The result tables of `newwiki experiment verifiability`."""

from dataclasses import dataclass
from typing import Literal

from flows.verdict_kinds import gives_verdicts
from storage.result_tables import column, result_table


@result_table("verifiability_corrections", key=("model", "decoder", "metric"))
@dataclass(frozen=True, kw_only=True)
class VerifiabilityCorrection:
    """One row per model, decoder and metric of `newwiki experiment verifiability`: the number that people would find.
    It is the checker's number, corrected with the sentences that people labeled (prediction-powered inference)."""

    model: str = column("The model.")
    decoder: str = column("The decoder in canonical form.")
    metric: str = column("spg, spv, uspg or uspv; spv and uspv are ratios over the sentences of all texts.")
    prompts: int = column("The number of prompts for which the model wrote texts.")
    labelled: int = column("The number of prompts for which people labeled a sentence.")
    uncorrected: float | None = column("The same number according to the checker alone.")
    corrected: float | None = column("The corrected number, as a share from 0 to 1; NULL if it cannot be determined.")
    low: float | None = column("The lower end of the 95 % interval of the corrected number, with prompts as units.")
    high: float | None = column("The upper end of the 95 % interval of the corrected number, with prompts as units.")
    weight: float | None = column("The weight of the checker, from 0 (only people's labels count) to 1.")
    lacking: str | None = column("Why there is no corrected number; NULL if there is one.")


@result_table("verifiability_checkers", key=("label",))
@dataclass(frozen=True, kw_only=True)
class VerifiabilityChecker:
    """One row per label of an answer of `newwiki experiment verifiability`: how the fact checker agrees with people on
    the sentences that people labeled."""

    label: Literal["supported", "refuted"] = column("supported or refuted.")
    labelled: int = column("The number of sentences that people labeled.")
    by_checker: int = column("The number of labeled sentences to which the checker gave the label.")
    by_people: float = column(
        "The number of labeled sentences to which people gave the label. If people disagree, a sentence counts by"
        " the share of people who gave the label."
    )
    precision: float | None = column(
        "The share of the sentences with this label by the checker that people label in the same way; NULL if the"
        " checker gave the label to no sentence."
    )
    precision_low: float | None = column(
        "The lower end of the 95 % interval of the precision, with sentences as units."
    )
    precision_high: float | None = column(
        "The upper end of the 95 % interval of the precision, with sentences as units."
    )
    recall: float | None = column(
        "The share of the sentences with this label by people that the checker labels in the same way; NULL if "
        "people gave the label to no sentence."
    )
    recall_low: float | None = column("The lower end of the 95 % interval of the recall.")
    recall_high: float | None = column("The upper end of the 95 % interval of the recall.")


@result_table("verifiability_metrics", key=("model", "decoder", "metric"))
@dataclass(frozen=True, kw_only=True)
class VerifiabilityMetric:
    """One row per model, decoder and metric of `newwiki experiment verifiability`, and per metric of the articles: how
    much of the text is supported, and how varied it is."""

    model: str = column("The model; Wikipedia for the articles.")
    decoder: str = column("The decoder in canonical form; reference for the articles.")
    metric: str = column(
        "spg, spv, uspg, uspv (Massarelli et al. 2020, equations 2 to 5, as shares), distinct_4grams or "
        "four_gram_proportion."
    )
    evaluator_id: str | None = column("The evaluator that checked the sentences; NULL for metrics of 4-grams.")
    prompts: int = column("The number of prompts that have a score.")
    texts: int = column("The number of texts that have a score.")
    undefined: int = column(
        "The number of texts without a score: for spv and uspv, texts without a verified sentence; for other "
        "metrics, 0."
    )
    mean: float | None = column(
        "The mean score over texts; for four_gram_proportion, the number of 4-grams in the texts divided by the "
        "number in their articles. NULL if no text has a score."
    )
    low: float | None = column(
        "The lower end of the 95 % interval of the mean, clustered by prompt; NULL if there is no interval."
    )
    high: float | None = column(
        "The upper end of the 95 % interval of the mean, clustered by prompt; NULL if there is no interval."
    )
    no_interval: str | None = column("Why there is no interval: too few prompts, or no variance; NULL if there is one.")


@gives_verdicts(
    "verifiability_differences",
    "prompts",
    given="models, decoders, seed and checker",
    family="the models, decoders and metrics of the answer",
)
@result_table("verifiability_differences", key=("model", "decoder", "metric"))
@dataclass(frozen=True, kw_only=True)
class VerifiabilityDifference:
    """One row per model, decoder and metric of an answer of `newwiki experiment verifiability`: the difference between
    the decoder and one other decoder, by prompts."""

    model: str = column("The model.")
    decoder: str = column("The decoder in canonical form.")
    against: str = column("The decoder with which the decoder is compared, in canonical form.")
    metric: str = column("spg, spv, uspg, uspv or distinct_4grams.")
    prompts: int = column("The number of prompts that have a score under both decoders.")
    difference: float | None = column(
        "The mean over prompts of the score of decoder minus the score of against; NULL if no prompt has both."
    )
    low: float | None = column("The lower end of the 95 % interval of the difference; NULL if there is no interval.")
    high: float | None = column("The upper end of the 95 % interval of the difference; NULL if there is no interval.")
    p: float | None = column("The p-value of the test for no difference.")
    p_holm: float | None = column(
        "The p-value after Holm's correction for all models, decoders and metrics of the answer."
    )
    verdict: str = column("higher, lower, cannot tell, or too few prompts.")
