"""Inline templates that carry prose, rendered as a reader sees them; every other template is no prose.

Each renderer gets the template's positional arguments, already rendered, and answers with text.
"""

from collections.abc import Callable, Sequence

Renderer = Callable[[Sequence[str]], str]


def _argument(position: int) -> Renderer:
    return lambda arguments: arguments[position] if len(arguments) > max(position, 0) else ""


def _constant(text: str) -> Renderer:
    return lambda arguments: text


def _convert(arguments: Sequence[str]) -> str:
    """`{{convert|5|km|mi}}` is `5 km`; `{{convert|5|-|8|km|mi}}` is `5–8 km`: the converted value is left out."""
    joins = {"-": "–", "–": "–", "to": " to ", "and": " and ", "by": " by ", "x": " × ", "or": " or "}
    if len(arguments) >= 4 and arguments[1] in joins:
        return f"{arguments[0]}{joins[arguments[1]]}{arguments[2]} {arguments[3]}"
    return " ".join(arguments[:2])


def _as_of(arguments: Sequence[str]) -> str:
    months = [
        "January",
        "February",
        "March",
        "April",
        "May",
        "June",
        "July",
        "August",
        "September",
        "October",
        "November",
        "December",
    ]
    year, *rest = arguments or [""]
    month = rest[0] if rest else ""
    name = months[int(month) - 1] if month.isdigit() and 1 <= int(month) <= 12 else month
    day = rest[1] if len(rest) > 1 else ""
    return " ".join(part for part in ("As of", day, name, year) if part)


RENDERERS: dict[str, Renderer] = {
    "lang": _argument(1),
    "transliteration": _argument(-1),
    "transl": _argument(-1),
    "convert": _convert,
    "cvt": _convert,
    "circa": lambda arguments: f"c. {arguments[0]}" if arguments and arguments[0] else "c.",
    "as of": _as_of,
    "nowrap": _argument(0),
    "nobr": _argument(0),
    "small": _argument(0),
    "abbr": _argument(0),
    "ill": _argument(0),
    "sic": lambda arguments: "".join(arguments),
    "'": _constant("'"),
    "nbsp": _constant(" "),
    "ndash": _constant("–"),
    "mdash": _constant("—"),
    "snd": _constant(" – "),
    "spaced ndash": _constant(" – "),
    "dash": _constant(" – "),
}
RENDERERS |= {"c.": RENDERERS["circa"], "–": RENDERERS["ndash"], "—": RENDERERS["mdash"]}


def render(name: str, arguments: Sequence[str]) -> str:
    """The text of the template `name`, or nothing where it carries no prose."""
    renderer = RENDERERS.get(name.strip().lower().replace("_", " "))
    return renderer([argument.strip() for argument in arguments]) if renderer else ""
