"""The requests of pairwise judging: two runs, a rubric, and a model as judge (see `newwiki.request`)."""

from dataclasses import dataclass
from pathlib import Path

from newwiki.errors import UsageError
from newwiki.fields import asked
from newwiki.request import EvaluationRequest, Request


@dataclass(frozen=True, kw_only=True)
class PairsRequest(Request):
    """The pairs of texts to judge, and the questions."""

    run_a: str = asked(help="First run.", argument=True, metavar="RUN_A", example="gpt2/greedy")
    run_b: str = asked(help="Second run, on the same articles.", argument=True, metavar="RUN_B", example="gpt2/sample")
    pairs: int | None = asked(None, "Number of pairs to draw (default: one per article).", at_least=1, example=150)
    rubric: Path | None = asked(
        None, "Rubric of the judges (default: coherence, fluency, informativeness, human).", metavar="FILE.toml"
    )
    across: tuple[str, ...] = asked(
        (), "Judge runs even if they differ in this protocol setting (may be repeated).", metavar="NAME"
    )


@dataclass(frozen=True, kw_only=True)
class JudgeRequest(PairsRequest):
    """The pairs to judge, and a model that judges those it has not judged yet, in both orders."""

    model: str | None = asked(None, "Model that judges: a folder, or a name that its backend knows.", metavar="MODEL")
    backend: str = asked(EvaluationRequest.backend, "Model backend: hf, seq2seq, vllm or openai.")
    model_args: dict[str, str] = asked(
        {},
        "Arguments that load the model, such as base_url=http://127.0.0.1:8000/v1.",
        metavar="K=V,…",
        aliases=("--model_args",),
    )
    dtype: str = asked(EvaluationRequest.dtype, "Data type of the weights; auto is float32.", metavar="NAME")
    chat: bool = asked(False, "Put the question into the user turn of the model's chat template.")
    max_new_tokens: int = asked(
        16, "Maximum number of new tokens per answer.", at_least=1, aliases=("--max_new_tokens",)
    )
    bridge: str | None = asked(
        None, "Judge only 100 of the pairs that this judge has judged, to link the model to it.", metavar="JUDGE"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.bridge and not self.model:
            raise UsageError("--bridge needs the new model to link: add --model MODEL")

    @property
    def loading(self) -> dict[str, str]:
        """The arguments that load the backend."""
        return {"dtype": self.dtype, **({"chat": "yes"} if self.chat else {}), **self.model_args}
