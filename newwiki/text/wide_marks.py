"""Closes what vanished markup leaves open between marks of full width: （，东京） is （东京）, and （） is nothing."""

import re

from newwiki.text.tags import HOLE

_SEPARATORS = "、，；：,;:"
_AFTER_OPENER = re.compile(rf"(（)(?=[\s{_SEPARATORS}]*{HOLE})[\s{_SEPARATORS}{HOLE}]+")
_BEFORE_CLOSER = re.compile(rf"[\s{_SEPARATORS}]*{HOLE}[\s{_SEPARATORS}{HOLE}]*(）)")
_ROW = re.compile(rf"([{_SEPARATORS}])\s*(?:{HOLE}\s*[{_SEPARATORS}]\s*)+")
_EMPTY = re.compile(rf"（[\s{_SEPARATORS}{HOLE}]*）|「{HOLE}」|『{HOLE}』|《{HOLE}》|“{HOLE}”")
_BEFORE_MARK = re.compile(rf"\s*{HOLE}\s*(?=[、，。；：！？])")


def repair_wide(text: str) -> str:
    """The paragraph without brackets and separators that nothing stands between any more."""
    text = _BEFORE_CLOSER.sub(r"\1", _AFTER_OPENER.sub(r"\1", _ROW.sub(r"\1", text)))
    return _BEFORE_MARK.sub("", _EMPTY.sub(HOLE, text))
