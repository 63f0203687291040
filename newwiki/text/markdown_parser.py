"""Parse Markdown with markdown-it-py: CommonMark with GitHub's tables and strikethrough.

Some rules differ, because an answer is prose first: indentation is no code, `>5 km` is no quotation, `5*3*2`,
`__init__` and signs in an address are no emphasis, and HTML tags are left to the extractor.
"""

import functools
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from newwiki.text.words import SPACELESS

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_block import StateBlock
    from markdown_it.rules_inline import StateInline

NO_LINK = "\x1a"  # stands for `[` where nothing is a link

_PIECE = 4_000  # characters of a paragraph that are read at once: signs that nothing closes take quadratic time
_MOST_OPEN = 20  # brackets that nothing closes in a piece; there are no links among more
_LONGEST_RUN = 3  # signs; `****` is text
_REACH = 300  # characters of an address before a sign
_IDENTIFIER = re.compile(r"__[a-z0-9]+(?:_[a-z0-9]+)*__(?!\w)")
_INSIDE_WORD = re.compile(rf"[^\W{SPACELESS}]")
_SPACELESS = re.compile(f"[{SPACELESS}]")


@functools.cache
def load_parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"maxNesting": 100}).enable(["table", "strikethrough"])
    parser.disable(["code", "html_block", "html_inline"])
    parser.core.ruler.disable("inline")  # each paragraph is read when it is written
    parser.inline.ruler.at("emphasis", _emphasis)
    parser.block.ruler.at("blockquote", _blockquote, {"alt": ["paragraph", "reference", "blockquote", "list"]})
    return parser


def _blockquote(state: "StateBlock", line: int, end: int, silent: bool) -> bool:
    """Read a quotation. `>5 km` is none."""
    from markdown_it.rules_block import blockquote

    start = state.bMarks[line] + state.tShift[line]
    return state.src[start + 1 : start + 2] in ("", " ", "\t", "\n", ">") and blockquote(state, line, end, silent)


def _is_in_address(text: str, start: int, end: int) -> bool:
    word = text[max(0, start - _REACH) : start].rsplit(maxsplit=1)[-1:]
    return text[end : end + 1].isalnum() and not text[start - 1 : start].isspace() and "://" in "".join(word)


def _emphasis(state: "StateInline", silent: bool) -> bool:
    """Find the signs of emphasis as CommonMark does, except that `*` opens none inside a word, and that in scripts
    without spaces it may stand between a word and a quotation mark."""
    from markdown_it.rules_inline.state_inline import Delimiter

    sign = state.src[state.pos]
    if silent or sign not in "*_":
        return False
    if identifier := _IDENTIFIER.match(state.src, state.pos):
        state.pending += identifier[0]
        state.pos = identifier.end()
        return True
    run = state.scanDelims(state.pos, sign == "*")
    end = state.pos + run.length
    if run.length > _LONGEST_RUN or _is_in_address(state.src, state.pos, end):
        state.pending += sign * run.length
        state.pos = end
        return True
    opens, closes = run.can_open, run.can_close
    if sign == "*":
        before, after = state.src[state.pos - 1 : state.pos], state.src[end : end + 1]
        if _SPACELESS.match(before) or _SPACELESS.match(after):
            opens, closes = bool(after.strip()), bool(before.strip())
        opens = opens and not _INSIDE_WORD.match(before)
    for _ in range(run.length):
        state.push("text", "", 0).content = sign
        state.delimiters.append(Delimiter(ord(sign), run.length, len(state.tokens) - 1, -1, opens, closes))
    state.pos = end
    return True


def pieces(content: str) -> Iterator[str]:
    """Cut a paragraph that is too long to be read at once, behind a sentence or a word where there is one."""
    start = 0
    while start < len(content):
        end = len(content)
        if end - start > _PIECE:
            window = start + _PIECE // 2, start + _PIECE
            end = content.rfind(". ", *window) + 1 or content.rfind(" ", *window) + 1 or start + _PIECE
        piece = content[start:end]
        start = end
        open_brackets = max(piece.count("[") - piece.count("]"), piece.count("](") - piece.count(")"))
        yield piece if open_brackets <= _MOST_OPEN else piece.replace("[", NO_LINK)
