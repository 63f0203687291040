"""Twenty questions that people have, each a file of SQL that begins with the question."""

from dataclasses import dataclass
from importlib.resources import files
from itertools import takewhile

from newwiki.errors import UsageError, did_you_mean


@dataclass(frozen=True)
class Question:
    """A question in `words`, and what else there is to say of its query in `notes`."""

    name: str
    words: str
    notes: str
    query: str


def questions() -> list[Question]:
    """All of them, in their order."""
    found = sorted((files("storage") / "sql" / "cookbook").iterdir(), key=lambda file: file.name)
    return [_question(file.name.removesuffix(".sql"), file.read_text("utf-8")) for file in found]


def question(name: str) -> Question:
    """The one of this name. Raises UsageError where there is none."""
    known = {one.name: one for one in questions()}
    if name not in known:
        raise UsageError(
            f"there is no example '{name}'{did_you_mean(name, known) or ';'} there are: {', '.join(known)}"
        )
    return known[name]


def _question(file: str, text: str) -> Question:
    comment = list(takewhile(lambda line: line.startswith("-- "), text.splitlines(keepends=True)))
    words, mark, notes = "".join(line.removeprefix("-- ") for line in comment).replace("\n", " ").partition("?")
    return Question(file.partition("_")[2], words + mark, notes.strip(), text.removeprefix("".join(comment)))
