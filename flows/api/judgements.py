"""Blind pairwise judging: what judges say of two runs, a model as judge, and files for annotation services."""

from pathlib import Path

import pyarrow as pa

from flows.api.arguments import asks
from flows.api.opening import PathLike, opened, rows_of, say
from flows.judging.findings import Findings
from flows.judging.pairing import Pairing
from flows.progress import reporter
from newwiki.judge_request import JudgeRequest, PairsRequest
from storage.database import Database
from storage.outputs import safe


@asks(JudgeRequest)
def judge(request: JudgeRequest, *, db: PathLike | None = None, quiet: bool = False, **settings: str) -> pa.Table:
    """What judges prefer, a row a criterion and judge, as `flows.judging.findings.PreferenceRow` says; first the model
    is asked for what it has not answered, if one is named. What stands beside it (agreement, position bias, judges
    beside each other) `newwiki judge` prints; all answers are in the view `preferences`."""
    from flows.judging.show import COLUMNS, records

    _, findings = run_judge(opened(db, settings)[1], request, quiet=quiet)
    say(findings.notes, quiet)
    return rows_of([dict(zip(COLUMNS, row, strict=True)) for row in records(findings)], COLUMNS)


def run_judge(database: Database, request: JudgeRequest, *, quiet: bool) -> tuple[Pairing, Findings]:
    """Asks the model that is named, if one is, and gives what all judges say."""
    from flows.judging.ask_model import ask_model
    from flows.judging.findings import find
    from flows.judging.pairing import pair_up

    pairing = pair_up(database, request)
    if request.model:
        ask_model(database, pairing, request, reporter(quiet))
    return pairing, find(database, pairing)


@asks(PairsRequest)
def export_pairs(
    request: PairsRequest,
    *,
    batch: str,
    out: PathLike,
    db: PathLike | None = None,
    quiet: bool = False,
    **settings: str,
) -> int:
    """Writes pairs for an annotation service, blinded under the name of the batch, as CSV or JSON lines; gives how
    many. The same batch's answers come back by `import_answers`."""
    from flows.judging import annotation_files
    from flows.judging.pairing import pair_up
    from newwiki.judging.judgement import judge_name

    database = opened(db, settings)[1]
    target = safe(Path(out), database.path)
    return annotation_files.export_pairs(database, pair_up(database, request), judge_name(batch), target)


@asks(PairsRequest)
def import_answers(
    request: PairsRequest,
    *,
    batch: str,
    answers: PathLike,
    db: PathLike | None = None,
    quiet: bool = False,
    **settings: str,
) -> int:
    """Stores the answers of a file of the batch, and gives how many; nothing where any of it is wrong."""
    from flows.judging import annotation_files
    from flows.judging.pairing import pair_up
    from newwiki.judging.judgement import judge_name

    database = opened(db, settings)[1]
    pairing = pair_up(database, request)
    taken = annotation_files.import_answers(database, pairing, judge_name(batch), Path(answers))
    say([annotation_files.in_words(taken)], quiet)
    return taken.answers
