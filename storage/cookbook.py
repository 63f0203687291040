"""Example questions about the database, each with its query and a plot of the result."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from importlib.resources import files

from newwiki.errors import UsageError, did_you_mean
from storage.database import Database
from storage.queries import sections

# A section has optional lines `-- plot: KIND`, `-- metrics: NAME, NAME` and `-- empty: WHY`, then comments with the
# question and notes, then the query.
_SECTION = re.compile(
    r"(?:-- plot: (?P<plot>\w+)\n)?(?:-- metrics: (?P<metrics>[\w, ]+)\n)?(?:-- empty: (?P<empty>.+)\n)?"
    r"(?P<comment>(?:-- .*\n)+)(?P<query>(?s:.*))"
)


@dataclass(frozen=True)
class Question:
    """A question in `words`, with `notes` about its query.

    `plot` is a kind of plot that `newwiki browse` draws, or None for a result that is read as a table. `metrics` are
    the metrics whose columns the query names. A database has these columns only if texts were scored by these metrics.
    `empty` says why the result is empty where a newest run exists; None for questions about the newest run's texts.
    """

    name: str
    words: str
    notes: str
    plot: str | None
    query: str
    metrics: tuple[str, ...] = ()
    empty: str | None = None


def questions() -> list[Question]:
    """Return all questions in the order of the file."""
    text = (files("storage") / "sql" / "cookbook.sql").read_text("utf-8")
    return [_question(name, section) for name, section in sections(text).items()]


def question(name: str) -> Question:
    """Return the question with this name. Raises UsageError if there is none."""
    known = {entry.name: entry for entry in questions()}
    if name not in known:
        raise UsageError(
            f"there is no example '{name}'{did_you_mean(name, known) or ';'} there are: {', '.join(known)}"
        )
    return known[name]


def answerable(known: Collection[str]) -> list[Question]:
    """Return the questions that need only metrics in `known`."""
    return [entry for entry in questions() if not {*entry.metrics} - {*known}]


def require_metrics(question: Question, database: Database) -> None:
    """Raises UsageError if the question needs metrics by which this database has no scores."""
    if not question.metrics:
        return
    known = {metric for (metric,) in database.rows("metric_names")}
    if lacking := [metric for metric in question.metrics if metric not in known]:
        raise UsageError(
            f"nothing here is scored by {', '.join(lacking)}, which '{question.name}' is about; "
            f"`newwiki score --missing --metrics {','.join(lacking)}` scores what is stored"
        )


def _question(name: str, section: str) -> Question:
    match = _SECTION.fullmatch(section)
    assert match, section
    comment = " ".join(line.removeprefix("-- ") for line in match["comment"].splitlines())
    words, mark, notes = comment.partition("?")
    return Question(
        name, words + mark, notes.strip(), match["plot"], match["query"], _names(match["metrics"]), match["empty"]
    )


def _names(listed: str | None) -> tuple[str, ...]:
    return tuple(listed.split(", ")) if listed else ()
