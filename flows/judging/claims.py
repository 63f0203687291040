"""Export blinded sentences of runs for people who label their claims, and import the labels.

For each page of a run, one of the first sentences of its texts is drawn, so that prompts are the units of the
statistics. A secret in the database determines the drawn sentences, their order and their names. The first rows of an
export are therefore a random sample of the prompts.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from evaluators.claims.verifiability import SENTENCES
from flows.judging.annotation_files import Taken
from flows.judging.row_files import read_rows, write_rows
from newwiki.errors import TerminalError, UsageError, did_you_mean
from newwiki.judging.blinding import Blinding
from newwiki.judging.claim_label import CLAIMS, LABELS, LabelledSentence, Sentence, read_label
from newwiki.judging.judgement import annotator_name
from storage import claim_labels, judgements
from storage.comparison import contenders
from storage.database import Database
from storage.run_names import Note, no_note


@dataclass(frozen=True)
class Drawn:
    """All sentences of the runs, and one drawn sentence for each page, in the order of the export."""

    every: Sequence[Sentence]
    drawn: Sequence[Sentence]
    blinding: Blinding


def draw(database: Database, runs: Sequence[str], snapshot: str | None = None, note: Note = no_note) -> Drawn:
    """Draw a sentence of each page of each run, alternating between the runs.

    Raises UsageError for an unknown run. Raises TerminalError if the claims of a run were not checked, or if the runs
    are on different snapshots.
    """
    drawn_runs = contenders(database, runs, snapshot=snapshot, note=note)
    snapshots = sorted({run.snapshot_id for run in drawn_runs})
    if len(snapshots) > 1:
        raise TerminalError(f"these runs are on {' and '.join(snapshots)}; label those of one snapshot at a time")
    blinding = judgements.begin_blinding(database, snapshots[0], snapshots[0], CLAIMS)
    every = claim_labels.sentences(database, [run.run_id for run in drawn_runs], SENTENCES)
    by_page: dict[str, dict[int, list[Sentence]]] = defaultdict(lambda: defaultdict(list))
    for sentence in every:
        by_page[sentence.run_id][sentence.page_id].append(sentence)
    for run in drawn_runs:
        if run.run_id not in by_page:
            raise TerminalError(
                f"no claim of {run.run_id} was checked; check them first: newwiki experiment verifiability"
            )
    turns = sorted(
        (rank, blinding.page(run_id, page_id), run_id, page_id)
        for run_id, pages in by_page.items()
        for rank, page_id in enumerate(sorted(pages, key=partial(blinding.page, run_id)))
    )
    return Drawn(every, [blinding.sentence(by_page[run_id][page_id]) for _, _, run_id, page_id in turns], blinding)


def export_sentences(drawn: Drawn, number: int, batch: str, path: Path) -> int:
    """Write the first `number` sentences as CSV or JSON lines, and return their number.

    Raises UsageError if the file cannot be written.
    """
    [criterion] = CLAIMS.criteria
    rows = [
        {
            "sentence": drawn.blinding.sentence_id(sentence, batch),
            "title": sentence.title,
            "beginning": sentence.first_sentence,
            "before": sentence.before,
            "claim": sentence.words,
            "article": sentence.article,
            "question": f"{criterion.question} {criterion.meaning}",
            "annotator": "",
            "label": "",
        }
        for sentence in drawn.drawn[:number]
    ]
    write_rows(path, rows, "the sentences")
    return len(rows)


def import_labels(database: Database, drawn: Drawn, batch: str, path: Path) -> Taken:
    """Store the labels of a file.

    The column `annotator` makes the judge BATCH/ANNOTATOR; without a value the judge is BATCH. Raises UsageError, with
    the line and the fix, for an invalid label or an unknown sentence. Nothing of the file is stored in this case.
    """
    by_name = {drawn.blinding.sentence_id(sentence, batch): sentence for sentence in drawn.every}
    labels: dict[tuple[str, str], LabelledSentence] = {}
    empty, now = 0, datetime.now(UTC)
    for where, row in read_rows(path):
        sentence = by_name.get(_cell(where, row, "sentence"))
        if sentence is None:
            raise UsageError(
                f"{where}: '{row['sentence']}' is no sentence of these runs in the batch '{batch}' of this database; "
                "name the runs and --judge as they were exported, or take the line out"
            )
        cell = _cell(where, row, "label")
        if not cell:
            empty += 1
            continue
        judge = annotator_name(batch, row.get("annotator", ""))
        labelled = _labelled(sentence, judge, where, cell, now)
        key = (row["sentence"], judge)
        if key in labels and labels[key].label != labelled.label:
            raise UsageError(f"{where}: {judge} has labelled {row['sentence']} otherwise on a line before; keep one")
        labels[key] = labelled
    if not labels:
        raise UsageError(f"'{path}' holds no label; fill in label with {', '.join(LABELS[:-1])} or {LABELS[-1]}")
    claim_labels.keep(database, [*labels.values()])
    return Taken(len(labels), len({label.judge for label in labels.values()}), empty)


def _labelled(sentence: Sentence, judge: str, where: str, cell: str, now: datetime) -> LabelledSentence:
    return LabelledSentence(
        run_id=sentence.run_id,
        page_id=sentence.page_id,
        sample=sentence.sample,
        start_char=sentence.start_char,
        end_char=sentence.end_char,
        judge=judge,
        label=read_label(where, cell),
        labelled_at=now,
    )


def _cell(where: str, row: Mapping[str, str], name: str) -> str:
    if name not in row:
        raise UsageError(f"{where} has no '{name}'{did_you_mean(name, row)}; keep that column as it was exported")
    return row[name]
