"""Check names that come from people: of models, decoders, judges, snapshots, rubrics and plug-ins."""

import unicodedata

from newwiki.errors import UsageError

LONGEST = 200
# Names with a meaning of their own: the articles, and ids of things that are not published snapshots
_RESERVED = frozenset({"wikipedia", "references", ".", ".."})
_RESERVED_BEGINNINGS = ("reference:", "prompts:", "file:", "anchor:")
_SHOWN = 60
# Letters, marks and symbols that Unicode calls printable and that show nothing: grapheme joiner, Hangul and Khmer
# fillers, Mongolian and other variation selectors, the blank Braille pattern
_INVISIBLE = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0").union(
    map(chr, range(0x180B, 0x1810)), map(chr, range(0xFE00, 0xFE10)), map(chr, range(0xE0100, 0xE01F0))
)


class NameRefused(UsageError, ValueError):
    """Raised for an invalid name. It is also a ValueError, for callers that report the name's place themselves."""


def require_name(text: str, what: str, *, longest: int = LONGEST) -> str:
    """Return the name unchanged. `what` begins the error message, such as `the model name`.

    Raises NameRefused for a blank name, one longer than `longest` characters, one that is not in Unicode's form NFC,
    one with invisible characters (controls, bidirectional marks, private use, unassigned, half of a surrogate pair) or
    with spaces around it, and a reserved one in any case.
    """
    if fault := _fault(text, longest):
        shown = ascii(text[:_SHOWN]) + ("…" if len(text) > _SHOWN else "")
        raise NameRefused(f"{what} {shown} {fault}; choose another name")
    return text


def _fault(text: str, longest: int) -> str:
    if not text.strip():
        return "is blank"
    if len(text) > longest:
        return f"has {len(text):,} characters, but at most {longest} are allowed"
    for character in text:
        category = unicodedata.category(character)
        if category.startswith("C") or category in ("Zl", "Zp"):
            return f"holds U+{ord(character):04X}, which is not a printable character"
        if character in _INVISIBLE:
            return f"holds U+{ord(character):04X}, which is invisible"
    if not unicodedata.is_normalized("NFC", text):
        return "is not in Unicode's normal form NFC"
    if text != text.strip():
        return "begins or ends with a space"
    folded = unicodedata.normalize("NFKC", text).casefold()
    if folded in _RESERVED or folded.startswith(_RESERVED_BEGINNINGS):
        return "is reserved"
    return ""
