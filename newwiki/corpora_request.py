"""What a user may ask of the experiment `corpora` (see `newwiki.experiment_request`)."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from newwiki.errors import UsageError
from newwiki.experiment_request import ExperimentRequest
from newwiki.fields import asked, fields_of
from newwiki.request import EvaluationRequest, FinetuneRequest

# Of Ottaviani and Stahlschmidt 2024 only the kinds are known (section 3); k, p and alpha are those of the two papers
# that it names for them, Su and Xu 2022 and Su and Collier 2022
SEARCHES = ("sample:top_k=50", "sample:top_p=0.95", "contrastive-search:top_k=5,penalty_alpha=0.6")


@dataclass(frozen=True, kw_only=True)
class CorporaRequest(ExperimentRequest):
    """Which checkpoint is fine-tuned on which corpora, what its copies are asked, and which of their noun phrases
    count. All responses are read."""

    models: tuple[str, ...] = asked(
        help="The one that is fine-tuned on each corpus: a folder or a hub id.", argument=True, metavar="MODEL"
    )
    corpus_file: tuple[Path, ...] = asked(
        (), "Corpora: a .csv or .parquet with the columns label and text (may be repeated).", metavar="FILE"
    )
    train_on: tuple[str, ...] = asked(
        (), "Corpora of articles: the snapshots that have them (may be repeated).", metavar="ID"
    )
    by: Literal["topic", "infobox"] = asked("topic", "What the articles of --train-on are told apart by.")
    label: tuple[str, ...] = asked((), "Only the corpus of this label (all; may be repeated).", metavar="LABEL")
    decoder: tuple[str, ...] = asked(SEARCHES, "How they respond (may be repeated).", metavar="SPEC")
    snapshot: str = asked(
        EvaluationRequest.snapshot, "Whose articles they are prompted with, without a --prompt-file.", metavar="ID"
    )
    prompt_file: Path | None = asked(None, "Prompts, a .txt with one a line.", metavar="FILE", example="prompts.txt")
    prompts: int | None = asked(None, "Only the first so many (all).", at_least=1, aliases=("--limit",), example=100)
    samples: int = asked(1, "Responses to a prompt, under decoders that draw.", at_least=1)
    keep: int = asked(1, "As many as --samples: all are read.", at_least=1)
    max_new_tokens: int = asked(128, "Of a response.", at_least=1, aliases=("--max_new_tokens",))
    noun_phrases: str = asked(
        "spacy:en_core_web_sm",
        "Who finds noun phrases: a spaCy pipeline that parses, or chunks-v1, a stand-in.",
        metavar="NAME",
    )
    threshold: float = asked(0.1, "The share of a decoder's responses above which a phrase counts.", above=0)
    epochs: int = asked(FinetuneRequest.epochs, "How often each text is learnt.", at_least=1)
    learning_rate: float = asked(FinetuneRequest.learning_rate, "At the start; it falls to 0.", above=0)
    training_batch: int = asked(FinetuneRequest.batch_size, "Texts a step of the training.", at_least=1)
    max_length: int = asked(FinetuneRequest.max_length, "Tokens that are learnt of a text.", at_least=2)

    def __post_init__(self) -> None:
        usual = {one.name: one.default for one in fields_of(type(self))}
        if self.keep not in (usual["keep"], self.samples):
            raise UsageError(f"all {self.samples} responses to a prompt are read; leave --keep out")
        object.__setattr__(self, "keep", self.samples)
        self.require_writing()
        super().__post_init__()
        self._require_corpora(usual["by"])
        if self.metrics != usual["metrics"]:
            raise UsageError("noun phrases are counted here; `newwiki score` scores the runs, leave --metrics out")
        if self.prompt_file and self.snapshot != usual["snapshot"]:
            raise UsageError("they are prompted with the articles of --snapshot or by --prompt-file; leave one out")
        if self.threshold >= 1:
            raise UsageError(f"--threshold is a share between 0 and 1, not {self.threshold:g}")

    def _require_corpora(self, usually_by: str) -> None:
        if len(self.models) != 1:
            raise UsageError(f"one checkpoint is fine-tuned on each corpus, and {len(self.models)} are named; name one")
        if self.backend not in ("hf", "seq2seq"):
            raise UsageError(f"backend '{self.backend}' cannot be fine-tuned; take hf or seq2seq")
        if "revision" in self.model_args:
            raise UsageError("a revision is of the checkpoint that is fine-tuned; write it as MODEL@REVISION")
        if bool(self.corpus_file) == bool(self.train_on):
            raise UsageError("corpora are those of --corpus-file, or the articles of --train-on; give one of them")
        if self.by != usually_by and not self.train_on:
            raise UsageError("--by is of the articles of --train-on; the labels of a file tell its texts apart")
        if len(self.label) == 1:
            raise UsageError(f"'{self.label[0]}' alone is compared with nothing; give another --label")
