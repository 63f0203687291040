"""Make text from elsewhere safe to display: one function for each output format.

A title, a model's name or a server's answer could otherwise recolor, overwrite or retype a screen, reverse the
direction of a line, break out of a table cell, or look like another name. Right-to-left texts stay unchanged: only
control characters are written out, never letters.

`visible` is for terminals, logs and plain text, `in_markdown` for a cell or a line of Markdown, `in_markup` for HTML,
XML and SVG, `in_csv` for a text cell of CSV that people open in a spreadsheet, `in_json` for JSON, `in_message` for a
value within an error message.
"""

import re
from urllib.parse import quote

from newwiki.spreadsheet_cells import neutralized

_STEERING = "".join(
    (
        "\x00-\x08\x0b-\x1f\x7f-\x9f",  # C0 and C1 without tab and line feed, which layouts use
        "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069",  # text direction
        "\u2028\u2029",  # line and paragraph separators
        "\u00ad\u180e\u200b\u2060-\u2065\u206a-\u206f\ufeff\ufff9-\ufffb\ufffe\uffff",  # invisible
        "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff",
        "\ud800-\udfff",  # surrogates
    )
)
# Persian, Indic scripts and emoji need joiners; after any other letter they are only hidden.
_JOINED = "\u0590-\u1dff\u2190-\u2bff\u2d00-\u2dff\u3000-\ud7ff\uf900-\ufdff\ufe0f\ufe70-\ufefe\U00010000-\U000dffff"
_HIDDEN = re.compile(f"[{_STEERING}]|(?<![{_JOINED}])[\u200c\u200d]")
_LONGEST_IN_MESSAGE = 80
_IN_URLS = "%/:=&?~#+!$,;'@*"
_MARKDOWN = re.compile(r"\\(?=[!-/:-@\[-`{-~])|[|`*~<&]|(?<![0-9A-Za-z])_|_(?![0-9A-Za-z])|(?<=\])[(\[:]")


def visible(text: str) -> str:
    """Write every invisible control character as JSON does (`\\u202e`).

    Line breaks and tabs stay, and so do the joiners that Persian, Indic scripts and emoji need.
    """
    if text.isascii() and text.isprintable():  # most cells of a table, which take far less time this way
        return text
    return _HIDDEN.sub(lambda match: _number(ord(match[0])), text)


def in_message(value: object) -> str:
    """Return a value that someone else wrote, quoted, in ASCII and cut to about 80 characters, for an error message."""
    text = repr(value) if value is None or isinstance(value, int | float) else ascii(str(value))
    return text if len(text) <= _LONGEST_IN_MESSAGE else f"{text[:_LONGEST_IN_MESSAGE]}…"


def in_markdown(text: str) -> str:
    """Return the text as a line of Markdown or a table cell, in which nothing of it is markup, a link or an entity."""
    return _MARKDOWN.sub(r"\\\g<0>", _in_one_line(text))


def code_in_markdown(text: str) -> str:
    """Return the text as code in a line or a cell of Markdown; a backtick, which would end it, is written as `'`."""
    return f"`{_in_one_line(text).replace('|', chr(92) + '|').replace('`', chr(39))}`"


def link_in_markdown(text: str, url: str) -> str:
    """Return a link, or only the text if the URL is not a web address."""
    if not url.startswith(("https://", "http://")):
        return in_markdown(text)
    return f"[{in_markdown(text)}]({quote(url, safe=_IN_URLS, errors='backslashreplace')})"


def in_markup(text: str) -> str:
    """Return the text for HTML, feeds and images, before or after its `<` and `&` are escaped: only characters allowed
    in XML 1.0 remain. Windows line ends become plain ones."""
    return visible(text.replace("\r\n", "\n"))


def in_csv(text: str) -> str:
    """Return the text as a cell that a spreadsheet shows and does not compute. Programs read JSON or Parquet
    instead."""
    return neutralized(visible(text))


def in_json(text: str) -> str:
    """Return JSON of the same value, with the characters escaped that `visible` writes out."""
    return _HIDDEN.sub(lambda match: "".join(map(_json_escape, _units(ord(match[0])))), text)


def _in_one_line(text: str) -> str:
    return " ".join(visible(text).split())


def _number(code: int) -> str:
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _units(code: int) -> tuple[int, ...]:
    """Return the code units of UTF-16, which JSON escapes."""
    if code < 0x10000:
        return (code,)
    return 0xD800 + (code - 0x10000 >> 10), 0xDC00 + (code - 0x10000 & 0x3FF)


def _json_escape(unit: int) -> str:
    return f"\\u{unit:04x}"
