"""The records of a run, from a prompt to its scores: frozen, with all times in UTC."""

from dataclasses import KW_ONLY, dataclass, field
from datetime import date
from typing import Literal, Protocol

FinishReason = Literal["stop", "length", "context", "unknown"]
Direction = Literal["higher", "lower", "none"]
Scope = Literal["text", "run"]
# How the articles of a snapshot are divided for breakdowns of scores
Stratum = Literal["length", "citations", "infobox", "topic", "age", "holes", "tags"]


@dataclass(frozen=True)
class Prompt:
    """A model's input: `text` is the run's template filled with title and first sentence. In a chat it is the user's
    turn, `begun` is the text with which the model's answer begins, perhaps empty, and `instructed` is the user's turn
    for a server that cannot begin an answer."""

    page_id: int
    text: str
    begun: str = ""
    instructed: str = ""


@dataclass(frozen=True)
class Completion:
    """A model's output: its length in `tokens` and in `words` split at white space; `truncated` if it did not end by
    itself. The tokens of a text from elsewhere are unknown.

    `prompt_tokens`, `cached_tokens` and `served_by` are reported by a server: the length of the prompt, how much of it
    the server had in its cache, and the server's description of itself. `token_ids` are the tokens, without an
    end-of-text token; None if another program generated the text.

    `text` and its counts are those of the answer alone. `thinking` is what the model wrote before its answer, with
    `thinking_tokens`; None if it did not think. Of a server, `thinking` is empty if the server hides it, and
    `thinking_tokens` is None if the server does not count them (then `tokens` includes them). `thinking_ids` are all
    tokens between the prompt and the answer, or the sentence that begins it. `no_answer` is the reason why there is no
    answer (then `text` is empty, and never scored). `prose` is what is scored in place of a `text` that was cleaned;
    `words` counts what is scored.
    """

    page_id: int
    sample: int
    text: str
    tokens: int | None
    words: int
    finish_reason: FinishReason
    truncated: bool
    _: KW_ONLY
    prompt_tokens: int | None = None
    served_by: str | None = None
    token_ids: tuple[int, ...] | None = None
    thinking: str | None = None
    thinking_tokens: int | None = None
    thinking_ids: tuple[int, ...] | None = None
    no_answer: str | None = None
    prose: str | None = None
    cached_tokens: int | None = None


@dataclass(frozen=True)
class Likelihood:
    """log p (natural) of each token of a completion given all before it; `truncated` if the completion did not fit into
    the model's context, so later tokens have none."""

    log_probabilities: tuple[float, ...]
    truncated: bool


@dataclass(frozen=True)
class Passage:
    """A part of an article that a model has read: log p (natural) of each of its tokens given those before it, and the
    number of bytes (UTF-8) of these tokens; on request, how many standard deviations log p of each token is above the
    model's own expectation."""

    log_probabilities: tuple[float, ...]
    bytes: int
    standardised: tuple[float, ...] = ()


@dataclass(frozen=True)
class Reading:
    """An article that a model has read: its prompt and the rest, each with a reason if it was not read."""

    prompt: "Passage | Unscorable"
    rest: "Passage | Unscorable"


# The largest magnitude of a score: sums, squares and cubes of millions of such numbers stay finite
LARGEST_SCORE = 1e100


@dataclass(frozen=True)
class Metric:
    """A number that an evaluator computes: its unit, range and better direction, its formula and the formula's source.

    Its `scope` is one text, or all kept texts of a run together. `pitfalls` may be omitted if the evaluator's docstring
    ends with them (`Pitfall: …`).
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
    """The reason why a score cannot be computed: NULL in the database, with this reason as its status."""

    reason: str


@dataclass(frozen=True)
class SetScore:
    """A number of a run, and its standard deviation over draws or seeds if it is a mean; None for a single value."""

    value: float
    spread: float | None = None


@dataclass(frozen=True)
class Fingerprint:
    """The origin of a score. Scores are aggregated only if `evaluator_id`, a hash of all the rest, is the same."""

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
    """One number of one text: `value` is None if `status` is not `ok`."""

    page_id: int
    sample: int
    metric: str
    value: float | None
    status: str
    evaluator_id: str


class SourceArticle(Protocol):
    """The article that a text is about, as published articles have it."""

    @property
    def title(self) -> str: ...
    @property
    def first_sentence(self) -> str: ...
    @property
    def completion(self) -> str: ...


@dataclass(frozen=True, kw_only=True)
class CheckedClaim:
    """The stored verdict on a sentence of a text: the sentence's position (characters `start_char` up to `end_char`),
    the claim that was checked, its label (`supported`, `refuted`, `not enough info`), and the probabilities and
    position of the decisive evidence; `evidence_cut` if the model read only its beginning."""

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
    """One number of a run with `texts` kept texts: `value` is None if `status` is not `ok`."""

    metric: str
    value: float | None
    spread: float | None
    status: str
    evaluator_id: str
    texts: int


@dataclass(frozen=True, kw_only=True)
class Run:
    """A model under a decoder on the prompts of a snapshot. `run_id` is a hash of everything that decides the texts;
    seed and length are unknown for texts from elsewhere. `protocol` is in the form of `newwiki.protocol`; None means
    that it follows from the other fields. `numerics` is the version of our engine's output bytes; None if another
    program generated. `knowledge_cutoff` is the last day of what the model can have seen, and `knowledge_cutoff_from`
    its source (`newwiki.knowledge_cutoff`); None if unknown. `prompt_sheet` is a JSON object about the first prompt
    (`newwiki.models.prompt_sheet`), or the fields of the first request to a server; None if it is not known."""

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
    prompt_sheet: str | None = None
