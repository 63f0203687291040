"""Print all text for stdout and stderr, without control characters that a terminal would obey.

Files and pipes get the same text, because `cat` and `less` may show it on a terminal later. Formats for programs (CSV,
JSON, Parquet) use `machine_output` and keep their values.
"""

import sys
from collections.abc import Iterable
from typing import TextIO

from newwiki.visible import visible


def say(text: object = "", *, err: bool = False) -> None:
    """Print a line immediately, to stdout or, with `err`, to stderr."""
    print(visible(str(text)), file=sys.stderr if err else sys.stdout, flush=True)


def write_lines(lines: Iterable[str]) -> None:
    """Write lines, which include their line ends, to stdout."""
    sys.stdout.writelines(map(visible, lines))


def machine_output() -> TextIO:
    """Return stdout for a format that programs read, without changes to its values."""
    return sys.stdout


def allow_any_encoding() -> None:
    """Write characters that the encoding of stdout or stderr lacks, such as ASCII or cp1252, as `\\xfc` from now on."""
    for stream in (sys.stdout, sys.stderr):
        if reconfigure := getattr(stream, "reconfigure", None):
            reconfigure(errors="backslashreplace")


def holds_any_character(stream: TextIO) -> bool:
    return (stream.encoding or "utf-8").lower().replace("_", "-").startswith("utf")
