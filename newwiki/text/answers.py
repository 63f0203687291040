"""Turn a model's answer into prose by the rules that turn a page into an article, so that both are measured alike.

Chat models write Markdown, and models of text know wikitext. An answer without either is prose already, and comes back
character for character. `CLEANING` names the version of the rule: it changes whenever the prose of an answer may.
"""

import functools
import re

from newwiki.text.language import Language
from newwiki.text.markdown import sole_fence, wikitext_of
from newwiki.text.prose import extract_prose

CLEANING = "prose-v2"

_ROUNDS = 8  # removals may bring signs together
_NO_SIGNS = str.maketrans("", "", "*_`#[]<>{}|~$\\&'=")
_TEXT_FENCES = frozenset({"", "markdown", "md", "mediawiki", "plaintext", "text", "txt", "wiki", "wikitext"})
_WIKI_PAGE = re.compile(r"^={2,6}[ \t]*+[^=\s][^\n]*?={2,6}[ \t]*+$|^[ \t]*+\{\|", re.MULTILINE)
_BOLD = re.compile(r"\*\*(?=[^\s*])([^*\n]++)(?<=\S)\*\*")
_INDENT = re.compile(r"^ +", re.MULTILINE)
_LONGEST_REMARK = 300  # characters
_FIRST_LINE = re.compile(r"\s*+([^\r\n]*+)(?:[\r\n]\s*+|\Z)")
_LAST_PARAGRAPH = re.compile(r"\r?\n\s*\n")
_DRESS = '*_>"“ '


def prose_of_answer(text: str, language: Language) -> str:
    """Return the running text of an answer, paragraphs separated by one empty line; empty if there is none.

    An answer without Markdown, wikitext, tags and remarks to the user is returned as it is, with its white space.
    Cleaning the result again does not change it.
    """
    for _ in range(_ROUNDS):
        if text == (text := _cleaned(text, language)):
            return text
    return _cleaned(text.translate(_NO_SIGNS), language)


def _cleaned(text: str, language: Language) -> str:
    text = _without_remarks(text, language)
    if (fence := sole_fence(text)) and fence[0] in _TEXT_FENCES:
        text = fence[1]
    if _WIKI_PAGE.search(text):
        return _prose(_BOLD.sub(r"'''\1'''", text), language)
    wikitext = wikitext_of(text)
    return text if wikitext is None else _prose(wikitext, language)


def _prose(wikitext: str, language: Language) -> str:
    """Extract the prose; a model that begins a line with a space means no preformatted text."""
    return extract_prose(_INDENT.sub("", wikitext), language)


def _without_remarks(text: str, language: Language) -> str:
    """Remove what a chat model says to the user: first lines that end in a colon and begin with one of the language's
    `answer_openings`, and last paragraphs behind others that begin with one of its `answer_closings`."""
    start, end = 0, len(text)
    while (line := _FIRST_LINE.match(text, start)) and _is_opening(line[1], language):
        start = line.end()
    while (before := _end_before_closing(text, start, end, language)) is not None:
        end = before
    return text[start:end]


def _is_opening(line: str, language: Language) -> bool:
    return (
        len(line) <= _LONGEST_REMARK
        and line.rstrip(_DRESS).endswith((":", "："))
        and _begins_with(line, language.answer_openings, language.spaceless)
    )


def _end_before_closing(text: str, start: int, end: int, language: Language) -> int | None:
    """Return the end of the text before a closing remark; None if the last paragraph is none, or is all there is."""
    window = text[max(start, end - 2 * _LONGEST_REMARK) : end].rstrip()
    breaks = [*_LAST_PARAGRAPH.finditer(window)]
    if not breaks or not window[: breaks[-1].start()].strip():
        return None
    paragraph = window[breaks[-1].end() :]
    if len(paragraph) > _LONGEST_REMARK or not _begins_with(paragraph, language.answer_closings, language.spaceless):
        return None
    return max(start, end - 2 * _LONGEST_REMARK) + breaks[-1].start()


def _begins_with(text: str, phrases: tuple[str, ...], is_spaceless: bool) -> bool:
    return _beginning(phrases, is_spaceless).match(text.lstrip(_DRESS).replace("’", "'")) is not None


@functools.cache
def _beginning(phrases: tuple[str, ...], is_spaceless: bool) -> re.Pattern[str]:
    """Return a pattern of the phrases. Between spaces a phrase ends where its last word ends."""
    ends = "" if is_spaceless else r"(?<!\w(?=\w))"
    return re.compile(f"(?:{'|'.join(map(re.escape, phrases))}){ends}", re.IGNORECASE)
