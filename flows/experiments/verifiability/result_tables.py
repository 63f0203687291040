"""The result tables of `newwiki experiment verifiability`."""

from dataclasses import dataclass
from typing import Literal

from flows.verdict_kinds import gives_verdicts
from storage.result_tables import column, result_table


@result_table("verifiability_corrections", key=("model", "decoder", "metric"))
@dataclass(frozen=True, kw_only=True)
class VerifiabilityCorrection:
    """The numbers of `newwiki experiment verifiability` as people would find them: those of the checker, corrected
    by the sentences that people labelled (prediction-powered inference)."""

    model: str = column("The model.")
    decoder: str = column("The decoder in canonical form.")
    metric: str = column("spg, spv, uspg or uspv; spv and uspv are ratios of the sentences of all texts.")
    prompts: int = column("How many prompts the model wrote on.")
    labelled: int = column("Of how many of them people labelled a sentence.")
    uncorrected: float | None = column("The same number by the checker alone.")
    corrected: float | None = column("The corrected number, as a share; NULL where it cannot be told.")
    low: float | None = column("The lower end of its 95 % interval, prompts being the unit.")
    high: float | None = column("The upper end.")
    weight: float | None = column("How far the checker is trusted, from 0 (people alone) to 1.")
    lacking: str | None = column("Why there is no corrected number.")


@result_table("verifiability_checkers", key=("label",))
@dataclass(frozen=True, kw_only=True)
class VerifiabilityChecker:
    """How the fact checker of an answer of `newwiki experiment verifiability` compares with people, over the
    sentences that they labelled."""

    label: Literal["supported", "refuted"] = column("supported or refuted.")
    labelled: int = column("How many sentences people labelled.")
    by_checker: int = column("How many of them have this label by the checker.")
    by_people: float = column(
        "How many have it by people; where people differ, a sentence counts by the share of them."
    )
    precision: float | None = column("The share of the checker's that people label so, too; NULL where it has none.")
    precision_low: float | None = column("The lower end of its 95 % interval, sentences being the unit.")
    precision_high: float | None = column("The upper end.")
    recall: float | None = column("The share of people's that the checker labels so, too; NULL where they have none.")
    recall_low: float | None = column("The lower end of its 95 % interval.")
    recall_high: float | None = column("The upper end.")


@result_table("verifiability_metrics", key=("model", "decoder", "metric"))
@dataclass(frozen=True, kw_only=True)
class VerifiabilityMetric:
    """What `newwiki experiment verifiability` found: how much of what models write is supported, and how varied it
    is, by decoder, and of the articles themselves."""

    model: str = column("The model; Wikipedia for the articles.")
    decoder: str = column("The decoder in canonical form; reference for the articles.")
    metric: str = column(
        "spg, spv, uspg, uspv (Massarelli et al. 2020, equations 2 to 5, as shares), distinct_4grams or "
        "four_gram_proportion."
    )
    evaluator_id: str | None = column("Who checked the sentences; NULL for 4-grams.")
    prompts: int = column("How many prompts have a number.")
    texts: int = column("How many texts have one.")
    undefined: int = column(
        "How many have none: of spv and uspv those without a verified sentence, of the others none."
    )
    mean: float | None = column(
        "The mean over texts; of four_gram_proportion the texts' 4-grams over their articles'. NULL where no text "
        "has a number."
    )
    low: float | None = column("The lower end of its 95 % interval, clustered by prompt.")
    high: float | None = column("The upper end.")
    no_interval: str | None = column("Why there is no interval: too few prompts, or no variance.")


@gives_verdicts(
    "verifiability_differences",
    "prompts",
    given="models, decoders, seed and checker",
    family="the models, decoders and metrics of the answer",
)
@result_table("verifiability_differences", key=("model", "decoder", "metric"))
@dataclass(frozen=True, kw_only=True)
class VerifiabilityDifference:
    """Each decoder of an answer of `newwiki experiment verifiability` set beside one, by prompts."""

    model: str = column("The model.")
    decoder: str = column("The decoder in canonical form.")
    against: str = column("The decoder that it is compared with.")
    metric: str = column("spg, spv, uspg, uspv or distinct_4grams.")
    prompts: int = column("How many prompts have a number under both.")
    difference: float | None = column(
        "The mean of the prompts' differences, decoder less against; NULL where there are none."
    )
    low: float | None = column("The lower end of its 95 % interval; NULL where there is none.")
    high: float | None = column("The upper end.")
    p: float | None = column("p of no difference.")
    p_holm: float | None = column(
        "The same after Holm's correction for all models, decoders and metrics of the answer."
    )
    verdict: str = column("higher, lower, cannot tell, or too few prompts.")
