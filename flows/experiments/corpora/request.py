"""`newwiki experiment corpora`: compare what one model writes after fine-tuning on different corpora."""

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal

from flows.experiments.experiment import Experiment
from newwiki.errors import UsageError
from newwiki.experiment_request import ExperimentRequest
from newwiki.fields import field, fields_of
from newwiki.request import EvaluationRequest
from newwiki.training_requests import FinetuneRequest

# Ottaviani and Stahlschmidt 2024 give only the kinds of decoder (section 3). k, p and alpha come from the two papers
# that they cite for them: Su and Xu 2022, and Su and Collier 2022.
SEARCHES = ("sample:top_k=50", "sample:top_p=0.95", "contrastive-search:top_k=5,penalty_alpha=0.6")


@dataclass(frozen=True, kw_only=True)
class CorporaRequest(ExperimentRequest):
    """The checkpoint, the corpora for fine-tuning, the prompts, and the rule for which noun phrases count.

    The experiment reads all responses.
    """

    UNUSED: ClassVar = ("likelihood_only", "metrics", "budget", "keep")

    models: tuple[str, ...] = field(
        help="Checkpoint to fine-tune on each corpus: a folder or a Hub id.", argument=True, metavar="MODEL"
    )
    corpus_file: tuple[Path, ...] = field(
        (), "File of corpora: a .csv or .parquet with the columns label and text (may be repeated).", metavar="FILE"
    )
    train_on: tuple[str, ...] = field((), "Snapshot whose articles form the corpora (may be repeated).", metavar="ID")
    by: Literal["topic", "infobox"] = field("topic", "Property that splits the articles of --train-on into corpora.")
    label: tuple[str, ...] = field((), "Label of a corpus to use (default: all; may be repeated).", metavar="LABEL")
    decoder: tuple[str, ...] = field(SEARCHES, "Decoder of the responses (may be repeated).", metavar="SPEC")
    snapshot: str = field(
        EvaluationRequest.snapshot, "Snapshot whose articles are the prompts, without --prompt-file.", metavar="ID"
    )
    prompt_file: Path | None = field(
        None, "File of prompts: a .txt with one prompt per line.", metavar="FILE", example="prompts.txt"
    )
    prompts: int | None = field(
        None, "Use only the first N prompts (default: all).", at_least=1, aliases=("--limit",), example=100
    )
    samples: int = field(1, "Number of responses per prompt, for decoders that sample.", at_least=1)
    keep: int = field(1, "Number of responses per prompt to read: always --samples.", at_least=1)
    max_new_tokens: int = field(
        128, "Maximum number of new tokens per response.", at_least=1, aliases=("--max_new_tokens",)
    )
    noun_phrases: str = field(
        "spacy:en_core_web_sm",
        "Finder of noun phrases: a spaCy pipeline with a parser, or chunks-v1, a simple substitute.",
        metavar="NAME",
    )
    threshold: float = field(
        0.1, "Share of a decoder's responses above which a phrase counts, between 0 and 1.", above=0
    )
    epochs: int = field(FinetuneRequest.epochs, "Number of passes over the texts.", at_least=1)
    learning_rate: float = field(
        FinetuneRequest.learning_rate, "Learning rate at the start; it decays linearly to 0.", above=0
    )
    training_batch: int = field(FinetuneRequest.batch_size, "Number of texts per optimization step.", at_least=1)
    max_length: int = field(FinetuneRequest.max_length, "Maximum number of tokens per text.", at_least=2)

    def __post_init__(self) -> None:
        usual = {option.name: option.default for option in fields_of(type(self))}
        self.keep_all("responses per prompt are read")
        self.require_writing()
        super().__post_init__()
        self._require_corpora(usual["by"])
        if self.metrics != usual["metrics"]:
            raise UsageError(
                "--metrics is not supported: corpora counts noun phrases; score the runs with `newwiki score`"
            )
        if self.prompt_file and self.snapshot != usual["snapshot"]:
            raise UsageError("--snapshot and --prompt-file exclude each other: both name the prompts; leave one out")
        if self.threshold >= 1:
            raise UsageError(f"--threshold {self.threshold:g} is out of range: give a share between 0 and 1")

    def _require_corpora(self, usually_by: str) -> None:
        if len(self.models) != 1:
            raise UsageError(f"corpora fine-tunes one checkpoint, and {len(self.models)} are named: name one")
        if self.backend not in ("hf", "seq2seq"):
            raise UsageError(f"--backend {self.backend} cannot fine-tune a model: use hf or seq2seq")
        if "revision" in self.model_args:
            raise UsageError("--model-args revision=… is not supported here: write the checkpoint as MODEL@REVISION")
        if bool(self.corpus_file) == bool(self.train_on):
            raise UsageError("exactly one source of corpora is needed: give --corpus-file or --train-on")
        if self.by != usually_by and not self.train_on:
            raise UsageError("--by needs --train-on: the texts of a --corpus-file are split by its column label")
        if len(self.label) == 1:
            raise UsageError(f"--label {self.label[0]} leaves nothing to compare with: give at least one more --label")


EXPERIMENT = Experiment(
    name="corpora",
    version="1",
    title="Corpora by their noun phrases",
    question="Which noun phrases does a model write because of the corpus that it was fine-tuned on?",
    source="Ottaviani and Stahlschmidt 2024, On the performativity of SDG classifications in large bibliometric "
    "databases",
    help="Fine-tune one checkpoint on each of several corpora, give all copies the same prompts under each decoder, "
    "and compare the noun phrases of their responses. Phrases in more than 10 % of the responses count, as "
    "common to all corpora or unique to some.",
    example="newwiki experiment corpora distilgpt2 --train-on enwiki-2026-08 --by topic --snapshot enwiki-2026-09",
    request=CorporaRequest,
    scores=False,
)
