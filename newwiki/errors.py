"""Errors that speak to the user: what happened, to what, and what to do next.

An error is transient (trying again may help) or terminal (it will not); that alone decides who retries.
"""

import difflib
from collections.abc import Iterable


class NewWikiError(Exception):
    """Anything New-Wiki Eval says on purpose; `exit_status` is what the command line ends with."""

    exit_status = 1


class TransientError(NewWikiError):
    """The world outside failed for now (a server, a lock): the same call may go through later."""


class TerminalError(NewWikiError):
    """The same call will fail again until something is changed."""


class UsageError(TerminalError):
    """The request itself is wrong, which can be told from its words alone."""

    exit_status = 2


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """The end of a message about an unknown name: `; did you mean 'top_p'?`, or nothing where no known one is near."""
    nearest = difflib.get_close_matches(name, known, n=1)
    return f"; did you mean '{nearest[0]}'?" if nearest else ""
