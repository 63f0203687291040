"""Questions that people have, each with its query and a plot of the result that goes with it."""

import re
from dataclasses import dataclass
from importlib.resources import files

from newwiki.errors import UsageError, did_you_mean
from storage.queries import sections

# `-- plot: KIND`, where there is one, and then the question and what else there is to say in comments.
_SECTION = re.compile(r"(?:-- plot: (?P<plot>\w+)\n)?(?P<comment>(?:-- .*\n)+)(?P<query>(?s:.*))")


@dataclass(frozen=True)
class Question:
    """A question in `words`, and what else there is to say of its query in `notes`. `plot` is of the kinds that
    `newwiki browse` draws; None for a result to be read as a table."""

    name: str
    words: str
    notes: str
    plot: str | None
    query: str


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


def _question(name: str, section: str) -> Question:
    found = _SECTION.fullmatch(section)
    assert found, section
    comment = " ".join(line.removeprefix("-- ") for line in found["comment"].splitlines())
    words, mark, notes = comment.partition("?")
    return Question(name, words + mark, notes.strip(), found["plot"], found["query"])
