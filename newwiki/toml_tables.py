"""Tables of TOML files as pydantic models, with errors in TOML's terms."""

from collections.abc import Callable

from pydantic import BaseModel, ConfigDict, ValidationError

from newwiki.errors import did_you_mean

Place = list[str | int]

# pydantic's kinds of errors in TOML's terms; other messages are used unchanged
_SAYS = {
    "bool_type": "must be true or false",
    "greater_than_equal": "must be {ge} or more",
    "int_type": "must be a whole number",
    "literal_error": "must be {expected}",
    "model_type": "must be one table",
    "string_pattern_mismatch": "may hold letters, digits, - and _",
    "string_type": "must be a text in quotes",
    "too_short": "must not be empty",
    "tuple_type": "must be a list",
}


class Table(BaseModel):
    """A table that allows only its own keys, each with the right type."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


def keys_in_words(place: Place) -> str:
    """Describe a place below a table: `, decoders 2` for ("decoders", 1)."""
    return "".join(f" {part + 1}" if isinstance(part, int) else f", {part}" for part in place)


def what_is_wrong(
    error: ValidationError,
    table_at: Callable[[Place], type[Table]],
    in_words: Callable[[Place], str],
    *,
    repeat: bool = False,
) -> str:
    """Describe the first error in one line: in which table, under which key, and what is wrong.

    With `repeat` the value is shown; without it a secret in the wrong place stays hidden.
    """
    first = error.errors(include_url=False)[0]
    place: Place = list(first["loc"])
    if first["type"] == "extra_forbidden":
        key = str(place.pop())
        known = table_at(place).model_fields
        return f"{in_words(place)} has no key '{key}'{did_you_mean(key, known)}; its keys are: {', '.join(known)}"
    if first["type"] == "missing":
        key = str(place.pop())
        return f"{in_words(place)} needs '{key}'"
    message = first["msg"].removeprefix("Value error, ")
    if first["type"] in _SAYS:
        message = _SAYS[first["type"]].format(**first.get("ctx", {}))
    given = f", not {first['input']!r}" if repeat and place else ""
    return f"{in_words(place)}: {message}{given}"
