"""Errors for the user: what failed, with which value, and what to do next.

An error is transient (trying again may help) or terminal (it cannot); only this decides who retries.
"""

import difflib
from collections.abc import Iterable


class NewWikiError(Exception):
    """The base of all deliberate errors; `exit_status` is the exit status of the command line."""

    exit_status = 1


class TransientError(NewWikiError):
    """A temporary failure outside (a server, a lock): the same call may succeed later."""


class TerminalError(NewWikiError):
    """A failure that repeats until something is changed."""


class UsageError(TerminalError):
    """An invalid request, recognized from the request alone."""

    exit_status = 2


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return `; did you mean 'top_p'?` for a message about an unknown name, or nothing if no known name is close."""
    nearest = difflib.get_close_matches(name, known, n=1)
    return f"; did you mean '{nearest[0]}'?" if nearest else ""
