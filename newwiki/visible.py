"""Text from elsewhere as people may see it: one function for each format that goes out.

A title, the name of a model or an answer of a server could otherwise recolour, overwrite or retype what stands on a
screen, reverse the direction of a line, break out of a table's cell, or look like another name. Texts in scripts that
run from right to left stay as they are: only the characters that steer are written out, never letters.

`visible` is for terminals, logs and plain text, `in_markdown` for a cell or a line of Markdown, `in_markup` for HTML,
XML and SVG, `in_csv` for a text cell of CSV that people open in a spreadsheet, `in_json` for JSON, `in_message` for a
value within an error message.
"""

import re
from urllib.parse import quote

from newwiki.spreadsheet_cells import neutralized

_STEERING = "".join(
    (
        "\x00-\x08\x0b-\x1f\x7f-\x9f",  # C0 and C1 but tab and line feed, which layouts use
        "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069",  # the direction of writing
        "\u2028\u2029",  # ends of lines and paragraphs
        "\u00ad\u180e\u200b\u2060-\u2065\u206a-\u206f\ufeff\ufff9-\ufffb\ufffe\uffff",  # without a shape
        "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff",
        "\ud800-\udfff",  # halves of pairs
    )
)
# Persian, the scripts of India and emoji are written with joiners; behind any other letter they only hide.
_JOINED = "\u0590-\u1dff\u2190-\u2bff\u2d00-\u2dff\u3000-\ud7ff\uf900-\ufdff\ufe0f\ufe70-\ufefe\U00010000-\U000dffff"
_HIDDEN = re.compile(f"[{_STEERING}]|(?<![{_JOINED}])[\u200c\u200d]")
_LONGEST_IN_MESSAGE = 80
_IN_URLS = "%/:=&?~#+!$,;'@*"
_MARKDOWN = re.compile(r"\\(?=[!-/:-@\[-`{-~])|[|`*~<&]|(?<![0-9A-Za-z])_|_(?![0-9A-Za-z])|(?<=\])[(\[:]")


def visible(text: str) -> str:
    """The text with every character that is not seen and steers what is, written as JSON writes it (`\\u202e`).

    Line breaks and tabs stay, and so do the joiners that Persian, the scripts of India and emoji are written with.
    """
    return _HIDDEN.sub(lambda found: _number(ord(found[0])), text)


def in_message(value: object) -> str:
    """Return a value that someone else wrote, quoted, in ASCII and cut to about 80 characters, for an error message."""
    text = repr(value) if value is None or isinstance(value, int | float) else ascii(str(value))
    return text if len(text) <= _LONGEST_IN_MESSAGE else f"{text[:_LONGEST_IN_MESSAGE]}…"


def in_markdown(text: str) -> str:
    """The text as a line of Markdown or a cell of a table, in which nothing of it is markup, a link or an entity."""
    return _MARKDOWN.sub(r"\\\g<0>", _in_one_line(text))


def code_in_markdown(text: str) -> str:
    """The text as code in a line or a cell of Markdown; a backtick, which would end it, is written as `'`."""
    return f"`{_in_one_line(text).replace('|', chr(92) + '|').replace('`', chr(39))}`"


def link_in_markdown(text: str, url: str) -> str:
    """A link, or the text alone where the URL is not one of the web."""
    if not url.startswith(("https://", "http://")):
        return in_markdown(text)
    return f"[{in_markdown(text)}]({quote(url, safe=_IN_URLS, errors='backslashreplace')})"


def in_markup(text: str) -> str:
    """The text for a page, a feed or a picture, before its `<` and `&` are escaped (or after): XML 1.0 holds what is
    left. A line that ends as on Windows ends as any other does."""
    return visible(text.replace("\r\n", "\n"))


def in_csv(text: str) -> str:
    """The text as a cell that a spreadsheet shows and does not compute. Programs read JSON or Parquet instead."""
    return neutralized(visible(text))


def in_json(text: str) -> str:
    """JSON of the same value, in which what `visible` writes out is escaped too."""
    return _HIDDEN.sub(lambda found: "".join(map(_json_escape, _units(ord(found[0])))), text)


def _in_one_line(text: str) -> str:
    return " ".join(visible(text).split())


def _number(code: int) -> str:
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _units(code: int) -> tuple[int, ...]:
    """The code units of UTF-16, which JSON escapes."""
    if code < 0x10000:
        return (code,)
    return 0xD800 + (code - 0x10000 >> 10), 0xDC00 + (code - 0x10000 & 0x3FF)


def _json_escape(unit: int) -> str:
    return f"\\u{unit:04x}"
