"""What a user may ask of `newwiki reproduce` (see `newwiki.request`)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from newwiki.errors import UsageError
from newwiki.fields import asked
from newwiki.request import EvaluationRequest, Request


@dataclass(frozen=True, kw_only=True)
class ReproduceRequest(Request):
    """Which paper is carried out, on which articles, with which models, and how much of it."""

    paper: str = asked(help="000 (or 000-1, 000-2, 000-3), 001, 002, 003 or 004.", argument=True, metavar="PAPER")
    stand_in: tuple[str, ...] = asked(
        (),
        "A model of yours in the place of one of the paper's, by its name there or on the hub (may be repeated).",
        metavar="NAME=MODEL",
        example="GPT-2=gpt2",
    )
    scale: float = asked(1.0, "The share of the paper's prompts, samples and lengths; at most 1.", above=0)
    snapshot: str = asked(EvaluationRequest.snapshot, "The articles.", metavar="ID")
    old: str | None = asked(None, "Old articles (the newest snapshot of old ones of the same wiki).", metavar="ID")
    model_args: dict[str, str] = asked(
        {}, "Such as device=cpu, of all models.", metavar="K=V,…", aliases=("--model_args",)
    )
    batch_size: int | None = asked(
        None,
        "Completions at once (as many as are fastest, and fit).",
        at_least=1,
        none="auto",
        metavar="N|auto",
        aliases=("--batch_size",),
        example=16,
    )
    dtype: str = asked(EvaluationRequest.dtype, "auto is float32.", metavar="NAME")
    seed: int = asked(EvaluationRequest.seed, "Of the sampling.")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.scale > 1:
            raise UsageError(f"--scale is a share of what the paper did, and at most 1, not {self.scale:g}")
        for one in self.stand_in:
            name, equals, model = one.partition("=")
            if not (name and equals and model):
                raise UsageError(f"--stand-in is written NAME=MODEL, such as GPT-2=gpt2, not '{one}'")
        if len(self.stand_ins) < len(self.stand_in):
            raise UsageError("two --stand-in are for one model; name one of them")

    @property
    def stand_ins(self) -> Mapping[str, str]:
        """By the paper's name, or the hub's, the model that takes its place."""
        return {name: model for name, _, model in (one.partition("=") for one in self.stand_in)}

    @property
    def how(self) -> dict[str, Any]:
        """The fields that an evaluation has, too."""
        names = ("snapshot", "model_args", "batch_size", "dtype", "seed")
        return {name: getattr(self, name) for name in names}
