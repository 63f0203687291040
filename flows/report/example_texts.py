"""Select and mark each run's worst, median and best text, next to the article."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from evaluators.tagger import Tagger
from flows.comparing.board import Column
from flows.comparing.headline import headline, text_column
from flows.presenting.material import Material
from flows.progress import Progress
from flows.report.marked_text import Claims, Finders, Key, by_text, checked, marked, marks
from newwiki.errors import UsageError, did_you_mean
from newwiki.registry import reading_metrics
from storage.database import Database

_SHOWN = 1200  # characters of a text


@dataclass(frozen=True)
class Passage:
    """The beginning of a text, with its entities marked.

    Sentences are marked with the verdicts of `checked_by`, if it has any. `characters` is the length of the whole text.
    """

    text: Markup
    shown: int
    characters: int
    checked_by: str


@dataclass(frozen=True, kw_only=True)
class ExampleText:
    """An example text of a run.

    `rank` is worst, median or best, or lowest and highest if the metric has no better direction. `thinking` is what the
    model wrote before its answer, None if that is nothing or hidden.
    """

    rank: str
    value: float
    page_id: int
    sample: int
    title: str
    permalink: str
    first_sentence: str
    generation: Passage
    reference: Passage
    thinking: Passage | None
    thinking_tokens: int | None
    words: int
    finish_reason: str


@dataclass(frozen=True)
class Examples:
    """The examples of a run; `entities` says which evaluator found the marked entities, or why none are marked."""

    entities: str
    shown: Sequence[ExampleText]


def column_for(material: Material, metric: str | None) -> Column | None:
    """Return the column by which runs are ordered: the requested metric, or else the default.

    Raises UsageError if no text has a score of the requested metric.
    """
    columns = material.text_columns
    if metric:
        columns = [column for column in columns if column.metric not in reading_metrics()]
        match = next((column for column in columns if metric in (column.name, column.metric)), None)
        if not match:
            names = [column.name for column in columns]
            raise UsageError(
                f"no text here has a score in '{metric}'{did_you_mean(metric, names) or ';'} "
                f"the metrics are: {', '.join(names) or 'none'}"
            )
        return match
    written = [record for record in material.records if record["completions"]]
    if written:
        columns = [choice for choice in columns if any(record[choice.name] is not None for record in written)]
    directions = {name: known.direction for name, known in material.metrics.items()}
    return headline(material.board, columns, directions)


def example_column(material: Material, ordering: Column | None) -> Column | None:
    """Return the column by which examples are chosen; `ordering` is the one that orders the runs."""
    directions = {name: known.direction for name, known in material.metrics.items()}
    return text_column(material.board, ordering, material.text_columns, directions)


def examples(database: Database, material: Material, column: Column, progress: Progress) -> Mapping[str, Examples]:
    """Return the examples of each run by its id."""
    records = {record["run_id"]: record for record in material.records}
    all_finders = Finders()
    parameters = [list(records), column.metric, column.evaluator_id, material.snapshot.snapshot_id, *material.after[:2]]
    rows = database.records(dict[str, Any], "report_examples", *parameters)
    runs = [*records, f"reference:{material.snapshot.snapshot_id}"]
    claims = by_text(database.records(dict[str, Any], "shown_claims", runs, [row["page_id"] for row in rows]))
    finders = {run_id: all_finders.of_run(material, record) for run_id, record in records.items()}
    by_run: dict[str, list[ExampleText]] = defaultdict(list)
    with progress.stretch("finding entities in the examples", "texts") as bar:
        for done, row in enumerate(rows, 1):
            finder = finders[row["run_id"]]
            by_run[row["run_id"]].append(_example(row, all_finders, finder, material.direction(column), claims))
            bar.update(done, len(rows))
    return {run_id: Examples(_who(finders[run_id]), _worst_first(shown)) for run_id, shown in by_run.items()}


def _who(finder: Tagger | str) -> str:
    if isinstance(finder, str):
        return f"are not marked: {finder}"
    return f"found by {finder.model}, which scored this run"


def _example(
    row: Mapping[str, Any], finders: Finders, finder: Tagger | str, direction: str, claims: Mapping[Key, Claims]
) -> ExampleText:
    text, reference, page_id = row["text"], row["reference"], row["page_id"]
    text_mentions, reference_mentions = (
        () if isinstance(finder, str) else finders.find(finder, passage) for passage in (text, reference)
    )
    article_claims = claims.get((f"reference:{row['snapshot_id']}", page_id, 0), {})
    return ExampleText(
        rank=_rank(row["place"], row["scored"], direction),
        value=row["value"],
        page_id=page_id,
        sample=row["sample"],
        title=row["title"],
        permalink=row["permalink"],
        first_sentence=row["first_sentence"],
        generation=_passage(
            text, text_mentions, reference_mentions, claims.get((row["run_id"], page_id, row["sample"]), {})
        ),
        reference=_passage(reference, reference_mentions, text_mentions, article_claims),
        thinking=_passage(row["thinking"], (), (), {}) if row["thinking"] else None,
        thinking_tokens=row["thinking_tokens"],
        words=row["words"],
        finish_reason=row["finish_reason"],
    )


def _passage(text: str, mentions: Sequence[str], elsewhere: Sequence[str], claims: Claims) -> Passage:
    """Mark a passage with the verdicts of the evaluator of claims that comes first by name."""
    length = len(text)
    if length > _SHOWN:
        length = max(text.rfind(" ", 0, _SHOWN), _SHOWN - 100)
    text_marks = marks(text, mentions, elsewhere, length)
    by = min(claims, default="")
    shown = checked(text, claims.get(by, ()), length, lambda first, last: marked(text, text_marks, first, last))
    return Passage(shown, length, len(text), by)


def _rank(place: int, scored: int, direction: str) -> str:
    if scored == 1:
        return "only"
    lowest, highest = {"higher": ("worst", "best"), "lower": ("best", "worst")}.get(direction, ("lowest", "highest"))
    return lowest if place == 1 else highest if place == scored else "median"


def _worst_first(shown: Sequence[ExampleText]) -> Sequence[ExampleText]:
    return shown[::-1] if shown[0].rank == "best" else shown
