"""Read JSON that another person wrote: bounded in size and depth, each key once, and no number that is not finite."""

import json
import math
from collections import Counter
from typing import Any

import pydantic

from newwiki.errors import TerminalError

MOST_BYTES = 64_000_000
MOST_DEPTH = 64
_MOST_DIGITS = 64  # tokenizers write 10**30 for "no limit"


def read_json(
    content: bytes | str,
    where: str,
    *,
    most_bytes: int = MOST_BYTES,
    most_depth: int = MOST_DEPTH,
    allow_nan: bool = False,
) -> Any:
    """Return the value of a JSON text in UTF-8.

    `where` begins the error message and names the source, such as `'FOLDER/adapter_config.json'`. Raises TerminalError
    for text that is not JSON or is too large or too deep, for a key that an object holds twice, for NaN, infinities and
    overlong numbers, and for text that is not valid Unicode. `allow_nan` reads NaN and infinities as Python writes
    them, for files of which no number is used.
    """
    if len(content) > most_bytes:
        raise TerminalError(
            f"{where} is too large: {len(content):,} bytes of JSON, and at most {most_bytes:,} are read"
        )
    try:
        text = content.decode("utf-8-sig") if isinstance(content, bytes) else content
        found = json.loads(
            text,
            object_pairs_hook=_object,
            parse_constant=float if allow_nan else _refuse_constant,
            parse_int=_integer,
            parse_float=float if allow_nan else _finite,
        )
        _require_shallow(found, most_depth)
        if "\\u" in text:  # the only way to write half of a surrogate pair
            json.dumps(found, ensure_ascii=False).encode()
    except RecursionError:
        raise TerminalError(f"{where} is nested too deeply: at most {most_depth} levels of JSON are read") from None
    except UnicodeError:
        raise TerminalError(f"{where} is not valid JSON: it holds text that is not Unicode") from None
    except ValueError as error:
        raise TerminalError(f"{where} is not valid JSON: {str(error)[:200]}") from None
    return found


def read_object(
    content: bytes | str, where: str, *, most_bytes: int = MOST_BYTES, allow_nan: bool = False
) -> dict[str, Any]:
    """Return the JSON object of a text. Raises TerminalError as `read_json` does, and for any other value."""
    found = read_json(content, where, most_bytes=most_bytes, allow_nan=allow_nan)
    if not isinstance(found, dict):
        raise TerminalError(f"{where} is not a JSON object")
    return found


def first_fault(error: pydantic.ValidationError) -> str:
    """Return the first of what is wrong with a value, in pydantic's words, and where. A key of the value that is no
    plain name is shown with escapes."""
    [fault, *_] = error.errors(include_url=False, include_input=False, include_context=False)
    place = ".".join(key if key.isidentifier() or key.isdecimal() else _shown(key) for key in map(str, fault["loc"]))
    return f"{place}: {fault['msg']}" if place else str(fault["msg"])


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice, _ = Counter(name for name, _ in pairs).most_common(1)[0]
        raise ValueError(f"an object holds the key {_shown(twice)} twice")
    return found


def _integer(digits: str) -> int:
    if len(digits) > _MOST_DIGITS:
        raise ValueError(f"a number has {len(digits):,} digits, and at most {_MOST_DIGITS} are read")
    return int(digits)


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError(f"the number {_shown(digits)} is too large")
    return number


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is not a JSON number")


def _shown(text: str) -> str:
    return ascii(text[:60])


def _require_shallow(value: Any, most_depth: int) -> None:
    """Raises RecursionError for a value nested more deeply, without recursion of its own."""
    level, depth = [value], 0
    while level := [one for one in level if isinstance(one, dict | list)]:
        if (depth := depth + 1) > most_depth:
            raise RecursionError
        level = [inner for one in level for inner in (one.values() if isinstance(one, dict) else one)]
