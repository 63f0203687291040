"""Pairs for an annotation service, without a word of whose texts they are, and the answers that come back from it.

A secret of the database draws which text is the first, the order of the pairs and their names, and stands in no file:
answers are read where the pairs were exported, and nowhere else.
"""

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from flows.judging.pairing import Pairing
from newwiki.csv_files import not_utf8, read_csv
from newwiki.errors import UsageError, did_you_mean
from newwiki.judging.blinding import Blinding, exported_by_earlier_version
from newwiki.judging.judgement import Answer, Judgement, Pair, Run, annotator_name
from newwiki.spreadsheet_cells import neutralized, restored
from storage import judgements
from storage.database import Database
from storage.folders import whole

_ANSWERS: dict[str, Answer] = {"1": "first", "2": "second", "0": "tie"}
_ANNOTATOR = "annotator"


def export_pairs(database: Database, pairing: Pairing, batch: str, path: Path) -> int:
    """Writes the pairs, as CSV or, where the name ends so, as JSON lines, and gives how many. Raises UsageError where
    it cannot be written.

    In a CSV, texts that a spreadsheet would run as formulas begin with an apostrophe (`newwiki.spreadsheet_cells`).
    """
    blinding = judgements.begin_blinding(database, *pairing.ids, pairing.rubric)
    rows = [_row(pair, pairing, blinding, batch) for pair in blinding.shuffled(pairing.pairs)]
    try:
        with whole(path) as part, part.open("w", encoding="utf-8", newline="") as file:
            if is_jsonl(path):
                file.writelines(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)
            else:
                writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
                writer.writeheader()
                writer.writerows({name: neutralized(cell) for name, cell in row.items()} for row in rows)
    except OSError as error:
        raise UsageError(f"the pairs cannot be written to '{path}': {error.strerror}; name another file") from None
    return len(rows)


def is_jsonl(path: Path) -> bool:
    return path.suffix.lower() in (".jsonl", ".ndjson")


def _row(pair: Pair, pairing: Pairing, blinding: Blinding, batch: str) -> dict[str, str]:
    first, second = pair.in_order(blinding.first(pair, batch))
    criteria = pairing.rubric.criteria
    return {
        "pair": blinding.pair_id(pair, batch),
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
    blinding = _blinding(database, pairing, path)
    pairs = {blinding.pair_id(pair, batch): pair for pair in pairing.all_pairs}
    found: dict[tuple[str, str, str], Judgement] = {}
    empty, now = 0, datetime.now(UTC)
    for where, row in _lines(path):
        _require_columns(where, row, pairing.rubric.names)
        if row["pair"] not in pairs:
            raise _unknown_pair(where, row["pair"], pairing, batch)
        pair = pairs[row["pair"]]
        judge = annotator_name(batch, row.get(_ANNOTATOR, ""))
        for criterion in pairing.rubric.names:
            said = row.get(criterion, "")
            if not said:
                empty += 1
                continue
            first = blinding.first(pair, batch)
            one = _judgement(pairing, pair, first, judge, criterion, _answer(where, criterion, said), now)
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


def _blinding(database: Database, pairing: Pairing, path: Path) -> Blinding:
    if found := judgements.blinding(database, *pairing.ids, pairing.rubric):
        return found
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


def _lines(path: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """Each row's texts as they were exported, without space around them, and its place for messages. Raises
    UsageError."""
    if is_jsonl(path):
        yield from _json_lines(path)
        return
    for row in read_csv(path):
        yield row.where, {name: restored(cell).strip() for name, cell in row.cells.items()}


def _json_lines(path: Path) -> Iterator[tuple[str, dict[str, str]]]:
    try:
        text = path.read_text("utf-8-sig")
    except OSError as error:
        raise UsageError(f"'{path}' cannot be read: {error.strerror}; name a file that exists") from None
    except UnicodeDecodeError as error:
        raise not_utf8(path, error) from None
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        where = f"'{path}', line {number}"
        try:
            row = json.loads(line, object_pairs_hook=_without_repeated)
        except json.JSONDecodeError as error:
            raise UsageError(f"{where} is no JSON: {error.msg}; write one object a line") from None
        except (ValueError, RecursionError) as error:
            raise UsageError(f"{where} cannot be read: {error}; write one object of texts a line") from None
        if not isinstance(row, dict):
            raise UsageError(f"{where} is no JSON object; write one object a line")
        yield where, {name: "" if value is None else str(value).strip() for name, value in row.items()}


def _without_repeated(pairs: list[tuple[str, object]]) -> dict[str, object]:
    names = [name for name, _ in pairs]
    if twice := [name for name in names if names.count(name) > 1]:
        raise ValueError(f"the key '{twice[0]}' is there twice")
    return dict(pairs)
