"""The marks of wikitext that no prose holds, and how to look for them."""

import re
from collections.abc import Iterable

from newwiki.text.tags import known

_LISTS = known()
_TAGS = [
    *_LISTS["elements"],
    *_LISTS["removed"],
    *_LISTS["holes"],
    "nowiki",
    "poem",
    "includeonly",
    "noinclude",
    "onlyinclude",
]
MARKS = {
    **{mark: re.compile(re.escape(mark)) for mark in [
        "{{", "}}", "[[", "]]", "|", "''", "----", "( )", "( ", "(, ", "(;", ",,", "  ", "<!--", "-->",
        "<>", "mailto:", "http:", "https:", "Category:", "\x01", "\x02", "\x03", "\x04", "\x05", "\x06", "\x07",
    ]},
    "a reference": re.compile(r"</?ref\b"),
    "a tag": re.compile(rf"</?(?:{'|'.join(_TAGS)})(?=[\s/>])", re.IGNORECASE),
    "an entity": re.compile(r"&(?:#\d+|#[xX][0-9a-fA-F]+|nbsp|ndash|mdash|amp|lt|gt|quot|thinsp|minus|times);"),
    "a switch": re.compile(r"__[A-ZÄÖÜ_]{3,}__"),
    "a footnote": re.compile(r"\[\d{1,3}\]"),
    "a picture's size": re.compile(r"\b(?:thumb|\d+px)\s*\|"),
    "a control character": re.compile(r"[\x00-\x08\x0b-\x1f\x7f\u200b\ufeff]"),
}  # fmt: skip


def leaks(prose: str, *, but: Iterable[str] = ()) -> list[str]:
    """Each mark that the prose holds, with what stands around it."""
    found = {name: mark.search(prose) for name, mark in MARKS.items() if name not in but}
    return [f"{name}: …{prose[max(0, m.start() - 30) : m.end() + 30]}…" for name, m in found.items() if m]
