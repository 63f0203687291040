"""Export blinded pairs for an annotation service, and import the answers.

A secret in the database determines the order of the texts, the order of the pairs and their names. No file contains the
secret, so answers can be imported only into the database that exported the pairs.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from flows.judging.pairing import Pairing
from flows.judging.row_files import read_rows, write_rows
from newwiki.errors import UsageError, did_you_mean
from newwiki.judging.blinding import Blinding, exported_by_earlier_version
from newwiki.judging.judgement import Answer, Judgement, Pair, Run, annotator_name
from storage import judgements
from storage.database import Database

_ANSWERS: dict[str, Answer] = {"1": "first", "2": "second", "0": "tie"}
_ANNOTATOR = "annotator"


def export_pairs(database: Database, pairing: Pairing, batch: str, path: Path) -> int:
    """Write the pairs as CSV, or as JSON lines to a file named .jsonl or .ndjson, and return their number.

    In a CSV file, texts that a spreadsheet would run as formulas begin with an apostrophe
    (`newwiki.spreadsheet_cells`). Raises UsageError if the file cannot be written.
    """
    blinding = judgements.begin_blinding(database, *pairing.ids, pairing.rubric)
    rows = [_row(pair, pairing, blinding, batch) for pair in blinding.shuffled(pairing.pairs)]
    write_rows(path, rows, "the pairs")
    return len(rows)


def _row(pair: Pair, pairing: Pairing, blinding: Blinding, batch: str) -> dict[str, str]:
    first, second = pair.in_order(blinding.first(pair, batch))
    criteria = pairing.rubric.criteria
    return {
        "pair": blinding.pair_id(pair, batch),
        "title": pair.title,
        "beginning": pair.first_sentence,
        "text_1": first,
        "text_2": second,
        **{f"question_{criterion.name}": f"{criterion.question} {criterion.meaning}".strip() for criterion in criteria},
        _ANNOTATOR: "",
        **{criterion.name: "" for criterion in criteria},
    }


@dataclass(frozen=True)
class Taken:
    """The number of answers in a file, of people who gave them, and of empty cells."""

    answers: int
    people: int
    empty: int


def in_words(counts: Taken) -> str:
    left = f"; {counts.empty:,} places are empty" if counts.empty else ""
    return f"{counts.answers:,} answers by {counts.people:,} {'people' if counts.people > 1 else 'judge'} stored{left}"


def import_answers(database: Database, pairing: Pairing, batch: str, path: Path) -> Taken:
    """Store the answers of a file.

    The column `annotator` makes the judge BATCH/ANNOTATOR; without a value the judge is BATCH. Raises UsageError, with
    the line and the fix, for an invalid answer or an unknown pair. Nothing of the file is stored in this case.
    """
    blinding = _blinding(database, pairing, path)
    pairs = {blinding.pair_id(pair, batch): pair for pair in pairing.all_pairs}
    answers: dict[tuple[str, str, str], Judgement] = {}
    empty, now = 0, datetime.now(UTC)
    for where, row in read_rows(path):
        _require_columns(where, row, pairing.rubric.names)
        if row["pair"] not in pairs:
            raise _unknown_pair(where, row["pair"], pairing, batch)
        pair = pairs[row["pair"]]
        judge = annotator_name(batch, row.get(_ANNOTATOR, ""))
        for criterion in pairing.rubric.names:
            cell = row.get(criterion, "")
            if not cell:
                empty += 1
                continue
            first = blinding.first(pair, batch)
            judgement = _judgement(pairing, pair, first, judge, criterion, _answer(where, criterion, cell), now)
            key = (row["pair"], judge, criterion)
            if key in answers and answers[key].answer != judgement.answer:
                raise UsageError(
                    f"{where}: {judge} has answered {criterion} of {row['pair']} otherwise on a line before; keep one"
                )
            answers[key] = judgement
    if not answers:
        raise UsageError(f"'{path}' holds no answer; fill in {', '.join(pairing.rubric.names)} with 1, 2 or 0")
    judgements.keep(database, pairing.rubric, [*answers.values()])
    return Taken(len(answers), len({judgement.judge for judgement in answers.values()}), empty)


def _blinding(database: Database, pairing: Pairing, path: Path) -> Blinding:
    if blinding := judgements.blinding(database, *pairing.ids, pairing.rubric):
        return blinding
    raise UsageError(
        f"'{path}' cannot be stored in '{database.path}', which has exported no pairs of {' and '.join(pairing.ids)} "
        "with this rubric: the secret that tells whose texts they are stays in the database that exported them; import "
        "the file there, with the --rubric that it was exported with"
    )


def _unknown_pair(where: str, name: str, pairing: Pairing, batch: str) -> UsageError:
    if name in {exported_by_earlier_version(pair, batch) for pair in pairing.all_pairs}:
        return UsageError(
            f"{where}: '{name}' was exported by an earlier version, in whose files the pair's name tells which run is "
            "first, so nobody who filled it in was blind; export the pairs again and let them be judged anew"
        )
    return UsageError(
        f"{where}: '{name}' is no pair of these runs in the batch '{batch}' of this database; name the runs, --rubric "
        "and --judge as they were exported, import the file into the database that exported it, or take the line out"
    )


def _judgement(
    pairing: Pairing, pair: Pair, first: Run, judge: str, criterion: str, answer: Answer, now: datetime
) -> Judgement:
    return Judgement(
        run_a=pair.run_a,
        run_b=pair.run_b,
        page_id=pair.page_id,
        sample_a=pair.sample_a,
        sample_b=pair.sample_b,
        judge=judge,
        judge_kind="person",
        rubric_sha256=pairing.rubric.sha256,
        criterion=criterion,
        first=first,
        answer=answer,
        said=None,
        judged_at=now,
    )


def _answer(where: str, criterion: str, cell: str) -> Answer:
    if cell not in _ANSWERS:
        raise UsageError(
            f"{where}: {criterion} is '{cell}'; write 1 where the first text is better, 2 for the second, 0 for neither"
        )
    return _ANSWERS[cell]


def _require_columns(where: str, row: Mapping[str, str], criteria: Sequence[str]) -> None:
    if "pair" not in row:
        raise UsageError(f"{where} has no 'pair'{did_you_mean('pair', row)}; keep that column as it was exported")
    if not set(criteria) & set(row):
        raise UsageError(
            f"{where} answers none of {', '.join(criteria)}; keep these columns, or give the --rubric that was exported"
        )
