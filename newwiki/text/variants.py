"""Marks by which a wiki writes one text in several scripts: `-{zh-hans:计算机;zh-hant:電腦}-`.

What is shown is what a reader sees who has chosen none: https://www.mediawiki.org/wiki/Writing_systems/Syntax.
"""

import re

_MARK = re.compile(r"-\{(?!\{)((?:(?!-\{|\}-)[^\n]){0,2000})\}-")
_FLAGS = re.compile(r"\s*([A-Za-z;\s-]*?)\s*\|")
_CODE = r"[a-z]{2,3}(?:-[a-z]+)?\s*:"
_RULE = re.compile(rf"\s*(?:[^:;=]*=>)?\s*([a-z]{{2,3}}(?:-[a-z]+)?)\s*:\s*((?:(?!;\s*(?:{_CODE}|\s*$)).)*)")
_ORDER = ("zh", "zh-hans", "zh-cn", "zh-sg", "zh-my", "zh-hant", "zh-tw", "zh-hk", "zh-mo")
_HIDDEN = frozenset("HT-")  # rules for the page or its title
_ROUNDS = 4  # of marks in marks


def without_variants(wikitext: str) -> str:
    """The text with one of the variants of each mark, and without the rules that show nothing."""
    for _ in range(_ROUNDS):
        wikitext, count = _MARK.subn(_shown, wikitext)
        if not count:
            break
    return wikitext


def _shown(mark: re.Match[str]) -> str:
    content = mark[1]
    if found := _FLAGS.match(content):
        flags = {flag.strip().upper() for flag in found[1].split(";")}
        content = content[found.end() :]
        if flags & _HIDDEN:
            return ""
        if "R" in flags:
            return content
    rules = {rule[1]: rule[2].strip() for rule in _RULE.finditer(content)}
    return next((rules[code] for code in _ORDER if code in rules), content if not rules else next(iter(rules.values())))
