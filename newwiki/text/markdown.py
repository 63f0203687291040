"""Write Markdown as wikitext, so that the extractor reads an answer by the rules by which it reads an article.

A lone `1984. It was` is no list, a line that is not indented ends a list, and a line of emphasis alone is a heading.
"""

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from newwiki.text.markdown_parser import NO_LINK, load_parser, pieces
from newwiki.text.tags import plain_number, without_raw, without_tags

if TYPE_CHECKING:
    from markdown_it.token import Token

_HOLE = "<math/>"  # becomes the extractor's mark for what cannot be written as text
_LONGEST_HEADING = 100  # characters of a line of emphasis
_MOST_LIST = 99  # the highest number that begins a list; years are higher

_SIGN = re.compile(r"[*_`#\[<|~$\\]|''|\{\{|^[ \t]*+(?:[-+=>]|\d{1,9}[.)])", re.MULTILINE)
_WIKITEXT = re.compile(r"\[\[(?!\d{1,3}\]\])[^\[\]\n]++\]\](?!\()|'''[^'\n]++'''|\{\{\s*+[^\W\d_]")
_TEXT_AS_CODE = re.compile(r"[{}\[\]|=<>*#:;'_&-]")
_TEXT = re.compile(r"[{}\[\]|=*#:;_&]|'(?=')|(?<=')'|^-|-(?=\{)")
_CITATION = re.compile(r"\[\d{1,3}\]|\[\^[\w-]{1,30}\]")
_NUMBER = re.compile(r"\^?\d{1,3}")
_FOOTNOTE = re.compile(r"^ {0,3}\[\^[\w-]{1,30}\]:.*+(?:\n(?:[ \t]++\S.*+|[ \t]*+(?=\n[ \t]{2,}\S)))*+", re.MULTILINE)
_FORMULA = re.compile(
    r"\$\$([^$]++)\$\$|(?<![\\$\w])\$(?=[^\s$])([^$\n]{1,200})(?<=\S)\$(?![\d$])|"
    r"\\\(((?:[^\\]|\\(?![()]))*+)\\\)|\\\[((?:[^\\]|\\(?![\[\]]))*+)\\\]"
)
_OF_FORMULA = re.compile(r"[\\^_={}+<>]|\s*\w\s*\Z")
_CUT_IMAGE = re.compile(r"(?<!\[)!\[[^\[\]\n]*+(?:\]\([^()\n]*+)?\Z")
_CUT_LINK = re.compile(r"(?<![!\]])(?<!\]\()\[([^\[\]\n]++)\]\([^\s()]*+\Z")
_CUT_BOLD = re.compile(r"(?<![A-Za-z0-9*\\])\*\*(?![\s*])[^*\n]{0,100}\Z")
_SENTENCE_END = re.compile(r"[.!?…。！？][\"'”’»」』)\]]*\Z")
_WHOLE = ("", ":", "：")


def wikitext_of(markdown: str) -> str | None:
    """Return the text as wikitext in which only Markdown, tags and clear wikitext are markup; None if it has none."""
    if not _SIGN.search(markdown):
        return None
    source = markdown.replace("\r\n", "\n").replace("\r", "\n")
    text = _FORMULA.sub(_formula, _without_cut_end(_FOOTNOTE.sub("", source)))
    page = _Page(text, is_wikitext=_WIKITEXT.search(text) is not None)
    written = page.write()
    has_tags = "<" in text and without_tags(without_raw(text)) != text
    return written if page.is_marked or has_tags or text != source else None


def sole_fence(markdown: str) -> tuple[str, str] | None:
    """Return the language and the content of the code fence that is the whole text, if it is one."""
    if not markdown.lstrip().startswith(("```", "~~~")):
        return None
    tokens = load_parser().parse(markdown)
    return (tokens[0].info.strip().lower(), tokens[0].content) if [t.type for t in tokens] == ["fence"] else None


def _without_cut_end(text: str) -> str:
    """Remove the signs of an image, a link and a bold phrase that the end of the text cuts off."""
    text = _CUT_LINK.sub(r"\1", _CUT_IMAGE.sub("", text))
    last = text.rfind("\n") + 1
    if text.count("**", last) % 2 and (bold := _CUT_BOLD.search(text, last)):
        return text[: bold.start()] + text[bold.start() + 2 :]
    return text


def _formula(formula: re.Match[str]) -> str:
    """Return the number that a formula is, or a mark for it. `$5 and $6` is none."""
    content = next(group for group in formula.groups() if group is not None)
    if formula[0][0] == "$" and not _OF_FORMULA.search(content):
        return formula[0]
    return plain_number(content) or _HOLE


class _Page:
    """The blocks of a text. `is_marked` tells after `write` whether one of them is more than plain paragraphs."""

    def __init__(self, text: str, is_wikitext: bool) -> None:
        self._env: dict[str, Any] = {}
        self._lines = text.split("\n")
        self._tokens = load_parser().parse(text, self._env)
        self._is_wikitext = is_wikitext
        self.is_marked = is_wikitext or bool(self._env.get("references"))
        levels = [int(token.tag[1]) for token in self._tokens if token.type == "heading_open"]
        self._level_of_emphasis = min(6, max(levels, default=1) + 1)

    def write(self) -> str:
        return "\n\n".join(self._blocks())

    def _blocks(self) -> Iterator[str]:
        index, prefix = 0, ""
        while index < len(self._tokens):
            token = self._tokens[index]
            index += 1
            match token.type:
                case "bullet_list_open" | "ordered_list_open" | "table_open":
                    inside = self._inside(index - 1)
                    if _is_list_or_table(inside):
                        self.is_marked = True
                        yield from self._prose_between(inside)
                        index += len(inside) - 1
                case "list_item_open":
                    prefix = f"{token.info}{token.markup} "
                case "heading_open":
                    yield from self._heading(token, self._tokens[index].content)
                    index += 1
                case "inline":
                    yield from self._paragraph(prefix + token.content)
                    prefix = ""
                case "fence" | "hr" | "blockquote_open":
                    self.is_marked = True

    def _inside(self, start: int) -> "Sequence[Token]":
        """Return the tokens from the one that opens a block to the one that closes it."""
        level = self._tokens[start].level
        end = start + 1
        while self._tokens[end].nesting >= 0 or self._tokens[end].level != level:
            end += 1
        return self._tokens[start : end + 1]

    def _heading(self, token: "Token", content: str) -> Iterator[str]:
        self.is_marked = True
        if not token.markup.startswith("#") and ("\n" in content or _SENTENCE_END.search(content)):
            yield from self._paragraph(content)  # a paragraph right above a rule
            return
        yield self._title(" ".join(line.text for line in self._read(content)), int(token.tag[1]))

    def _title(self, text: str, level: int) -> str:
        return f"{'=' * level} {text} {'=' * level}" if text.strip() else ""

    def _prose_between(self, tokens: "Sequence[Token]") -> Iterator[str]:
        """Yield the lines that are not indented behind items of a list, and those below a table without a stroke."""
        if tokens[0].level:
            return
        is_table = tokens[0].type == "table_open"
        ends = {token.map[0]: token.map[1] for token in tokens if token.map and token.type in ("inline", "tr_open")}
        for start, end in ends.items():
            lines = self._lines[start:end] if is_table else self._lines[start + 1 : end]
            prose = [line for line in lines if ("|" not in line if is_table else line[:1].strip())]
            if prose:
                yield from self._paragraph("\n".join(prose))

    def _paragraph(self, content: str) -> Iterator[str]:
        """Yield the headings and the paragraphs of a block."""
        kept: list[str] = []
        for line in self._read(content):
            if line.is_heading:
                yield "\n".join(kept)
                yield self._title(line.text.rstrip(":："), self._level_of_emphasis)
                kept = []
            elif not line.is_row:
                kept.append(line.text)
            self.is_marked |= line.is_heading or line.is_row
        yield "\n".join(kept)

    def _read(self, content: str) -> "list[_Line]":
        lines: list[_Line] = [_Line()]
        for piece in pieces(content):
            tokens: list[Token] = []
            parser = load_parser()
            parser.inline.parse(piece, parser, self._env, tokens)
            self._write_line(tokens, lines)
        return lines

    def _write_line(self, tokens: "Sequence[Token]", lines: "list[_Line]") -> None:
        depth = 0
        label = 0  # where the innermost link's label begins
        for token in tokens:
            line = lines[-1]
            if token.type in ("softbreak", "hardbreak"):
                if depth:
                    line.text += " "
                else:
                    lines.append(_Line())
                continue
            if token.type in ("text", "text_special"):
                self._write_text(token.content, line)
                continue
            self.is_marked = True
            depth += token.nesting
            match token.type:
                case "code_inline":
                    line.text += _TEXT_AS_CODE.sub(_escaped, token.content.replace(NO_LINK, "["))
                case "image":
                    line.text += _HOLE
                case "link_open":
                    label = len(line.text)
                case "link_close" if _NUMBER.fullmatch(line.text, label):
                    line.text = line.text[:label]
                case "strong_open" | "em_open" if depth == 1 and not line.text.strip():
                    line.begins_with_emphasis = True
                case "strong_close" | "em_close" if depth == 0 and line.end_of_emphasis is None:
                    line.end_of_emphasis = len(line.text)

    def _write_text(self, text: str, line: "_Line") -> None:
        text = text.replace(NO_LINK, "[")
        if self._is_wikitext:
            line.text += text
            return
        if not line.text and text.startswith("|"):
            line.is_row = True
        kept = _CITATION.sub("", text)
        self.is_marked |= kept != text
        line.text += _TEXT.sub(_escaped, kept)


class _Line:
    """A line of a paragraph as wikitext."""

    def __init__(self) -> None:
        self.text = ""
        self.is_row = False
        self.begins_with_emphasis = False
        self.end_of_emphasis: int | None = None

    @property
    def is_heading(self) -> bool:
        """Whether emphasis is all there is, and it does not end like a sentence."""
        return (
            self.begins_with_emphasis
            and self.end_of_emphasis is not None
            and self.text[self.end_of_emphasis :].strip().replace("&#58;", ":") in _WHOLE
            and len(self.text) <= _LONGEST_HEADING
            and not _SENTENCE_END.search(self.text.strip())
        )


def _is_list_or_table(tokens: "Sequence[Token]") -> bool:
    """Tell whether it is more than a paragraph that begins with a number, as `1. FC` and `1984. It` do."""
    if tokens[0].type != "ordered_list_open":
        return True
    numbers = [token.info for token in tokens if token.type == "list_item_open" and token.level == tokens[0].level + 1]
    return len(numbers) > 1 and int(numbers[0]) <= _MOST_LIST


def _escaped(sign: re.Match[str]) -> str:
    return f"&#{ord(sign[0])};"
