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
    """Each decoder of an answer of `newwiki experiment contrast` set beside contrastive decoding as in the papers,
    by prompts."""

    model: str = column("The model that writes.")
    part: str = column("The part of the answer (see contrast_variants).")
    decoder: str = column("The decoder in canonical form.")
    against: str = column("The decoder that it is compared with.")
    metric: str = column("The metric, one of single texts.")
    prompts: int = column("How many prompts have a number under both.")
    difference: float | None = column(
        "The mean of the prompts' differences, decoder less against; NULL where there are none."
    )
    low: float | None = column("The lower end of its 95 % interval; NULL where there is none.")
    high: float | None = column("The upper end.")
    p: float | None = column("p of no difference.")
    p_holm: float | None = column("The same after Holm's correction for all models, decoders and metrics of the part.")
    verdict: str = column("higher, lower, cannot tell, or too few prompts.")


@result_table("contrast_numbers", key=("run_id", "metric"))
@dataclass(frozen=True, kw_only=True)
class ContrastNumber:
    """How varied, coherent, near to articles and long the texts of each run of `newwiki experiment contrast` are,
    and the articles."""

    run_id: str = column("The run, or reference:SNAPSHOT for the articles.")
    model: str = column("The model; Wikipedia for the articles.")
    decoder: str = column("The decoder in canonical form; reference for the articles.")
    metric: str = column("The metric.")
    evaluator_id: str = column("Who made the number.")
    prompts: int = column("How many prompts have a number.")
    texts: int = column("How many texts have one.")
    lacking: int = column("How many have none.")
    mean: float | None = column(
        "The mean over texts; of mauve and diversity_simctg the number of all texts together. NULL where there is none."
    )
    low: float | None = column("The lower end of its 95 % interval, clustered by prompt.")
    high: float | None = column("The upper end.")
    no_interval: str | None = column(
        "Why there is no interval: too few prompts, no variance, or of all texts together."
    )
    spread: float | None = column("The standard deviation of mauve over its seeds; NULL for others.")
    no_number: str | None = column("Why there is no mean; NULL where there is one.")


@result_table("contrast_variants", key=("model", "part", "place"))
@dataclass(frozen=True, kw_only=True)
class ContrastVariant:
    """Which decoders `newwiki experiment contrast` set beside each other, by part of the answer: those of the
    papers' tables, and by ablation what is varied in one."""

    model: str = column("The model that writes, the expert.")
    part: str = column(
        "decoders, or the ablation: k, amateur-temperature, amateur-size, amateur-context, plausibility, sampling "
        "or beams."
    )
    place: int = column("The place in the part, of which decoders begins with contrastive decoding as in the papers.")
    parameter: str = column("The parameter that is varied; decoder where decoders are.")
    value: str = column("Its value; itself is an amateur that is the expert.")
    decoder: str = column("The decoder in canonical form.")
