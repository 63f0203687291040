"""The request of `newwiki reproduce` (see `newwiki.request`)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from newwiki.errors import UsageError
from newwiki.fields import field
from newwiki.request import EvaluationRequest, Request


@dataclass(frozen=True, kw_only=True)
class ReproduceRequest(Request):
    """The paper to reproduce, the articles, the models, and the scale."""

    paper: str = field(
        help="Paper to reproduce: 000 (or 000-1, 000-2, 000-3), 001, 002, 003 or 004.", argument=True, metavar="PAPER"
    )
    stand_in: tuple[str, ...] = field(
        (),
        "Model of yours that replaces one of the paper, named as in the paper or on the Hub (may be repeated).",
        metavar="NAME=MODEL",
        example="GPT-2=gpt2",
    )
    scale: float = field(1.0, "Share of the paper's prompts, samples and lengths, at most 1.", above=0)
    snapshot: str = field(EvaluationRequest.snapshot, "Snapshot to evaluate on.", metavar="ID")
    old: str | None = field(
        None, "Snapshot of old articles (default: the newest of --kind old of the same wiki).", metavar="ID"
    )
    model_args: dict[str, str] = field(
        {}, "Arguments that load all models, such as device=cpu.", metavar="K=V,…", aliases=("--model_args",)
    )
    batch_size: int | None = field(
        None,
        "Number of completions generated at once; auto is the fastest number that fits into memory.",
        at_least=1,
        none="auto",
        metavar="N|auto",
        aliases=("--batch_size",),
        example=16,
    )
    dtype: str = field(EvaluationRequest.dtype, "Data type of the weights; auto is float32.", metavar="NAME")
    seed: int = field(EvaluationRequest.seed, "Random seed for sampling.")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.scale > 1:
            raise UsageError(f"--scale {self.scale:g} is out of range: give a share above 0 and at most 1")
        for one in self.stand_in:
            name, equals, model = one.partition("=")
            if not (name and equals and model):
                raise UsageError(f"--stand-in '{one}' is malformed: write NAME=MODEL, such as GPT-2=gpt2")
        if len(self.stand_ins) < len(self.stand_in):
            raise UsageError("--stand-in names the same model twice: leave one out")

    @property
    def stand_ins(self) -> Mapping[str, str]:
        """The replacement model by the name in the paper or on the Hub."""
        return {name: model for name, _, model in (one.partition("=") for one in self.stand_in)}

    @property
    def how(self) -> dict[str, Any]:
        """The fields that an evaluation has as well."""
        names = ("snapshot", "model_args", "batch_size", "dtype", "seed")
        return {name: getattr(self, name) for name in names}
