"""The requests of pairwise judging: two runs, a rubric, and a model as judge (see `newwiki.request`)."""

from dataclasses import dataclass
from pathlib import Path

from newwiki.comparison_requests import SNAPSHOT_OF_RUNS
from newwiki.errors import UsageError
from newwiki.fields import field
from newwiki.request import EvaluationRequest, Request
from newwiki.settings import MODEL


@dataclass(frozen=True, kw_only=True)
class PairsRequest(Request):
    """The pairs of texts to judge, and the questions."""

    run_a: str = field(help="First run.", argument=True, metavar="RUN_A", example="gpt2/greedy")
    run_b: str = field(help="Second run, on the same articles.", argument=True, metavar="RUN_B", example="gpt2/sample")
    snapshot: str | None = field(None, SNAPSHOT_OF_RUNS, metavar="ID")
    pairs: int | None = field(None, "Number of pairs to draw (default: one per article).", at_least=1, example=150)
    rubric: Path | None = field(
        None, "Rubric of the judges (default: coherence, fluency, informativeness, human).", metavar="FILE.toml"
    )
    across: tuple[str, ...] = field(
        (), "Judge runs even if they differ in this protocol setting (may be repeated).", metavar="NAME"
    )


@dataclass(frozen=True, kw_only=True)
class JudgeRequest(PairsRequest):
    """The pairs to judge, and a model that judges those it has not judged yet, in both orders."""

    model: str | None = field(
        None, "Model that judges: a folder, or a name that its backend knows.", metavar="MODEL", group=MODEL
    )
    backend: str = field(EvaluationRequest.backend, "Model backend: hf, seq2seq, vllm or openai.", group=MODEL)
    model_args: dict[str, str] = field(
        {},
        "Arguments that load the model, such as base_url=http://127.0.0.1:8000/v1.",
        metavar="K=V,…",
        aliases=("--model_args",),
        group=MODEL,
    )
    dtype: str = field(
        EvaluationRequest.dtype, "Data type of the weights; auto is float32.", metavar="NAME", group=MODEL
    )
    chat: bool = field(False, "Put the question into the user turn of the model's chat template.", group=MODEL)
    max_new_tokens: int = field(
        16, "Maximum number of new tokens per answer.", at_least=1, aliases=("--max_new_tokens",), group=MODEL
    )
    bridge: str | None = field(
        None,
        "Judge only 100 of the pairs that this judge has judged, to link the model to it.",
        metavar="JUDGE",
        group=MODEL,
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.bridge and not self.model:
            raise UsageError("--bridge needs the new model to link: add --model MODEL")

    @property
    def loading(self) -> dict[str, str]:
        """The arguments that load the backend."""
        return {"dtype": self.dtype, **({"chat": "yes"} if self.chat else {}), **self.model_args}
