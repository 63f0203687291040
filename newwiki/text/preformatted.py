"""Find preformatted lines, which begin with a space, as MediaWiki does (`BlockLevelPass` of MediaWiki 1.39).

A line is not preformatted in a quotation, nor where it has a block-level tag or follows one that opens a block.
Preformatted lines of ten words or more that end as a sentence does are a paragraph that somebody indented by mistake;
others are no prose.
"""

import re

from newwiki.text.tags import BLOCK_MARK, HOLE_MARKS, TAG_MARK
from newwiki.text.words import count_words

_NOTHING = f" \t{HOLE_MARKS}{TAG_MARK}{BLOCK_MARK}"
_BLOCK_TAG = re.compile(
    r"<(?:(/?)(table|h[1-6]|pre|p|ul|ol|dl)|(/?)(td|th)|/?(?:tr|caption|dt|dd|li)|"
    r"/?(?:center|blockquote|div|hr|aside|figure))(?=[\s>/])",
    re.IGNORECASE,
)
_MINIMUM_WORDS = 10
_SENTENCE_END = re.compile(rf"[.!?…。！？][\"'”’»)\]」』）{HOLE_MARKS}{TAG_MARK}]*\Z")
_QUOTE = re.compile(r"<(/?)blockquote(?=[\s>])", re.IGNORECASE)


def without_preformatted(text: str) -> str:
    """Return the text with the preformatted lines taken out, or made a paragraph of their own."""
    if not text.startswith(" ") and "\n " not in text:
        return text
    kept: list[str] = []
    preformatted: list[str] = []
    in_quote = in_block = False
    for line in text.split("\n"):
        is_preformatted = False
        if "<" in line and (tags := [*_BLOCK_TAG.finditer(line)]):
            for quote in _QUOTE.finditer(line):
                in_quote = not quote[1]
            in_block = _opens(tags[-1])
        elif line[:1] == " " and not in_quote and not in_block and BLOCK_MARK not in line:
            is_preformatted = line.strip(_NOTHING) != ""
        if is_preformatted:
            preformatted.append(line.strip())
        else:
            kept += [*_paragraph(preformatted), line]
            preformatted = []
    return "\n".join([*kept, *_paragraph(preformatted)])


def _paragraph(preformatted: list[str]) -> list[str]:
    if not preformatted:
        return []
    is_prose = _SENTENCE_END.search(preformatted[-1]) and count_words(" ".join(preformatted)) >= _MINIMUM_WORDS
    return ["", *preformatted, ""] if is_prose else [""]


def _opens(tag: re.Match[str]) -> bool:
    """Tell whether paragraphs are suppressed behind the tag."""
    if tag[2]:
        return not tag[1]
    return bool(tag[3]) if tag[4] else False
