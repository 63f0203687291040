"""What a user may ask of bundles: which runs are submitted, and how a bundle is checked (see `newwiki.request`)."""

from dataclasses import dataclass
from pathlib import Path

from newwiki.errors import UsageError
from newwiki.fields import asked
from newwiki.request import Request


@dataclass(frozen=True, kw_only=True)
class SubmitRequest(Request):
    """Which complete runs go into a bundle, and whose key signs it."""

    runs: tuple[str, ...] = asked(help="Such as gpt2/greedy.", argument=True, metavar="RUN")
    key: Path = asked(help="The private key, of `newwiki keygen`.", metavar="FILE")


@dataclass(frozen=True, kw_only=True)
class CheckRequest(Request):
    """Which bundle is checked, whose keys are trusted, what is scored again, and how many completions are replayed."""

    bundle: Path = asked(help="The bundle.", argument=True, metavar="BUNDLE")
    key: tuple[Path, ...] = asked(
        (), "Refuse other keys than this: a FILE.pub, or a folder of them (may be repeated).", metavar="FILE"
    )
    spot: int = asked(
        0, "Number of completions of every run to replay with --model, drawn at random.", at_least=0, example=20
    )
    model: tuple[str, ...] = asked(
        (), "Checkpoint that wrote runs of the bundle, for --spot (may be repeated).", metavar="MODEL"
    )
    model_args: dict[str, str] = asked(
        {}, "What they are loaded with, beside what the runs say.", metavar="K=V,…", aliases=("--model_args",)
    )
    number: int | None = asked(
        None,
        "Number that draws the completions; take one that the submitter could not choose and you cannot retry, such as "
        "the newest commit of the leaderboard's repository (a fresh random number).",
        at_least=0,
    )
    metrics: str = asked("all", "What is scored again.", metavar="core|claims|all|NAME,…", names=True)
    sign: Path | None = asked(None, "Your private key, which signs the receipt (see --receipt).", metavar="KEY")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.spot and not self.model:
            raise UsageError("--spot needs the checkpoint that wrote the runs; name it with --model FOLDER")
        if not self.spot and (self.model or self.number is not None):
            raise UsageError("--model and --number need --spot, the number of completions to replay of every run")
