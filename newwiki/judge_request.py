"""What a user may ask of pairwise judging: two runs, a rubric, and a model that judges (see `newwiki.request`)."""

from dataclasses import dataclass
from pathlib import Path

from newwiki.errors import UsageError
from newwiki.fields import asked
from newwiki.request import EvaluationRequest, Request


@dataclass(frozen=True, kw_only=True)
class PairsRequest(Request):
    """Which pairs of texts are judged, and by which questions."""

    run_a: str = asked(help="A run.", argument=True, metavar="RUN_A", example="gpt2/greedy")
    run_b: str = asked(help="Another on the same articles.", argument=True, metavar="RUN_B", example="gpt2/sample")
    pairs: int | None = asked(None, "Only so many pairs, drawn (one of each article).", at_least=1, example=150)
    rubric: Path | None = asked(
        None, "What is asked (coherence, fluency, informativeness, human).", metavar="FILE.toml"
    )
    across: tuple[str, ...] = asked(
        (), "Judge runs that differ in this setting of their protocol all the same (may be repeated).", metavar="NAME"
    )


@dataclass(frozen=True, kw_only=True)
class JudgeRequest(PairsRequest):
    """The same, and a model that is asked for what it has not yet judged, in both orders."""

    model: str | None = asked(
        None, "A model that judges: a folder, or what its backend knows by this name.", metavar="MODEL"
    )
    backend: str = asked(EvaluationRequest.backend, "Who runs the model.")
    model_args: dict[str, str] = asked(
        {}, "Such as base_url=http://127.0.0.1:8000/v1.", metavar="K=V,…", aliases=("--model_args",)
    )
    dtype: str = asked(EvaluationRequest.dtype, "auto is float32.", metavar="NAME")
    chat: bool = asked(False, "The question is the user's turn of the model's chat template.")
    max_new_tokens: int = asked(16, "Of an answer.", at_least=1, aliases=("--max_new_tokens",))
    bridge: str | None = asked(
        None, "Only 100 of the pairs that this judge has judged, to link the model to it.", metavar="JUDGE"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.bridge and not self.model:
            raise UsageError("--bridge links a new model to a judge; name the model with --model")

    @property
    def loading(self) -> dict[str, str]:
        """What the backend is loaded with."""
        return {"dtype": self.dtype, **({"chat": "yes"} if self.chat else {}), **self.model_args}
