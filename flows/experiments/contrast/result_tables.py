"""The result tables of `newwiki experiment contrast`."""

from dataclasses import dataclass

from flows.verdict_kinds import gives_verdicts
from storage.result_tables import column, result_table


@gives_verdicts(
    "contrast_differences",
    "prompts",
    given="models, decoders and seed",
    family="the models, decoders and metrics of one part",
)
@result_table("contrast_differences", key=("model", "part", "decoder", "metric"))
@dataclass(frozen=True, kw_only=True)
class ContrastDifference:
    """One row per model, part, decoder and metric of an answer of `newwiki experiment contrast`: the difference between
    the decoder and contrastive decoding as in the papers, by prompts."""

    model: str = column("The model that writes.")
    part: str = column("The part of the answer (see contrast_variants).")
    decoder: str = column("The decoder in canonical form.")
    against: str = column("The decoder with which the decoder is compared, in canonical form.")
    metric: str = column("The metric, one of single texts.")
    prompts: int = column("The number of prompts that have a score under both decoders.")
    difference: float | None = column(
        "The mean over prompts of the score of decoder minus the score of against; NULL if no prompt has both."
    )
    low: float | None = column("The lower end of the 95 % interval of the difference; NULL if there is no interval.")
    high: float | None = column("The upper end of the 95 % interval of the difference; NULL if there is no interval.")
    p: float | None = column("The p-value of the test for no difference.")
    p_holm: float | None = column(
        "The p-value after Holm's correction for all models, decoders and metrics of the part."
    )
    verdict: str = column("higher, lower, cannot tell, or too few prompts.")


@result_table("contrast_numbers", key=("run_id", "metric"))
@dataclass(frozen=True, kw_only=True)
class ContrastNumber:
    """One row per run and metric of `newwiki experiment contrast`, and per metric of the articles: diversity,
    coherence, similarity to articles, and length of the texts."""

    run_id: str = column("The run, or reference:SNAPSHOT for the articles.")
    model: str = column("The model; Wikipedia for the articles.")
    decoder: str = column("The decoder in canonical form; reference for the articles.")
    metric: str = column("The metric.")
    evaluator_id: str = column("The evaluator that computed the scores.")
    prompts: int = column("The number of prompts that have a score.")
    texts: int = column("The number of texts that have a score.")
    lacking: int = column("The number of texts that have no score.")
    mean: float | None = column(
        "The mean score over texts; for mauve and diversity_simctg, the score of all texts together. NULL if "
        "there is no score."
    )
    low: float | None = column(
        "The lower end of the 95 % interval of the mean, clustered by prompt; NULL if there is no interval."
    )
    high: float | None = column(
        "The upper end of the 95 % interval of the mean, clustered by prompt; NULL if there is no interval."
    )
    no_interval: str | None = column(
        "Why there is no interval: too few prompts, no variance, or of all texts together. NULL if there is one."
    )
    spread: float | None = column("The standard deviation of mauve over its seeds; NULL for other metrics.")
    no_number: str | None = column("Why there is no mean; NULL if there is one.")


@result_table("contrast_variants", key=("model", "part", "place"))
@dataclass(frozen=True, kw_only=True)
class ContrastVariant:
    """One row per decoder in a part of an answer of `newwiki experiment contrast`. The part `decoders` has the decoders
    of the papers' tables; each other part is an ablation, which varies one parameter."""

    model: str = column("The model that writes, the expert.")
    part: str = column(
        "decoders, or the ablation: k, amateur-temperature, amateur-size, amateur-context, plausibility, sampling "
        "or beams."
    )
    place: int = column(
        "The position of the decoder in the part. The part decoders begins with contrastive decoding as in the papers."
    )
    parameter: str = column("The parameter that is varied; decoder in the part decoders.")
    value: str = column("The value of the parameter. The amateur `itself` is the expert.")
    decoder: str = column("The decoder in canonical form.")
