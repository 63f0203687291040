"""Where sentences of Chinese and Japanese end: at 。！？ outside of brackets, or at their end."""

import re

_END = re.compile(r"[。！？｡]++[」』”’）》〉】]*+")
_OPENERS, _CLOSERS = "（(「『《〈【“‘[", "）)」』》〉】”’]"
# What follows where a quotation, or a name that ends in such a mark, stands within a sentence.
_GOES_ON = re.compile(r"[、，；：（(のとがをはにもで的和与與及]")
_NAME_GOES_ON = re.compile(r"[（(、，]")


def ends(paragraph: str) -> list[int]:
    """The place behind each end of a sentence; behind all end marks where a bracket is never closed."""
    found = list(_END.finditer(paragraph))
    outside, depth, position = [], 0, 0
    for end in found:
        for character in paragraph[position : end.end()]:
            depth = max(0, depth + (character in _OPENERS) - (character in _CLOSERS))
        position = end.end()
        if depth == 0 and not _goes_on(paragraph, end):
            outside.append(end.end())
    return outside or ([end.end() for end in found] if depth else [])


def _goes_on(paragraph: str, end: re.Match[str]) -> bool:
    rule = _NAME_GOES_ON if end[0] == "。" else _GOES_ON
    return rule.match(paragraph, end.end()) is not None
