"""What is printed: the one place from which words reach stdout and stderr, with nothing that a terminal would obey.

A file or a pipe gets the same words, as `cat` and `less` show them on a terminal later. Formats for programs (CSV,
JSON, Parquet) go to `machine_output`, and keep their values.
"""

import sys
from collections.abc import Iterable
from typing import TextIO

from newwiki.visible import visible


def say(text: object = "", *, err: bool = False) -> None:
    """Prints a line at once: the words of a command, or with `err` a note or an error."""
    print(visible(str(text)), file=sys.stderr if err else sys.stdout, flush=True)


def write_lines(lines: Iterable[str]) -> None:
    """Writes lines, each with its end, to stdout."""
    sys.stdout.writelines(map(visible, lines))


def machine_output() -> TextIO:
    """Stdout for a format that programs read, whose values stay as they are."""
    return sys.stdout


def allow_any_encoding() -> None:
    """From here on a character that stdout or stderr has not, as in ASCII or cp1252, is written as `\\xfc`."""
    for stream in (sys.stdout, sys.stderr):
        if reconfigure := getattr(stream, "reconfigure", None):
            reconfigure(errors="backslashreplace")


def holds_any_character(stream: TextIO) -> bool:
    return (stream.encoding or "utf-8").lower().replace("_", "-").startswith("utf")
