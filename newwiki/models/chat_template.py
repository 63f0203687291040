"""Render a tokenizer's chat template, with a fixed date instead of the clock."""

import re
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, date, datetime
from typing import Any

from newwiki.errors import TerminalError
from newwiki.models.chat_options import ChatOptions

# The day for templates that ask for the date, where neither a snapshot nor an option says one
DEFAULT_DAY = date(2026, 1, 1)

_MARK = "ANSWER"
_RANDOM = re.compile(r"\|\s*random\b|\blipsum\b")
_CLOCK = threading.Lock()


class ChatTemplate:
    """A chat template with the options of a run. `uses_date` tells whether a rendered prompt has asked for the date."""

    def __init__(self, name: str, tokenizer: Any, options: ChatOptions) -> None:
        """Raises TerminalError if there is no template, or if it is not a function of its arguments."""
        self._name = name
        self._tokenizer = tokenizer
        self._options = options
        self.text = options.template or _own_template(name, tokenizer)
        if _RANDOM.search(self.text):
            raise TerminalError(
                f"the chat template of '{name}' draws at random, so no run could be repeated; give another one with "
                "--chat-template FILE"
            )
        self.day = options.date or DEFAULT_DAY
        self.uses_date = False

    def render(self, prompt: str, begun: str = "", arguments: Mapping[str, Any] = {}) -> str:
        """Return the chat up to the model's answer, which begins with `begun`. Raises TerminalError if the template
        refuses the turns."""
        turns = [{"role": "user", "content": prompt}]
        if self._options.system is not None:
            turns.insert(0, {"role": "system", "content": self._options.system})
        if begun:
            turns.append({"role": "assistant", "content": begun})
        return self._rendered(turns, arguments, continued=bool(begun))

    def end_of_turn(self) -> int | None:
        """Return the special token that follows the model's answer in the template; None if there is none."""
        try:
            turns = [{"role": "user", "content": "."}, {"role": "assistant", "content": _MARK}]
            _, found, rest = self._rendered(turns, {}, ends=True).rpartition(_MARK)
        except TerminalError:
            return None
        ids = self._tokenizer(rest, add_special_tokens=False)["input_ids"] if found else []
        special = {*self._tokenizer.all_special_ids, *self._tokenizer.added_tokens_decoder}
        return next((token for token in ids[:1] if token in special), None)

    def has_argument(self, name: str) -> bool:
        """Tell whether the template reads an argument of this name."""
        return bool(re.search(rf"\b{re.escape(name)}\b", self.text))

    def _rendered(
        self,
        turns: list[dict[str, str]],
        arguments: Mapping[str, Any],
        *,
        continued: bool = False,
        ends: bool = False,
    ) -> str:
        from jinja2.exceptions import TemplateError

        try:
            with self._fixed_clock():
                text: str = self._tokenizer.apply_chat_template(
                    turns,
                    chat_template=self.text,
                    tokenize=False,
                    add_generation_prompt=not (continued or ends),
                    continue_final_message=continued,
                    **{**self._options.template_args, **arguments},
                )
        except (TemplateError, ValueError, TypeError) as error:
            message = " ".join(str(error).split())[:300]
            raise TerminalError(
                f"the chat template of '{self._name}' cannot be rendered: {message}; see --system, "
                "--chat-template-args and --chat-template"
            ) from error
        return text

    @contextmanager
    def _fixed_clock(self) -> Iterator[None]:
        """Let the template's `strftime_now` return the day of the run, at 0:00 UTC, and record whether it was called.
        transformers gives this function to every template, and it reads the clock of its own module."""
        from transformers.utils import chat_template_utils

        template = self

        class Clock:
            @staticmethod
            def now() -> "_Day":
                template.uses_date = True
                return _Day(template.day)

        with _CLOCK:
            clock = chat_template_utils.datetime
            chat_template_utils.datetime = Clock
            try:
                yield
            finally:
                chat_template_utils.datetime = clock


class _Day:
    """A day, formatted without the time zone of the machine."""

    def __init__(self, day: date) -> None:
        self._time = datetime(day.year, day.month, day.day, tzinfo=UTC)

    def strftime(self, form: str) -> str:
        return self._time.strftime(form.replace("%s", str(int(self._time.timestamp()))))


def _own_template(name: str, tokenizer: Any) -> str:
    if not tokenizer.chat_template:
        raise TerminalError(f"'{name}' has no chat template; omit --chat, or give one with --chat-template FILE")
    try:
        text: str = tokenizer.get_chat_template()
    except ValueError as error:
        message = str(error).splitlines()[0]
        raise TerminalError(
            f"'{name}' has several chat templates: {message}; give one with --chat-template FILE"
        ) from None
    return text
