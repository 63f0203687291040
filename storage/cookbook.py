"""Questions that people have, each with its query and a plot of the result that goes with it."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from importlib.resources import files

from newwiki.errors import UsageError, did_you_mean
from storage.database import Database
from storage.queries import sections

# `-- plot: KIND` and `-- metrics: NAME, NAME`, where there are some, and then the question and what else there is to
# say in comments.
_SECTION = re.compile(
    r"(?:-- plot: (?P<plot>\w+)\n)?(?:-- metrics: (?P<metrics>[\w, ]+)\n)?(?P<comment>(?:-- .*\n)+)(?P<query>(?s:.*))"
)


@dataclass(frozen=True)
class Question:
    """A question in `words`, and what else there is to say of its query in `notes`. `plot` is of the kinds that
    `newwiki browse` draws; None for a result to be read as a table. `metrics` are those whose columns it names: a
    database in which nothing is scored by them has none."""

    name: str
    words: str
    notes: str
    plot: str | None
    query: str
    metrics: tuple[str, ...] = ()


def questions() -> list[Question]:
    """All of them, in their order."""
    text = (files("storage") / "sql" / "cookbook.sql").read_text("utf-8")
    return [_question(name, section) for name, section in sections(text).items()]


def question(name: str) -> Question:
    """The one of this name. Raises UsageError where there is none."""
    known = {one.name: one for one in questions()}
    if name not in known:
        raise UsageError(
            f"there is no example '{name}'{did_you_mean(name, known) or ';'} there are: {', '.join(known)}"
        )
    return known[name]


def answerable(known: Collection[str]) -> list[Question]:
    """Those that name the columns of these metrics and of no others."""
    return [one for one in questions() if not {*one.metrics} - {*known}]


def require_metrics(asked: Question, database: Database) -> None:
    """Raises UsageError where the question names columns of metrics that nothing here is scored by."""
    if not asked.metrics:
        return
    known = {metric for (metric,) in database.rows("metric_names")}
    if lacking := [metric for metric in asked.metrics if metric not in known]:
        raise UsageError(
            f"nothing here is scored by {', '.join(lacking)}, which '{asked.name}' is about; "
            f"`newwiki score --missing --metrics {','.join(lacking)}` scores what is stored"
        )


def _question(name: str, section: str) -> Question:
    found = _SECTION.fullmatch(section)
    assert found, section
    comment = " ".join(line.removeprefix("-- ") for line in found["comment"].splitlines())
    words, mark, notes = comment.partition("?")
    return Question(name, words + mark, notes.strip(), found["plot"], found["query"], _names(found["metrics"]))


def _names(listed: str | None) -> tuple[str, ...]:
    return tuple(listed.split(", ")) if listed else ()
