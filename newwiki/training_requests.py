"""The requests that train: a model on articles, and a scorer on graded texts (see `newwiki.request`)."""

from dataclasses import dataclass
from typing import Literal

from newwiki.errors import UsageError
from newwiki.fields import field
from newwiki.request import Request


@dataclass(frozen=True, kw_only=True)
class FinetuneRequest(Request):
    """The model to fine-tune, the articles, and the hyperparameters.

    The ten epochs are those of the New-Wiki Eval paper. The other defaults are those of transformers or our own,
    because neither that paper nor the one on DistilGPT-2 states them. `max_length` counts the tokens of prompt and
    article for `hf`, and of the article for `seq2seq`.
    """

    model: str = field(
        help="Model to fine-tune: a folder written by save_pretrained, or an id on the Hugging Face Hub.",
        argument=True,
        metavar="MODEL[@REVISION]",
    )
    snapshot: tuple[str, ...] = field(help="Snapshot to train on (may be repeated).", metavar="ID")
    backend: Literal["hf", "seq2seq"] = field(
        "hf", "Kind of model: hf is a causal language model, seq2seq an encoder-decoder."
    )
    epochs: int = field(10, "Number of passes over the articles.", at_least=1)
    batch_size: int = field(8, "Number of articles per optimization step.", at_least=1, aliases=("--batch_size",))
    learning_rate: float = field(5e-5, "Learning rate at the start; it decays linearly to 0.", above=0)
    max_length: int = field(1024, "Maximum number of tokens per article.", at_least=2)
    validation: float = field(0.1, "Share of articles to hold out, from 0 to below 1.")
    lora: int | None = field(
        None, "Train only a LoRA adapter of this rank, on all linear layers.", at_least=1, metavar="RANK"
    )
    dtype: Literal["float32", "bfloat16"] = field("float32", "Data type of the computation.")
    seed: int = field(0, "Random seed for the split and the order of articles.")
    checkpoint_every: int | None = field(
        None, "Number of steps between two checkpoints (default: one epoch).", at_least=1, metavar="STEPS"
    )
    keep_checkpoints: int = field(0, "Number of checkpoints to keep in --out.", at_least=0)
    evaluate_on: tuple[str, ...] = field(
        (),
        "Snapshot whose articles must not be trained on (default: the newest of each wiki; may be repeated).",
        metavar="ID",
        aliases=("--evaluation-snapshot",),
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.validation < 1:
            raise UsageError(f"--validation {self.validation:g} is out of range: give a share from 0 to below 1")


@dataclass(frozen=True, kw_only=True)
class TrainScorerRequest(Request):
    """The kind of scorer to train on graded texts, and the hyperparameters.

    A `transformer` is a small BERT from scratch, or the checkpoint `base`.
    """

    kind: Literal["lstm", "transformer"] = field("lstm", "Kind of model to train.")
    base: str | None = field(
        None, "Checkpoint that a transformer starts from (default: from scratch).", metavar="NAME[@REVISION]"
    )
    name: str = field("quality", "Name of the new metric.")
    reads: Literal["text", "sentence"] = field("text", "Unit that the scorer reads at a time.")
    held_out: float = field(0.1, "Share of texts to hold out for the test, between 0 and 1.")
    epochs: int = field(10, "Number of passes over the texts.", at_least=1)
    width: int | None = field(
        None, "Width of the widest layer (default: 300 for lstm, 256 for transformer).", at_least=4
    )
    vocabulary: int = field(20_000, "Maximum number of words in the vocabulary.", at_least=10)
    seed: int = field(0, "Random seed for the split and the training.")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.base and self.kind != "transformer":
            raise UsageError("--base needs a transformer: add --kind transformer, or leave out --base")
        if not 0 < self.held_out < 1:
            raise UsageError(f"--held-out {self.held_out:g} is out of range: give a share between 0 and 1")
