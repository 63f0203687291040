"""Handle tags as MediaWiki does; everything else between `<` and `>` is text.

`tags.txt` lists them. One difference from MediaWiki, which swallows the words of `a<b and c>d`: here a tag has
attributes with values, or none.
"""

import functools
import re
from importlib.resources import files

HOLE = "\x02"
LOST = "\x19"  # after HOLE: a sentence may need the text that is missing here (newwiki/text/holes.py)
DIGITS = "\x08\x1a\x1b\x7f"  # after a mark: the number of the template or tag that is counted
HOLE_MARKS = HOLE + LOST + DIGITS
LIST_ITEM = "\x01"  # marks a line that is an item of an HTML list
BLOCK_MARK = "\x0b"  # marks a line with a block-level tag, and the text beside it; white space for everything else
TAG_MARK = "\x06"  # marks a removed tag; it only separates runs of apostrophes


def known() -> dict[str, list[str]]:
    """Return the lists of `tags.txt`, by name."""
    lists: dict[str, list[str]] = {}
    for line in (files(__package__) / "tags.txt").read_text("utf-8").splitlines():
        name, colon, words = line.partition(": ")
        if colon and not line.startswith("#"):
            lists.setdefault(name, []).extend(words.split())
    return lists


_KNOWN = known()
_RAW = ["removed", "holes", "literal", "quoted", "included"]
_TREATMENT = {name: treatment for treatment in _RAW for name in _KNOWN[treatment]}
HOLE_TAGS = tuple(_KNOWN["holes"])  # their numbers are those of the first names that are counted
_BLOCKS, _ITEMS = frozenset(_KNOWN["blocks"]), frozenset(_KNOWN["items"])
_COMMENT_MARK = "\x07"

_RAW_OPENER = re.compile(rf"<(?:!--|({'|'.join(_TREATMENT)})(?=\s|/?>))", re.IGNORECASE)
_INLINE = re.compile(r"\binline\b|\benclose\s*=\s*[\"']?none", re.IGNORECASE)
_ENTITY_OR_MARKUP = re.compile(r"&(?:#\w+|\w+);|[{}\[\]|=<>*#:;'_]")
_INDENT = re.compile(r"^ +", re.MULTILINE)
_LONE_COMMENT = re.compile(rf"\n(?:[ \t]*{_COMMENT_MARK})+[ \t]*(?=\n)")
ATTRIBUTES = rf"(?:[\s/]++(?:(?:[\w:.\-]++\s*+=|(?:{'|'.join(_KNOWN['bare_attributes'])})\b)[^<>]*+)?+)?+"
_TAG = re.compile(rf"</?([a-zA-Z][a-zA-Z0-9\-]*+){ATTRIBUTES}>")
_TAGS = frozenset([*_KNOWN["elements"], *_TREATMENT, *_KNOWN["transparent"]])
_DRESS = frozenset(_KNOWN["elements"]) - _BLOCKS - _ITEMS - {"br", "sup", "sub"}
_HEADING = re.compile(r"<[hH]([1-6])(?:\s[^<>]*+)?>([^<]*+(?:<(?!/?[hH][1-6][\s>])[^<]*+)*+)</[hH]\1\s*+>")


def without_raw(text: str, but: frozenset[str] = frozenset()) -> str:
    """Remove comments and the tags whose content is not wikitext of the page, except the tags in `but`.

    As MediaWiki does, reads from the left, each tag up to its first end tag. Literal content stays, with its markup
    escaped. A tag that is never closed is left to `without_tags`.
    """
    kept: list[str] = []
    position = 0
    never_closed: set[str] = set()
    bracket = -1
    for opener in _RAW_OPENER.finditer(text):
        start, name = opener.start(), (opener[1] or "").lower()
        if start < position or name in never_closed or name in but:
            continue
        if not name:
            end = text.find("-->", start + 4)
            kept += text[position:start], _COMMENT_MARK
            position = end + 3 if end >= 0 else len(text)
            continue
        if bracket < opener.end():
            bracket = text.find(">", opener.end()) % (len(text) + 1)
        if bracket == len(text):
            continue
        attributes = text[opener.end() : bracket]
        content, end = _content(text, name, attributes, bracket + 1)
        if content is None:
            never_closed.add(name)
            continue
        kept += text[position:start], _shown(content, name, attributes)
        if text[end : end + 1] == " " and next((part[-1] for part in reversed(kept) if part), "\n") == "\n":
            kept.append(TAG_MARK)  # the line does not begin with the space
        position = end
    kept.append(text[position:])
    return _LONE_COMMENT.sub("", "".join(kept)).replace(_COMMENT_MARK, "")


def _content(text: str, name: str, attributes: str, start: int) -> tuple[str | None, int]:
    """Return a tag's content and the position where the tag ends; None if it is never closed."""
    if attributes.endswith("/"):
        return "", start
    if end := re.compile(rf"</{name}\s*>", re.IGNORECASE).search(text, start):
        return text[start : end.start()], end.end()
    return ("", len(text)) if _TREATMENT[name] == "included" else (None, start)


def _shown(content: str, name: str, attributes: str) -> str:
    treatment = _TREATMENT[name]
    if treatment == "quoted":
        return f"\n\n{_INDENT.sub('', content)}\n\n"
    if treatment == "literal" or (name in _KNOWN["literal_inline"] and _INLINE.search(attributes)):
        if treatment != "literal":
            content = content.replace("&", "&amp;").strip()
        return _ENTITY_OR_MARKUP.sub(_literal, content)
    if treatment == "holes":
        return (name == "math" and plain_number(content)) or HOLE + digits(HOLE_TAGS.index(name))
    return ""


def _literal(match: re.Match[str]) -> str:
    return match[0] if match[0].startswith("&") else f"&#{ord(match[0])};"


def digits(number: int) -> str:
    """Write a number (from 0) in characters that no page holds."""
    written = DIGITS[number % 4]
    while number := number // 4:
        written = DIGITS[number % 4] + written
    return written


def without_dress(text: str) -> str:
    """Replace tags that only format text by a mark, so that links and templates are read without them."""
    return _TAG.sub(lambda tag: TAG_MARK if tag[1].lower() in _DRESS else tag[0], text)


def without_tags(text: str) -> str:
    """Write HTML headings as wikitext headings, and replace other tags by their effect on the line."""
    return _TAG.sub(_tag, _HEADING.sub(_heading, text))


def without_switches(text: str, language_switches: frozenset[str]) -> str:
    """Remove words such as `__NOTOC__`; `__init__` is not one of them."""
    return _switches(language_switches).sub("", text) if "__" in text else text


@functools.cache
def _switches(language_switches: frozenset[str]) -> re.Pattern[str]:
    capitals = sorted({*_KNOWN["capital_switches"], *language_switches})
    return re.compile("|".join([f"(?i:{'|'.join(_KNOWN['switches'])})", *capitals]))


def _heading(tag: re.Match[str]) -> str:
    marks = "=" * int(tag[1])
    title = " ".join(tag[2].split())
    return f"\n\n{marks} {title} {marks}\n" if title else "\n\n"


def _tag(tag: re.Match[str]) -> str:
    name = tag[1].lower()
    if name not in _TAGS:
        return tag[0]
    if name == "br":
        return f"\n{HOLE}"
    if name in _ITEMS:
        return f"\n{BLOCK_MARK}" if tag[0][1] == "/" else f"\n{LIST_ITEM}"
    return f"{BLOCK_MARK}\n\n{BLOCK_MARK}" if name in _BLOCKS else TAG_MARK


_SIGNS = {
    r"\times": "×", r"\cdot": "⋅", r"\pm": "±", r"\approx": "≈", r"\sim": "~", r"\%": "%", r"\,": "", r"\;": " ",
    r"\ ": " ", r"\!": "", "{,}": ",", "-": "−",
}  # fmt: skip
_FRACTION = re.compile(r"(?<!\d)\\[dt]?frac\{(\d+)\}\{(\d+)\}")
_POWER = re.compile(r"\^(?:\{(-?\d+)\}|(\d))")
_PLAIN = re.compile(r"[±≈~−+]?\s*\d[\d,.]*(?:⁄\d+)?(?:\^−?\d+)?(?:\s*[×⋅±]\s*\d[\d,.]*(?:\^−?\d+)?)*\s*%?")


def plain_number(formula: str) -> str | None:
    """Convert `3 \\times 10^{8}` to 3×10^8; None if a formula is more than a number."""
    text = _POWER.sub(lambda power: f"^{power[1] or power[2]}", _FRACTION.sub(r"\1⁄\2", formula.strip()))
    for written, sign in _SIGNS.items():
        text = text.replace(written, sign)
    text = re.sub(r"\s*([×⋅])\s*", r"\1", text).strip()
    return text if _PLAIN.fullmatch(text) else None
