"""The result tables of `newwiki experiment exposure-bias`."""

from dataclasses import dataclass

from flows.verdict_kinds import gives_verdicts
from storage.result_tables import column, result_table


@result_table("exposure_examples", key=("model", "decoder", "prefix", "rate"))
@dataclass(frozen=True, kw_only=True)
class ExposureExample:
    """One row per model, decoder, kind of prefix and rate of `newwiki experiment exposure-bias`: a text that the model
    wrote after such a prefix, for people to read."""

    model: str = column("The model.")
    decoder: str = column("The decoder in canonical form.")
    prefix: str = column("The source of the prefix: model, data, shuffled (data) or corrupted (data).")
    rate: float = column("The share of the prefix's tokens that are replaced by random ones; 1 is a random prefix.")
    page_id: int = column("The page from which the prompt comes.")
    prompt: str = column("The prompt.")
    prefix_end: str = column("The last tokens of the prefix.")
    written: str = column("The text that the model wrote after the prefix.")


@result_table("exposure_measures", key=("model", "decoder", "metric", "prefix", "rate", "prefix_length", "gap"))
@dataclass(frozen=True, kw_only=True)
class ExposureMeasure:
    """One row per model, decoder, metric, kind of prefix, rate, prefix length and gap of `newwiki experiment
    exposure-bias`: score and ratio over all seeds."""

    model: str = column("The model.")
    decoder: str = column("The decoder in canonical form.")
    metric: str = column(
        "bleu, nist, meteor_exact_stem, backward_bleu or trigram_entropy, for the text that the model writes "
        "after a prefix; total_variation or jensen_shannon, for next-token distributions."
    )
    prefix: str = column("The source of the prefix: model, data, shuffled (data) or corrupted (data).")
    rate: float = column("The share of the prefix's tokens that are replaced by random ones; 1 is a random prefix.")
    prefix_length: int = column("The number of tokens of the prefix, after the prompt.")
    gap: int = column("The number of tokens that the model has written between the prefix and the measured part.")
    seeds: int = column("The number of seeds.")
    score: float = column("The mean score or CGD over seeds.")
    score_sd: float | None = column("The standard deviation of the score over seeds; NULL for a single seed.")
    ratio: float | None = column("The geometric mean of EB-M or EB-C over seeds; NULL for prefixes from the data.")
    ratio_sd: float | None = column("The standard deviation of the ratio over seeds.")
    low: float | None = column(
        "The lower end of the 95 % interval of the ratio over articles (over seeds in answers of version 1)."
    )
    high: float | None = column(
        "The upper end of the 95 % interval of the ratio over articles (over seeds in answers of version 1)."
    )
    no_interval: str | None = column("Why there is no interval; NULL if there is one.")


@gives_verdicts(
    "exposure_trends",
    "articles",
    given="models, decoders and seeds",
    family="the models and decoders of the headline, by BLEU after their own prefixes",
)
@result_table("exposure_trends", key=("model", "decoder", "metric", "prefix", "rate", "along"))
@dataclass(frozen=True, kw_only=True)
class ExposureTrend:
    """One row per model, decoder, metric, kind of prefix, rate and direction of `newwiki experiment exposure-bias`: the
    mean of EB-M or EB-C over lengths, and its change along the prefix or along the gap."""

    model: str = column("The model.")
    decoder: str = column("The decoder in canonical form.")
    metric: str = column(
        "bleu, nist, meteor_exact_stem, backward_bleu or trigram_entropy, for the text that the model writes "
        "after a prefix; total_variation or jensen_shannon, for next-token distributions."
    )
    prefix: str = column("The source of the prefix: model, data, shuffled (data) or corrupted (data).")
    rate: float = column("The share of the prefix's tokens that are replaced by random ones; 1 is a random prefix.")
    along: str = column(
        "length (the change along prefixes without a gap), or gap (the change along the gap, averaged over lengths)."
    )
    seeds: int = column("The number of seeds.")
    mean: float | None = column(
        "The geometric mean of EB-M or EB-C over seeds and lengths, or over seeds, lengths and gaps."
    )
    low: float | None = column(
        "The lower end of the 95 % interval of the mean over articles (over seeds in answers of version 1)."
    )
    high: float | None = column(
        "The upper end of the 95 % interval of the mean over articles (over seeds in answers of version 1)."
    )
    p: float | None = column("The p-value of the test that the mean is 1.")
    slope: float | None = column("The mean increase of EB-M or EB-C per token.")
    slope_low: float | None = column("The lower end of the 95 % interval of the slope over articles.")
    slope_high: float | None = column("The upper end of the 95 % interval of the slope over articles.")
    slope_p: float | None = column("The p-value of the test that the slope is 0.")
    no_interval: str | None = column("Why there is no interval; NULL if there is one.")


@result_table("exposure_scores", key=("model", "decoder", "metric", "prefix", "rate", "prefix_length", "gap", "seed"))
@dataclass(frozen=True, kw_only=True)
class ExposureScore:
    """One row per model, decoder, metric, kind of prefix, rate, prefix length, gap and seed of `newwiki experiment
    exposure-bias`: the measured score."""

    model: str = column("The model.")
    decoder: str = column("The decoder in canonical form.")
    metric: str = column(
        "bleu, nist, meteor_exact_stem, backward_bleu or trigram_entropy, for the text that the model writes "
        "after a prefix; total_variation or jensen_shannon, for next-token distributions."
    )
    prefix: str = column("The source of the prefix: model, data, shuffled (data) or corrupted (data).")
    rate: float = column("The share of the prefix's tokens that are replaced by random ones; 1 is a random prefix.")
    prefix_length: int = column("The number of tokens of the prefix, after the prompt.")
    gap: int = column("The number of tokens that the model has written between the prefix and the measured part.")
    seed: int = column("The random seed.")
    texts: int = column("The number of texts that were measured.")
    score: float = column("The score of the texts, or the mean divergence (CGD).")
    ratio: float | None = column(
        "EB-M or EB-C, above 1 if this prefix is worse than the prefix from the data. NULL for prefixes from the "
        "data, and if the denominator is 0."
    )
