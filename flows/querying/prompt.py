"""The interactive prompt of `newwiki sql`, with a persistent history, syntax colors and name completion."""

import os
from collections.abc import Callable
from pathlib import Path

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import WordCompleter
from prompt_toolkit.history import FileHistory
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.lexers import PygmentsLexer
from pygments.lexers.sql import SqlLexer

from flows.printing import say
from newwiki.errors import NewWikiError

_HELLO = "SQL, ended by ; and Enter. Tab completes names, Ctrl-C leaves a query, Ctrl-D the prompt."


def converse(ask: Callable[[str], None], names: list[str]) -> None:
    """Read statements until Ctrl-D and pass each to `ask`. An error prints a message, and the prompt continues."""
    history = _state_folder() / "sql_history"
    history.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    session: PromptSession[str] = PromptSession(
        "newwiki> ",
        multiline=True,
        prompt_continuation="      -> ",
        lexer=PygmentsLexer(SqlLexer),
        completer=WordCompleter(names, ignore_case=True),
        history=FileHistory(str(history)),
        key_bindings=_keys(),
    )
    say(_HELLO, err=True)
    while True:
        try:
            text = session.prompt()
            if text.strip():
                ask(text)
        except NewWikiError as error:
            say(f"newwiki: {' '.join(str(error).split())}", err=True)
        except KeyboardInterrupt:
            continue
        except EOFError:
            return


def _keys() -> KeyBindings:
    keys = KeyBindings()

    @keys.add("enter")
    def _(event: KeyPressEvent) -> None:
        """Submit a complete statement, or start a new line."""
        buffer = event.current_buffer
        if buffer.text.strip() == "" or buffer.text.rstrip().endswith(";"):
            buffer.validate_and_handle()
        else:
            buffer.insert_text("\n")

    return keys


def _state_folder() -> Path:
    return Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "newwiki"
