"""Check the patterns in an adapter's configuration, which peft matches against the names of the base's modules."""

import json
import re
import subprocess
import sys
from collections.abc import Collection, Iterator
from typing import Any

from newwiki.errors import TerminalError

SECONDS = 20.0
_PLAIN = re.compile(r"[\w.-]*")

# The forms in which peft puts a configuration's words into regular expressions: tuners/tuners_utils.py, utils/other.py
_TRY = r"""
import json, re, sys
words, names = json.load(sys.stdin)
for word in words:
    for form in (word, rf"(.*\.)?({word})$", rf"(^|.*\.){word}($|\..*)", rf"(?:^|.*?\.){word}\.(?P<idx>\d+)\."):
        pattern = re.compile(form)
        for name in names:
            pattern.fullmatch(name), pattern.match(name)
"""


def require_bounded(config: Any, names: Collection[str], adapter: str) -> None:
    """Match each word of a configuration against the names, in a separate process with a time limit.

    Raises TerminalError for words that take longer, because a regular expression such as `(a+)+b` may never finish, and
    for an invalid regular expression. Plain words take no time, so no process is started for them.
    """
    words = sorted({word for word in _words(config) if not _PLAIN.fullmatch(word)})
    if not words:
        return
    try:
        subprocess.run(
            [sys.executable, "-I", "-S", "-c", _TRY],
            input=json.dumps([words, sorted(names)]).encode(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=SECONDS,
            check=True,
        )
    except subprocess.TimeoutExpired:
        problem = f"takes more than {SECONDS:g} s to match"
    except subprocess.CalledProcessError:
        problem = "is invalid"
    else:
        return
    shown = max(words, key=len)
    raise TerminalError(
        f"the adapter '{adapter}' names modules by a regular expression that {problem} ({shown[:80]!a}); list the "
        "modules by their names in target_modules"
    )


def _words(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from _words(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _words(inner)
