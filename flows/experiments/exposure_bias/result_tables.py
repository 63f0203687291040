"""The result tables of `newwiki experiment exposure-bias`."""

from dataclasses import dataclass

from flows.verdict_kinds import gives_verdicts
from storage.result_tables import column, result_table


@result_table("exposure_examples", key=("model", "decoder", "prefix", "rate"))
@dataclass(frozen=True, kw_only=True)
class ExposureExample:
    """A text after each kind of prefix, for people to read."""

    model: str = column("The model.")
    decoder: str = column("How it writes, in canonical form.")
    prefix: str = column("Where the prefix is from: model, data, shuffled (data) or corrupted (data).")
    rate: float = column("The share of its tokens that are replaced by random ones; 1 is a random prefix.")
    page_id: int = column("The page that the prompt is from.")
    prompt: str = column("The prompt.")
    prefix_end: str = column("The last tokens of the prefix.")
    written: str = column("What the model wrote after it.")


@result_table("exposure_measures", key=("model", "decoder", "metric", "prefix", "rate", "prefix_length", "gap"))
@dataclass(frozen=True, kw_only=True)
class ExposureMeasure:
    """The same over all seeds, the tables of `newwiki experiment exposure-bias`."""

    model: str = column("The model.")
    decoder: str = column("How it writes, in canonical form.")
    metric: str = column(
        "bleu, nist, meteor_exact_stem, backward_bleu or trigram_entropy, of what is written after a prefix; "
        "total_variation or jensen_shannon, of the next token's distributions."
    )
    prefix: str = column("Where the prefix is from: model, data, shuffled (data) or corrupted (data).")
    rate: float = column("The share of its tokens that are replaced by random ones; 1 is a random prefix.")
    prefix_length: int = column("How many tokens the prefix has, after the prompt.")
    gap: int = column("How many tokens the model has written between the prefix and what is measured.")
    seeds: int = column("Over how many seeds.")
    score: float = column("The mean score or CGD.")
    score_sd: float | None = column("Its standard deviation over seeds; NULL of one seed.")
    ratio: float | None = column("The geometric mean of EB-M or EB-C over seeds; NULL for the data's own prefixes.")
    ratio_sd: float | None = column("The standard deviation of the ratio over seeds.")
    low: float | None = column("The lower end of its 95 % interval over articles (over seeds in answers of version 1).")
    high: float | None = column("The upper end.")
    no_interval: str | None = column("Why there is none.")


@gives_verdicts(
    "exposure_trends",
    "articles",
    given="models, decoders and seeds",
    family="the models and decoders of the headline, by BLEU after their own prefixes",
)
@result_table("exposure_trends", key=("model", "decoder", "metric", "prefix", "rate", "along"))
@dataclass(frozen=True, kw_only=True)
class ExposureTrend:
    """How EB-M and EB-C are in the mean over lengths, and how they change along the prefix or along the gap."""

    model: str = column("The model.")
    decoder: str = column("How it writes, in canonical form.")
    metric: str = column(
        "bleu, nist, meteor_exact_stem, backward_bleu or trigram_entropy, of what is written after a prefix; "
        "total_variation or jensen_shannon, of the next token's distributions."
    )
    prefix: str = column("Where the prefix is from: model, data, shuffled (data) or corrupted (data).")
    rate: float = column("The share of its tokens that are replaced by random ones; 1 is a random prefix.")
    along: str = column("length, of prefixes without a gap, or gap, in the mean over lengths.")
    seeds: int = column("Over how many seeds.")
    mean: float | None = column("The geometric mean over seeds and lengths, or over seeds, lengths and gaps.")
    low: float | None = column("The lower end of its 95 % interval over articles (over seeds in answers of version 1).")
    high: float | None = column("The upper end.")
    p: float | None = column("Of the test that it is 1.")
    slope: float | None = column("What it gains by a token in the mean.")
    slope_low: float | None = column("The lower end of its 95 % interval over articles.")
    slope_high: float | None = column("The upper end.")
    slope_p: float | None = column("Of the test that it is 0.")
    no_interval: str | None = column("Why there is none.")


@result_table("exposure_scores", key=("model", "decoder", "metric", "prefix", "rate", "prefix_length", "gap", "seed"))
@dataclass(frozen=True, kw_only=True)
class ExposureScore:
    """What `newwiki experiment exposure-bias` measured, a row a seed."""

    model: str = column("The model.")
    decoder: str = column("How it writes, in canonical form.")
    metric: str = column(
        "bleu, nist, meteor_exact_stem, backward_bleu or trigram_entropy, of what is written after a prefix; "
        "total_variation or jensen_shannon, of the next token's distributions."
    )
    prefix: str = column("Where the prefix is from: model, data, shuffled (data) or corrupted (data).")
    rate: float = column("The share of its tokens that are replaced by random ones; 1 is a random prefix.")
    prefix_length: int = column("How many tokens the prefix has, after the prompt.")
    gap: int = column("How many tokens the model has written between the prefix and what is measured.")
    seed: int = column("Which seed.")
    texts: int = column("How many texts were measured.")
    score: float = column("The score of the texts, or the mean divergence (CGD).")
    ratio: float | None = column(
        "EB-M or EB-C, above 1 where this prefix is worse than the data's; NULL for the data's own, and where "
        "what it is divided by is 0."
    )
