"""The result tables of `newwiki experiment corpora`."""

from dataclasses import dataclass
from typing import Literal

from flows.verdict_kinds import gives_verdicts
from storage.result_tables import column, result_table


@result_table("corpora", key=("corpus",))
@dataclass(frozen=True)
class CorpusFacts:
    """The corpora of an answer of `newwiki experiment corpora`, and the checkpoint that was fine-tuned on each."""

    corpus: str = column("Its label.")
    origin: str = column("The files, or the snapshots and what tells their articles apart.")
    texts: int = column("How many different texts it has.")
    repeated: int = column("How many were left out, as they stand there already.")
    in_every: int = column("How many of its texts stand in all corpora of the answer.")
    texts_sha256: str = column("A hash of its texts.")
    training_sha256: str = column("A hash of all that decides the training.")
    checkpoint: str = column("The folder of the checkpoint.")
    phrases: int = column("How many noun phrases count under any decoder.")
    unique_phrases: int = column("How many of them do not count in all corpora.")


@result_table("corpus_responses", key=("corpus", "decoder"))
@dataclass(frozen=True)
class CorpusResponses:
    """The runs of an answer of `newwiki experiment corpora`: each corpus' checkpoint under each decoder."""

    corpus: str = column("The corpus.")
    decoder: str = column("The decoder in canonical form.")
    run_id: str = column("The run.")
    responses: int = column("How many responses it has.")
    without_phrase: int = column("How many of them have no noun phrase.")
    phrases: int = column("How many noun phrases are in more of the responses than the threshold.")


@result_table("phrase_frequencies", key=("phrase", "corpus", "decoder"))
@dataclass(frozen=True)
class PhraseFrequency:
    """How often the responses have each noun phrase that counts for any corpus, by corpus and decoder."""

    phrase: str = column("The phrase.")
    corpus: str = column("The corpus.")
    decoder: str = column("The decoder in canonical form.")
    responses: int = column("In how many responses it is.")
    share: float = column("In which share of them.")
    counts: bool = column("Whether that is above the threshold.")


@gives_verdicts(
    "corpus_phrases",
    "prompts",
    given="fine-tuned checkpoints, decoders and seed",
    family="the phrases and pairs of corpora of the answer",
)
@result_table("corpus_phrases", key=("corpus", "phrase"))
@dataclass(frozen=True)
class CorpusPhrase:
    """The set of noun phrases of each corpus: those that count under any decoder, common to all corpora or unique
    to some."""

    corpus: str = column("The corpus.")
    phrase: str = column("The phrase.")
    kind: Literal["common", "unique"] = column("common: in the sets of all corpora; unique: in those of some.")
    corpora: int = column("In the sets of how many corpora.")
    share: float = column("The share of the corpus' responses that have it, each decoder counted alike.")
    low: float | None = column("The lower end of its 95 % interval, clustered by prompt.")
    high: float | None = column("The upper end.")
    no_interval: str | None = column("Why there is none.")
    against: str | None = column(
        "For a unique phrase, the corpus whose responses have it most often although its set lacks it.", default=None
    )
    against_share: float | None = column("The share of that corpus' responses.", default=None)
    difference: float | None = column("The share less that, prompt by prompt.", default=None)
    difference_low: float | None = column("The lower end of its 95 % interval.", default=None)
    difference_high: float | None = column("The upper end.", default=None)
    p: float | None = column("Of no difference.", default=None)
    p_holm: float | None = column(
        "The same after Holm's correction for all phrases that might have come to be unique: in more responses of "
        "two corpora together than the threshold asks of one.",
        default=None,
    )
    verdict: str | None = column("beyond chance, may be chance, or too few prompts.", default=None)
