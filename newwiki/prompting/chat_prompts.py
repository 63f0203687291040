"""Ask a chat model for an article: the template `chat` by language, and the turns of a filled template."""

import string
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from newwiki.errors import UsageError
from newwiki.snapshot import Snapshot
from newwiki.text.prompts import DEFAULT_TEMPLATE, fill

CHAT_TEMPLATE = "chat"
ANSWER = "{answer}"


class Turns(NamedTuple):
    """The user's turn, and the beginning of the model's answer, perhaps empty. `instructed` is the user's turn for a
    server that cannot begin an answer; empty if there is none."""

    user: str
    begun: str = ""
    instructed: str = ""


def is_chat(template: str) -> bool:
    """Tell whether a template is one of chats: `chat`, or a text with the place `{answer}` where the answer begins."""
    return template == CHAT_TEMPLATE or any(name == "answer" for _, name, _, _ in _parsed(template))


def resolved(template: str, snapshot: Snapshot) -> str:
    """Return the template as a run stores it: for `chat` the one of the snapshot's language. Raises UsageError for an
    invalid template, and if there is none in the language."""
    require_template(template)
    if template != CHAT_TEMPLATE:
        return template
    language = snapshot.language_code
    if language not in _by_language():
        raise UsageError(
            f"there is no instruction for chat models in the language '{language}', only in: "
            f"{', '.join(_by_language())}; write one, such as --template "
            f"'{_by_language()['en']['begun']}'"
        )
    return _by_language()[language]["begun"]


def require_template(template: str) -> None:
    """Raise UsageError unless the template is `chat`, or can be filled."""
    if template != CHAT_TEMPLATE:
        turns(template, "", "")


def turns(template: str, title: str, sentence: str) -> Turns:
    """Fill a template. Raises UsageError unless it holds `{title}` and `{first_sentence}` once each, and if there is
    `{answer}`, once."""
    if not is_chat(template):
        return Turns(fill(template, title, sentence))
    user, begun = _around_answer(template)
    fill(user + begun, "", "")
    values = {"title": title, "first_sentence": sentence}
    instructed = next((row["instructed"] for row in _by_language().values() if row["begun"] == template), "")
    return Turns(user.format(**values), begun.format(**values), instructed.format(**values))


def before_completion(template: str, title: str, sentence: str) -> str:
    """Return the text that a completion continues, as metrics read it: the filled template, or for a chat the title and
    the first sentence."""
    return fill(DEFAULT_TEMPLATE if is_chat(template) else template, title, sentence)


def _around_answer(template: str) -> tuple[str, str]:
    before, _, after = template.partition(ANSWER)
    if ANSWER in after or not before.strip() or not after:
        raise UsageError(
            f"the prompt template {template!r} needs {ANSWER} once, between the user's turn and the beginning of the "
            "answer"
        )
    return before, after


def _parsed(template: str) -> list[tuple[str, str | None, str | None, str | None]]:
    try:
        return list(string.Formatter().parse(template))
    except ValueError:
        return []  # `fill` says what is wrong


@cache
def _by_language() -> Mapping[str, Mapping[str, str]]:
    return tomllib.loads((files("newwiki.prompting") / "chat.toml").read_text("utf-8"))
