"""The requests that list and compare runs: leaderboard, comparison, gate and report (see `newwiki.request`)."""

from dataclasses import dataclass
from typing import Literal

from newwiki.errors import UsageError
from newwiki.fields import field, fields_of
from newwiki.records import Stratum
from newwiki.request import EvaluationRequest, Request
from newwiki.settings import GATE

# Help that several requests share
_ACROSS = "Compare runs even if they differ in this protocol setting (may be repeated)."
_ANCHORS = "Show the anchors (texts of known quality, made of the articles), and calibrated numbers."
_AFTER = "Use only articles created after the knowledge cutoff of each run's model."
SNAPSHOT_OF_RUNS = "Snapshot of the runs, or latest (default: the newest that has all named runs)."

# Fields of a comparison that do not apply to its bounds, which name the metrics themselves
_NOT_OF_A_GATE = ("metrics", "seed", "by", "after_cutoff", "across")


@dataclass(frozen=True, kw_only=True)
class LeaderboardRequest(Request):
    """The scored runs to list, and their order, columns and parts."""

    snapshot: str | None = field(None, "Snapshot to list, or latest (default: all).", metavar="ID")
    metrics: str = field("all", "Metrics to show, in this order.", metavar="all|NAME,…", names=True)
    rank: str | None = field(
        None,
        "Rank by this metric, best first, with groups of runs that do not differ significantly.",
        metavar="METRIC",
        example="sbert",
    )
    seed: int = field(0, "Random seed for the test behind the groups.")
    by_evaluator: bool = field(False, "Show a column for each evaluator of a metric.")
    by: Stratum | None = field(None, "Split the articles into parts by this property.")
    after_cutoff: bool = field(False, _AFTER)
    across: tuple[str, ...] = field((), _ACROSS, metavar="NAME")
    anchors: Literal["yes", "no"] = field("yes", _ANCHORS)
    linked: bool = field(False, "Put the runs of all months on the scale of the newest month, or of --snapshot.")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.rank and self.by:
            raise UsageError(
                f"--rank and --by exclude each other: `newwiki compare --by {self.by}` shows in which parts runs differ"
            )
        if self.linked and (self.rank or self.by or self.by_evaluator or self.after_cutoff):
            raise UsageError(
                "--linked excludes --rank, --by, --by-evaluator and --after-cutoff: `newwiki compare RUN RUN --across "
                "snapshot` tests whether runs of two months differ"
            )


Unless = Literal["fail", "warn", "pass"]
_MAX_LOSS = (
    "Fail unless the candidate is surely not worse by more than this, by each metric that tells an article from "
    "another on the snapshot."
)
_UNLESS_SURE = (
    "Result of a bound that lies in the interval (default: warn; fail with --max-loss, and where too few prompts give "
    "no interval)."
)


@dataclass(frozen=True, kw_only=True)
class ComparisonRequest(Request):
    """The runs to compare with the first of them, and the metrics."""

    runs: tuple[str, ...] = field(
        help="Run: the beginning of its id, or the end of MODEL/DECODER.", argument=True, metavar="RUN RUN"
    )
    metrics: str = field(
        "content",
        "Metrics to test (content: those that tell an article from another on the snapshot, where that is known); "
        "fewer metrics need smaller differences to be significant.",
        metavar="content|all|NAME,…",
        names=True,
    )
    seed: int = field(0, "Random seed for the bootstrap and the sign flips.")
    by: Stratum | None = field(LeaderboardRequest.by, "Split the articles into parts by this property.")
    after_cutoff: bool = field(False, "Use only articles created after the knowledge cutoff of both models.")
    across: tuple[str, ...] = field(
        (),
        f"{_ACROSS[:-1]}; snapshot compares runs of two months on one scale, wiki compares runs of two wikis on the "
        "articles that are new in both.",
        metavar="NAME",
    )
    snapshot: str | None = field(None, SNAPSHOT_OF_RUNS, metavar="ID")
    fail_if: str | None = field(
        None,
        "Exit with status 1 if the second run is worse than the first by more than these bounds, such as "
        "'bits_per_byte > +0.02, sbert_new < -0.01'; worse stands for any difference that is worse, by the metrics "
        "that tell an article from another on the snapshot.",
        metavar="BOUNDS",
        example="sbert < -0.05",
        group=GATE,
    )
    max_loss: float | None = field(None, _MAX_LOSS, above=0, example=0.02, group=GATE)
    unless_sure: Unless | None = field(None, _UNLESS_SURE, example="fail", group=GATE)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.is_gate:
            if self.unless_sure:
                raise UsageError("--unless-sure needs bounds: add --fail-if or --max-loss")
            return
        option = "--max-loss" if self.fail_if is None else "--fail-if"
        if len(self.runs) != 2:
            raise UsageError(f"{option} compares two runs, baseline and candidate, and {len(self.runs)} are named")
        defaults = {field.name: field.default for field in fields_of(type(self))}
        if unused := [name for name in _NOT_OF_A_GATE if getattr(self, name) != defaults[name]]:
            raise UsageError(f"{option} and --{unused[0].replace('_', '-')} exclude each other: leave one out")

    @property
    def is_gate(self) -> bool:
        """Whether the second run is a candidate that can fail."""
        return self.fail_if is not None or self.max_loss is not None


@dataclass(frozen=True, kw_only=True)
class GateRequest(Request):
    """The baseline, the candidate, and the differences that fail the gate."""

    baseline: str = field(help="Run to compare against.", metavar="RUN", example="gpt2/greedy")
    candidate: str = field(help="Run to check.", metavar="RUN", example="gpt2/sample:top_p=0.9")
    fail_if: str | None = field(
        None,
        "Differences that fail the gate, such as 'bits_per_byte > +0.02, sbert_new < -0.01' (default: any that is "
        "worse, by the metrics that tell an article from another on the snapshot).",
        metavar="BOUNDS",
        example="sbert < -0.05",
    )
    snapshot: str | None = field(None, SNAPSHOT_OF_RUNS, metavar="ID")
    max_loss: float | None = field(None, _MAX_LOSS, above=0, example=0.02)
    unless_sure: Unless | None = field(None, _UNLESS_SURE, example="fail")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.fail_if is not None and self.max_loss is not None:
            raise UsageError("--fail-if and --max-loss exclude each other: write each bound into --fail-if")

    @property
    def doubt(self) -> Unless | None:
        """What a doubtful bound does; None to warn of it, and to fail where there is no interval."""
        return "fail" if self.unless_sure is None and self.max_loss is not None else self.unless_sure


@dataclass(frozen=True, kw_only=True)
class ReportRequest(Request):
    """The snapshot of a report, and what it shows."""

    snapshot: str = field(EvaluationRequest.snapshot, "Snapshot of the report.", metavar="ID")
    by: Stratum | None = field(None, "Split the articles by this property only (default: by each).")
    after_cutoff: bool = field(LeaderboardRequest.after_cutoff, _AFTER)
    anchors: Literal["yes", "no"] = field(LeaderboardRequest.anchors, _ANCHORS)
    texts_by: str | None = field(
        None,
        "Metric that selects the worst, median and best texts (default: the one that orders the runs).",
        metavar="METRIC",
    )
