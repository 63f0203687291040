"""Choose the pairs of texts from two runs that are judged."""

from collections.abc import Sequence
from dataclasses import dataclass

from flows.comparing.one_protocol import require_one_protocol
from newwiki.errors import TerminalError, UsageError
from newwiki.judge_request import PairsRequest
from newwiki.judging.judgement import Pair
from newwiki.judging.rubric import Rubric, read_rubric
from newwiki.protocol import settings_named
from storage import judgements
from storage.comparison import contenders
from storage.database import Database
from storage.run_names import Contender, Note, no_note


@dataclass(frozen=True)
class Pairing:
    """Two runs in the requested order, the pairs of their texts in a random order, and the rubric.

    `all_pairs` holds every pair, and `pairs` the requested number.
    """

    contender: Contender
    other: Contender
    all_pairs: Sequence[Pair]
    pairs: Sequence[Pair]
    rubric: Rubric

    @property
    def ids(self) -> tuple[str, str]:
        """The ids of the runs in alphabetical order: `run_a` and `run_b` of pairs and judgments."""
        first, second = sorted([self.contender.run_id, self.other.run_id])
        return first, second

    @property
    def is_turned(self) -> bool:
        """Whether the run that the user named first is `run_b`."""
        return self.contender.run_id != self.ids[0]


def pair_up(database: Database, request: PairsRequest, note: Note = no_note) -> Pairing:
    """Pair the texts of two runs.

    Raises UsageError for an unknown run or rubric. Raises TerminalError if the runs have no pairs, are on different
    snapshots or used different protocols.
    """
    rubric = read_rubric(request.rubric)
    run, other = contenders(database, [request.run_a, request.run_b], snapshot=request.snapshot, note=note)
    if run.run_id == other.run_id:
        raise UsageError(f"'{request.run_a}' and '{request.run_b}' are one run ({run.run_id}); name two")
    if run.snapshot_id != other.snapshot_id:
        raise TerminalError(
            f"{run.run_id} and {other.run_id} are on {run.snapshot_id} and {other.snapshot_id}, and a pair is of one "
            "prompt; name runs on the same snapshot"
        )
    require_one_protocol(run, other, settings_named(request.across))
    first, second = sorted([run.run_id, other.run_id])
    pairs = judgements.pairs(database, first, second, run.snapshot_id)
    if not pairs:
        raise TerminalError(
            f"{run.run_id} and {other.run_id} have no article of a snapshot that both are complete on; finish them "
            "with the `newwiki evaluate` that began them"
        )
    return Pairing(run, other, pairs, pairs[: request.pairs], rubric)
