"""What a run is made of, from a prompt to its scores: frozen records, all times in UTC."""

from dataclasses import dataclass, field
from datetime import date
from typing import Literal, Protocol

FinishReason = Literal["stop", "length", "context", "unknown"]
Direction = Literal["higher", "lower", "none"]
Scope = Literal["text", "run"]
# What the articles of a snapshot are told apart by where numbers are cut
Stratum = Literal["length", "citations", "infobox", "topic", "age"]


@dataclass(frozen=True)
class Prompt:
    """What a model is given: `text` is the run's template filled with title and first sentence."""

    page_id: int
    text: str


@dataclass(frozen=True)
class Completion:
    """What a model wrote: in `tokens`, in `words` split at white space; `truncated` if it did not end itself. Of a text
    that was written elsewhere the tokens are not known.

    `prompt_tokens` and `served_by` are what a server says that was asked for it: how long the prompt was, and what it
    is itself. `token_ids` are the tokens, without one that ended the text; None where another program wrote it.
    """

    page_id: int
    sample: int
    text: str
    tokens: int | None
    words: int
    finish_reason: FinishReason
    truncated: bool
    prompt_tokens: int | None = None
    served_by: str | None = None
    token_ids: tuple[int, ...] | None = None


@dataclass(frozen=True)
class Likelihood:
    """log p (natural) of each token of a completion given all before it; `truncated` where not all of it fitted into
    the model's context, and the tokens beyond have none."""

    log_probabilities: tuple[float, ...]
    truncated: bool


@dataclass(frozen=True)
class Passage:
    """A part of an article that a model has read: log p (natural) of each of its tokens given those before it, and how
    many bytes (UTF-8) these tokens stand for; where it is asked for, by how many standard deviations log p of each
    token is above what the model expects of it there."""

    log_probabilities: tuple[float, ...]
    bytes: int
    standardised: tuple[float, ...] = ()


@dataclass(frozen=True)
class Reading:
    """An article that a model has read: its prompt, and the rest; or why it has not read one of them."""

    prompt: "Passage | Unscorable"
    rest: "Passage | Unscorable"


# The largest size of a score: sums, squares and cubes of millions of such numbers are finite
LARGEST_SCORE = 1e100


@dataclass(frozen=True)
class Metric:
    """A number that an evaluator gives: its unit, range and better direction, its formula and where that comes from.

    Its `scope` is one text, or all kept texts of a run together. Its known `pitfalls` need not be given where the
    evaluator's docstring ends with them (`Pitfall: …`).
    """

    name: str
    unit: str
    minimum: float | None
    maximum: float | None
    direction: Direction
    definition: str
    source: str
    scope: Scope = "text"
    pitfalls: str = ""


@dataclass(frozen=True)
class Unscorable:
    """A reason for the absence of a number: NULL in the database, with this reason as its status."""

    reason: str


@dataclass(frozen=True)
class SetScore:
    """A number of a run, and the standard deviation over the draws or seeds that it is the mean of; None for one."""

    value: float
    spread: float | None = None


@dataclass(frozen=True)
class Fingerprint:
    """Who made a score. Scores are aggregated only where `evaluator_id`, a hash of all the rest, is the same."""

    evaluator_id: str
    name: str
    version: str
    model: str | None = None
    model_sha256: str | None = None
    parameters: dict[str, object] = field(default_factory=dict)
    dependencies: dict[str, str] = field(default_factory=dict)
    dtype: str | None = None
    backend: str | None = None


@dataclass(frozen=True)
class Score:
    """One number of one text: `value` is None where `status` is not `ok`."""

    page_id: int
    sample: int
    metric: str
    value: float | None
    status: str
    evaluator_id: str


class SourceArticle(Protocol):
    """The article that a text is about: a published one has these."""

    @property
    def title(self) -> str: ...
    @property
    def first_sentence(self) -> str: ...
    @property
    def completion(self) -> str: ...


@dataclass(frozen=True, kw_only=True)
class CheckedClaim:
    """The verdict on a sentence of a text, as it is stored: where the sentence stands (characters `start_char` up to
    `end_char`), the claim that was checked, its label (`supported`, `refuted`, `not enough info`), and the shares and
    the place of the evidence that decided; `evidence_cut` where the model read only the beginning of that."""

    page_id: int
    sample: int
    evaluator_id: str
    sentence: int
    start_char: int
    end_char: int
    claim: str
    checkable: bool
    label: str
    supported: float | None
    refuted: float | None
    not_enough_info: float | None
    evidence_title: str | None
    evidence_sentence: int | None
    evidence: str | None
    evidence_cut: bool | None


@dataclass(frozen=True)
class RunScore:
    """One number of a run that had so many kept `texts`: `value` is None where `status` is not `ok`."""

    metric: str
    value: float | None
    spread: float | None
    status: str
    evaluator_id: str
    texts: int


@dataclass(frozen=True, kw_only=True)
class Run:
    """A model under a decoder on the prompts of a snapshot. `run_id` is a hash of all that decides what is written;
    of texts that were written elsewhere seed and length are not known. `protocol` is of `newwiki.protocol`;
    None is what the other fields say. `numerics` is the version of our engine's bytes; None where another program
    computed. `knowledge_cutoff` is the last day of what the model can have seen, and `knowledge_cutoff_from` who says
    so (`newwiki.knowledge_cutoff`); None where nobody does."""

    run_id: str
    snapshot_id: str
    model: str
    model_sha256: str
    backend: str
    decoder: str
    decoder_parameters: str
    prompt_template: str
    prompts: int
    seed: int | None
    samples: int
    keep: int
    max_new_tokens: int | None
    dtype: str
    versions: str
    numerics: int | None = None
    protocol: str | None = None
    knowledge_cutoff: date | None = None
    knowledge_cutoff_from: str | None = None
