"""Pairs for an annotation service, without a word of whose texts they are, and the answers that come back from it.

The key is kept here and in no file: a pair's name is a hash of runs, article, samples and batch, and so is which text
is the first. Who has the database and the name of the batch can tell, and nobody else.
"""

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from flows.judging.pairing import Pairing
from newwiki.errors import UsageError, did_you_mean
from newwiki.judging.judgement import Answer, Judgement, Pair, annotator_name
from storage import judgements
from storage.database import Database
from storage.folders import whole

_ANSWERS: dict[str, Answer] = {"1": "first", "2": "second", "0": "tie"}
_ANNOTATOR = "annotator"


def export_pairs(pairing: Pairing, batch: str, path: Path) -> int:
    """Writes the pairs, as CSV or, where the name ends so, as JSON lines, and gives how many. Raises UsageError where
    it cannot be written."""
    rows = [_row(pair, pairing, batch) for pair in pairing.pairs]
    try:
        with whole(path) as part, part.open("w", encoding="utf-8", newline="") as file:
            if is_jsonl(path):
                file.writelines(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)
            else:
                writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
                writer.writeheader()
                writer.writerows(rows)
    except OSError as error:
        raise UsageError(f"the pairs cannot be written to '{path}': {error.strerror}; name another file") from None
    return len(rows)


def is_jsonl(path: Path) -> bool:
    return path.suffix.lower() in (".jsonl", ".ndjson")


def _row(pair: Pair, pairing: Pairing, batch: str) -> dict[str, str]:
    first, second = pair.in_order(pair.first_for(batch))
    criteria = pairing.rubric.criteria
    return {
        "pair": pair.name_for(batch),
        "title": pair.title,
        "beginning": pair.first_sentence,
        "text_1": first,
        "text_2": second,
        **{f"question_{one.name}": f"{one.question} {one.meaning}".strip() for one in criteria},
        _ANNOTATOR: "",
        **{one.name: "" for one in criteria},
    }


@dataclass(frozen=True)
class Taken:
    """What a file came to: so many answers by so many people, and so many places that were left empty."""

    answers: int
    people: int
    empty: int


def in_words(taken: Taken) -> str:
    left = f"; {taken.empty:,} places are empty" if taken.empty else ""
    return f"{taken.answers:,} answers by {taken.people:,} {'people' if taken.people > 1 else 'judge'} stored{left}"


def import_answers(database: Database, pairing: Pairing, batch: str, path: Path) -> Taken:
    """Stores the answers of a file. `annotator` says whose a line is: BATCH/ANNOTATOR, or BATCH where it says nothing.

    Raises UsageError, with the line and what to do, for anything that is not an answer to what was exported; then
    nothing of the file is stored.
    """
    pairs = {pair.name_for(batch): pair for pair in pairing.all_pairs}
    found: dict[tuple[str, str, str], Judgement] = {}
    empty, now = 0, datetime.now(UTC)
    for line, row in _lines(path):
        where = f"'{path}', line {line}"
        _require_columns(where, row, pairing.rubric.names)
        pair = pairs.get(row["pair"])
        if pair is None:
            raise UsageError(
                f"{where}: '{row['pair']}' is no pair of these runs in the batch '{batch}'; name the runs and --judge "
                "as they were exported, or take the line out"
            )
        judge = annotator_name(batch, row.get(_ANNOTATOR, ""))
        for criterion in pairing.rubric.names:
            said = row.get(criterion, "")
            if not said:
                empty += 1
                continue
            one = _judgement(pairing, pair, batch, judge, criterion, _answer(where, criterion, said), now)
            key = (row["pair"], judge, criterion)
            if key in found and found[key].answer != one.answer:
                raise UsageError(
                    f"{where}: {judge} has answered {criterion} of {row['pair']} otherwise on a line before; keep one"
                )
            found[key] = one
    if not found:
        raise UsageError(f"'{path}' holds no answer; fill in {', '.join(pairing.rubric.names)} with 1, 2 or 0")
    judgements.keep(database, pairing.rubric, [*found.values()])
    return Taken(len(found), len({one.judge for one in found.values()}), empty)


def _judgement(
    pairing: Pairing, pair: Pair, batch: str, judge: str, criterion: str, answer: Answer, now: datetime
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
        first=pair.first_for(batch),
        answer=answer,
        said=None,
        judged_at=now,
    )


def _answer(where: str, criterion: str, said: str) -> Answer:
    if said not in _ANSWERS:
        raise UsageError(
            f"{where}: {criterion} is '{said}'; write 1 where the first text is better, 2 for the second, 0 for neither"
        )
    return _ANSWERS[said]


def _require_columns(where: str, row: Mapping[str, str], criteria: Sequence[str]) -> None:
    if "pair" not in row:
        raise UsageError(f"{where} has no 'pair'{did_you_mean('pair', row)}; keep that column as it was exported")
    if not set(criteria) & set(row):
        raise UsageError(
            f"{where} answers none of {', '.join(criteria)}; keep these columns, or give the --rubric that was exported"
        )


def _lines(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    """By its number in the file, each row's texts without space around them. Raises UsageError."""
    try:
        text = path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"'{path}' cannot be read: {error}; give the answers as CSV or JSON lines in UTF-8") from None
    yield from _json_lines(path, text) if is_jsonl(path) else _csv_lines(path, text)


def _json_lines(path: Path, text: str) -> Iterator[tuple[int, dict[str, str]]]:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except json.JSONDecodeError as error:
            raise UsageError(f"'{path}', line {number} is no JSON: {error.msg}; write one object a line") from None
        if not isinstance(row, dict):
            raise UsageError(f"'{path}', line {number} is no JSON object; write one object a line")
        yield number, {name: "" if value is None else str(value).strip() for name, value in row.items()}


def _csv_lines(path: Path, text: str) -> Iterator[tuple[int, dict[str, str]]]:
    """A text of several lines is one row, which is named by the line on which it ends."""
    csv.field_size_limit(max(csv.field_size_limit(), len(text)))
    reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    try:
        for row in reader:
            if None in row or None in row.values():
                raise UsageError(
                    f"'{path}', line {reader.line_num} has not as many columns as the first; write texts with commas "
                    "in quotes"
                )
            yield reader.line_num, {name: value.strip() for name, value in row.items()}
    except csv.Error as error:
        raise UsageError(f"'{path}', line {reader.line_num} is no CSV: {error}; save it as CSV in UTF-8") from None
