"""The request of a verdict on two runs, or on a checkpoint that is evaluated until the verdict is sure."""

from dataclasses import dataclass

from newwiki.comparison_requests import SNAPSHOT_OF_RUNS, ComparisonRequest
from newwiki.errors import UsageError
from newwiki.fields import field, fields_of
from newwiki.request import EvaluationRequest, Request
from newwiki.settings import MODEL

# Fields that apply only to a checkpoint that is evaluated
LOADING_FIELDS = (
    "margin", "backend", "model_args", "decoder", "dtype", "batch_size", "memory", "allow_pickle", "trust_remote_code",
    "knowledge_cutoff",
)  # fmt: skip
_HELP = {name: declared.help for declared in fields_of(EvaluationRequest) for name in [declared.name]}


@dataclass(frozen=True, kw_only=True)
class VerdictRequest(Request):
    """The run or checkpoint to judge, the run to judge it against, and the metrics that decide.

    With `until_sure` the candidate is a checkpoint. It is evaluated with the settings of the baseline, apart from those
    that are given here.
    """

    candidate: str = field(
        help="Run to judge: the beginning of its id, or the end of MODEL/DECODER; a checkpoint with --until-sure.",
        argument=True,
        metavar="A",
    )
    baseline: str = field(help="Run to judge it against.", argument=True, metavar="B")
    snapshot: str | None = field(None, SNAPSHOT_OF_RUNS, metavar="ID")
    metrics: str = field(
        ComparisonRequest.metrics,
        "Metrics that decide (content: those that tell an article from another on the snapshot, where that is known).",
        metavar="content|all|NAME,…",
        names=True,
    )
    seed: int = field(0, "Random seed for the sign flips, and for the order of prompts with --until-sure.")
    until_sure: bool = field(
        False, "Evaluate the checkpoint A in rounds of prompts, and stop as soon as the verdict is sure."
    )
    margin: float | None = field(
        None, "Stop as well when all metrics surely differ by less than this.", above=0, example=0.02
    )
    decoder: str | None = field(None, "Decoder of the checkpoint (default: that of B).", metavar="SPEC", group=MODEL)
    backend: str | None = field(
        None, "Model backend of the checkpoint (default: that of B).", metavar="NAME", group=MODEL
    )
    model_args: dict[str, str] = field({}, _HELP["model_args"], metavar="K=V,…", aliases=("--model_args",), group=MODEL)
    dtype: str | None = field(None, "Data type of the weights (default: that of B).", metavar="NAME", group=MODEL)
    batch_size: int | None = field(
        None, _HELP["batch_size"], at_least=1, none="auto", metavar="N|auto", aliases=("--batch_size",), group=MODEL
    )
    memory: str | None = field(None, _HELP["memory"], metavar="SIZE", example="1GB", group=MODEL)
    allow_pickle: bool = field(False, _HELP["allow_pickle"], group=MODEL)
    trust_remote_code: bool = field(False, _HELP["trust_remote_code"], aliases=("--trust_remote_code",), group=MODEL)
    knowledge_cutoff: str | None = field(
        None, _HELP["knowledge_cutoff"], metavar="YYYY-MM[-DD]", example="2025-06", group=MODEL
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        defaults = {declared.name: declared.default for declared in fields_of(type(self))}
        given = [name for name in LOADING_FIELDS if getattr(self, name) != defaults[name]]
        if given and not self.until_sure:
            raise UsageError(
                f"--{given[0].replace('_', '-')} applies to a checkpoint that is evaluated: add --until-sure"
            )
