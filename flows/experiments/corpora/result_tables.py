"""The result tables of `newwiki experiment corpora`."""

from dataclasses import dataclass
from typing import Literal

from flows.verdict_kinds import gives_verdicts
from storage.result_tables import column, result_table


@result_table("corpora", key=("corpus",))
@dataclass(frozen=True)
class CorpusFacts:
    """One row per corpus of an answer of `newwiki experiment corpora`, with the checkpoint that was fine-tuned on
    it."""

    corpus: str = column("The label of the corpus.")
    origin: str = column("The files, or the snapshots and the property that divides their articles.")
    texts: int = column("The number of distinct texts of the corpus.")
    repeated: int = column("The number of texts that were left out because the corpus already has them.")
    in_every: int = column("The number of the corpus' texts that are in all corpora of the answer.")
    texts_sha256: str = column("A hash of the texts.")
    training_sha256: str = column("A hash of everything that determines the training.")
    checkpoint: str = column("The folder of the checkpoint.")
    phrases: int = column("The number of noun phrases that count under any decoder.")
    unique_phrases: int = column("The number of noun phrases that count under any decoder but not in all corpora.")


@result_table("corpus_responses", key=("corpus", "decoder"))
@dataclass(frozen=True)
class CorpusResponses:
    """One row per run of an answer of `newwiki experiment corpora`: the checkpoint of a corpus under one decoder."""

    corpus: str = column("The corpus.")
    decoder: str = column("The decoder in canonical form.")
    run_id: str = column("The run.")
    responses: int = column("The number of responses of the run.")
    without_phrase: int = column("The number of responses without a noun phrase.")
    phrases: int = column("The number of noun phrases that occur in more responses than the threshold.")


@result_table("phrase_frequencies", key=("phrase", "corpus", "decoder"))
@dataclass(frozen=True)
class PhraseFrequency:
    """One row per noun phrase that counts for any corpus, corpus and decoder of an answer of `newwiki experiment
    corpora`: how often the responses have the phrase."""

    phrase: str = column("The phrase.")
    corpus: str = column("The corpus.")
    decoder: str = column("The decoder in canonical form.")
    responses: int = column("The number of responses that have the phrase.")
    share: float = column("The share of responses that have the phrase, from 0 to 1.")
    counts: bool = column("Whether the phrase is in more responses than the threshold.")


@gives_verdicts(
    "corpus_phrases",
    "prompts",
    given="fine-tuned checkpoints, decoders and seed",
    family="the phrases and pairs of corpora of the answer",
)
@result_table("corpus_phrases", key=("corpus", "phrase"))
@dataclass(frozen=True)
class CorpusPhrase:
    """One row per noun phrase of a corpus of an answer of `newwiki experiment corpora`. The phrases of a corpus are
    those that count under any decoder; they are common to all corpora or unique to some."""

    corpus: str = column("The corpus.")
    phrase: str = column("The phrase.")
    kind: Literal["common", "unique"] = column(
        "common (the phrase counts for all corpora) or unique (it counts only for some)."
    )
    corpora: int = column("The number of corpora for which the phrase counts.")
    share: float = column("The share of the corpus' responses that have the phrase; each decoder has the same weight.")
    low: float | None = column(
        "The lower end of the 95 % interval of the share, clustered by prompt; NULL if there is no interval."
    )
    high: float | None = column(
        "The upper end of the 95 % interval of the share, clustered by prompt; NULL if there is no interval."
    )
    no_interval: str | None = column("Why there is no interval; NULL if there is one.")
    against: str | None = column(
        "For a unique phrase, the corpus whose responses have the phrase most often although the phrase does not "
        "count for it; NULL for a common phrase.",
        default=None,
    )
    against_share: float | None = column(
        "The share of the responses of the corpus against that have the phrase; NULL for a common phrase.", default=None
    )
    difference: float | None = column(
        "The share minus against_share, by prompts; NULL for a common phrase.", default=None
    )
    difference_low: float | None = column("The lower end of the 95 % interval of the difference.", default=None)
    difference_high: float | None = column("The upper end of the 95 % interval of the difference.", default=None)
    p: float | None = column("The p-value of the test for no difference.", default=None)
    p_holm: float | None = column(
        "The p-value after Holm's correction for all phrases that could have become unique: phrases in more "
        "responses of two corpora together than the threshold requires of one corpus.",
        default=None,
    )
    verdict: str | None = column(
        "beyond chance, may be chance, or too few prompts; NULL for a common phrase.", default=None
    )
