"""Read JSON that another person wrote: limited in size and depth, without duplicate keys and non-finite numbers."""

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
    overlong numbers, and for text that is not valid Unicode. `allow_nan` accepts NaN and infinities in Python's
    notation, for files whose numbers are not used.
    """
    if len(content) > most_bytes:
        raise TerminalError(
            f"{where} is too large: {len(content):,} bytes of JSON, but at most {most_bytes:,} are allowed"
        )
    try:
        text = content.decode("utf-8-sig") if isinstance(content, bytes) else content
        value = json.loads(
            text,
            object_pairs_hook=_object,
            parse_constant=float if allow_nan else _refuse_constant,
            parse_int=_integer,
            parse_float=float if allow_nan else _finite,
        )
        _require_shallow(value, most_depth)
        if "\\u" in text:  # the only way to write half a surrogate pair
            json.dumps(value, ensure_ascii=False).encode()
    except RecursionError:
        raise TerminalError(f"{where} is nested too deeply: at most {most_depth} levels of JSON are allowed") from None
    except UnicodeError:
        raise TerminalError(f"{where} is not valid JSON: it holds text that is not Unicode") from None
    except ValueError as error:
        raise TerminalError(f"{where} is not valid JSON: {str(error)[:200]}") from None
    return value


def read_object(
    content: bytes | str, where: str, *, most_bytes: int = MOST_BYTES, allow_nan: bool = False
) -> dict[str, Any]:
    """Return the JSON object of a text. Raises TerminalError as `read_json` does, and for any other value."""
    value = read_json(content, where, most_bytes=most_bytes, allow_nan=allow_nan)
    if not isinstance(value, dict):
        raise TerminalError(f"{where} is not a JSON object")
    return value


def first_fault(error: pydantic.ValidationError) -> str:
    """Return the first error of a value, in pydantic's words, and its place. Keys that are not plain names are shown
    escaped."""
    [fault, *_] = error.errors(include_url=False, include_input=False, include_context=False)
    place = ".".join(key if key.isidentifier() or key.isdecimal() else _shown(key) for key in map(str, fault["loc"]))
    return f"{place}: {fault['msg']}" if place else str(fault["msg"])


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        twice, _ = Counter(name for name, _ in pairs).most_common(1)[0]
        raise ValueError(f"an object holds the key {_shown(twice)} twice")
    return members


def _integer(digits: str) -> int:
    if len(digits) > _MOST_DIGITS:
        raise ValueError(f"a number has {len(digits):,} digits, but at most {_MOST_DIGITS} are allowed")
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
    """Raise RecursionError for a value that is nested too deeply, without recursion."""
    level, depth = [value], 0
    while level := [item for item in level if isinstance(item, dict | list)]:
        if (depth := depth + 1) > most_depth:
            raise RecursionError
        level = [inner for item in level for inner in (item.values() if isinstance(item, dict) else item)]
