"""The requests that write and check bundles (see `newwiki.request`)."""

from dataclasses import dataclass
from pathlib import Path

from newwiki.comparison_requests import SNAPSHOT_OF_RUNS
from newwiki.errors import UsageError
from newwiki.fields import field
from newwiki.request import Request


@dataclass(frozen=True, kw_only=True)
class SubmitRequest(Request):
    """The complete runs of a bundle, and the key that signs it."""

    runs: tuple[str, ...] = field(help="Run to submit, such as gpt2/greedy.", argument=True, metavar="RUN")
    snapshot: str | None = field(None, SNAPSHOT_OF_RUNS, metavar="ID")
    key: Path = field(help="Private key that signs the bundle, made by `newwiki bundle keygen`.", metavar="FILE")


@dataclass(frozen=True, kw_only=True)
class CheckRequest(Request):
    """The bundle to check, the trusted keys, the metrics to recompute, and the number of completions to replay."""

    bundle: Path = field(help="Bundle to check.", argument=True, metavar="BUNDLE")
    key: tuple[Path, ...] = field(
        (),
        "Public key to trust; other keys are refused: a FILE.pub, or a folder of them (may be repeated).",
        metavar="FILE",
    )
    spot: int = field(
        0, "Number of completions per run to replay with --model, drawn at random.", at_least=0, example=20
    )
    model: tuple[str, ...] = field(
        (), "Checkpoint that wrote runs of the bundle, for --spot (may be repeated).", metavar="MODEL"
    )
    model_args: dict[str, str] = field(
        {},
        "Arguments that load the checkpoints, in addition to those that the runs name.",
        metavar="K=V,…",
        aliases=("--model_args",),
    )
    number: int | None = field(
        None,
        "Seed of the draw for --spot (default: a fresh random number). Use a number that the submitter could not "
        "choose and you cannot retry, such as the newest commit of the leaderboard's repository.",
        at_least=0,
    )
    metrics: str = field("all", "Metrics to compute again.", metavar="core|claims|all|NAME,…", names=True)
    sign: Path | None = field(None, "Private key of yours that signs the receipt (see --receipt).", metavar="KEY")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.spot and not self.model:
            raise UsageError("--spot needs the checkpoint that generated the runs: add --model FOLDER")
        if not self.spot and (self.model or self.number is not None):
            raise UsageError(
                "--model and --number need --spot: add --spot N, the number of completions per run to replay"
            )
