"""What MediaWiki shows of a page: the words of its HTML, each with what it belongs to."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from html.parser import HTMLParser

from newwiki.text.language import Language

TEXT, GAP, TAIL, HATNOTE = "text", "template", "tail section", "hatnote"
_HATNOTE_WORDS = 25
_TEMPLATES = frozenset(  # the namespace of templates in each language
    ["template", "vorlage", "modèle", "plantilla", "predefinição", "sjabloon", "szablon", "шаблон", "テンプレート"]
)
_BREAKS = frozenset(["p", "div", "blockquote", "center", "br", "li", "dd", "dt", "td", "th", "tr", "pre", "hr", "poem"])
_VOID = frozenset(["br", "hr", "img", "wbr", "meta", "link", "input", "source", "track", "area", "col"])
_KIND_OF_TAG = {
    "table": "table", "li": "list", "dd": "list", "dt": "list", "figure": "caption", "figcaption": "caption",
    "pre": "code", "style": "style", "script": "style", **{f"h{level}": "heading" for level in range(1, 7)},
}  # fmt: skip
_KIND_OF_CLASS = {
    "reference": "reference", "references": "reference", "mw-references-wrap": "reference",
    "mw-ext-cite-error": "reference",
    "thumb": "caption", "thumbcaption": "caption", "gallery": "caption", "toc": "contents", "autonumber": "address",
    "free": "address", "redirectMsg": "redirect",
}  # fmt: skip
_RAISED = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-", strict=True))
_LOWERED = str.maketrans("₀₁₂₃₄₅₆₇₈₉₊₋", "0123456789+-")
_VARIABLES = "nkmxyijpqrtz"  # a raised letter after a digit is an exponent if it is one of these, or italic
_POWERS = re.compile(f"[{''.join(_RAISED)}]+")
_WORD = re.compile(
    r"(?<![\w)\].])-?\d+(?:[.,]\d+)*(?:⁄\d+)?(?:\^-?\w+)?|\d+(?:[.,]\d+)*(?:⁄\d+)?(?:\^-?\w+)?|"
    r"[\u3005-\u30ff\u3400-\u9fff\uf900-\ufaff]|"
    r"[^\W\d_\u3005-\u30ff\u3400-\u9fff\uf900-\ufaff]+(?:\^-?\w+)?"
)


@dataclass(frozen=True)
class Word:
    """A word as two texts can be compared by it; of a gap, the name of the template that the wiki lacks."""

    text: str
    kind: str
    paragraph: int


def plain(text: str) -> str:
    """The text with exponents behind `^`, indices on the line, and one sign each for minus and space."""
    text = _POWERS.sub(lambda run: "^" + "".join(_RAISED[character] for character in run[0]), text.translate(_LOWERED))
    text = text.replace("−", "-").replace("’", "'").replace("\u00a0", " ")
    text = re.sub(r"\^(\d+)\s?[/⁄]\s?(\d+)", r"\1⁄\2", text)
    return re.sub(r"(?<![\w)\]])\^", "", text.replace("^(", "^"))


def words(text: str) -> list[str]:
    """The words of a text. A number is a word with its separators, sign and exponent; so is a Chinese character."""
    return _WORD.findall(plain(text))


def rendered_words(html: str, language: Language) -> list[Word]:
    """The words of MediaWiki's HTML in their order."""
    levels = [int(level) for level in re.findall(r"<h([1-6])[ >]", html)]
    reader = _Reader(language, max(2, min(levels, default=2)))
    reader.feed(html)
    reader.close()
    return list(reader.words())


class _Reader(HTMLParser):
    """Collects the text with what it stands in; `^` goes before what is raised."""

    def __init__(self, language: Language, top_level: int) -> None:
        super().__init__(convert_charrefs=True)
        self._language = language
        self._top_level = top_level
        self._open: list[tuple[str, str]] = []
        self._chunks: list[tuple[str, str, int]] = []
        self._paragraph = 0
        self._heading: list[str] = []
        self._in_tail = False
        self._raise = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag in _BREAKS:
            self._break()
        if tag == "sup" and "reference" not in given.get("class", ""):
            self._raise = True
        if tag not in _VOID:
            self._open.append((tag, self._kind(tag, given)))
        if self._kinds() & {GAP} and tag == "a":
            name = given["title"].partition(":")[2].removesuffix(" (page does not exist)")
            self._chunks.append((name, GAP, self._paragraph))

    def _kind(self, tag: str, given: dict[str, str]) -> str:
        title, classes = given.get("title", ""), given.get("class", "").split()
        if tag == "a":
            prefix = title.partition(":")[0].lower()
            if prefix in _TEMPLATES and "new" in classes:
                return GAP
            if prefix in self._language.media_namespaces or "wpDestFile" in given.get("href", ""):
                return "file"
            if ":" in title and self._language.is_no_prose(prefix):
                return "link elsewhere"
        of_class = next((_KIND_OF_CLASS[name] for name in classes if name in _KIND_OF_CLASS), "")
        return of_class or _KIND_OF_TAG.get(tag, "")

    def _kinds(self) -> set[str]:
        return {kind for _, kind in self._open}

    def handle_endtag(self, tag: str) -> None:
        while self._open and any(opened == tag for opened, _ in self._open):
            closed, kind = self._open.pop()
            if kind == "heading":
                self._close_heading(int(closed[1]))
            if closed in _BREAKS:
                self._break()
            if closed == tag:
                break
        if tag == "sup":
            self._raise = False

    def _break(self) -> None:
        self._paragraph += 1
        self._chunks.append(("\n", TEXT, self._paragraph))

    def _close_heading(self, level: int) -> None:
        title = "".join(self._heading).strip().lower().rstrip(":")
        self._heading = []
        if level <= self._top_level:
            self._in_tail = title in self._language.tail_headings

    def handle_data(self, data: str) -> None:
        kinds = self._kinds()
        if GAP in kinds:
            return
        if "heading" in kinds:
            self._heading.append(data)
        kind = next((kind for _, kind in reversed(self._open) if kind), TEXT)
        if self._in_tail and kind in (TEXT, "list"):
            kind = TAIL
        if self._raise and data.strip():
            data = f"^{data}" if re.match(r"[-−+]?\d", data) or self._is_exponent(data) else data
            self._raise = False
        self._chunks.append((data, kind, self._paragraph))

    def _is_exponent(self, raised: str) -> bool:
        """Tell 2<sup>''n''</sup> from the endings in XII<sup>e</sup> and 19<sup>e</sup>."""
        behind_digit = bool(self._chunks) and self._chunks[-1][0][-1:].isdecimal()
        is_italic = any(tag == "i" for tag, _ in self._open)
        return behind_digit and len(raised) == 1 and raised.isalpha() and (is_italic or raised in _VARIABLES)

    def words(self) -> Iterator[Word]:
        """The words between gaps and changes of paragraph; a word belongs where it begins."""
        run: list[tuple[str, str, int]] = []
        for chunk in [*self._chunks, ("", GAP, -1)]:
            if run and (chunk[1] == GAP or chunk[2] != run[-1][2]):
                yield from self._of_run(run)
                run = []
            if chunk[1] == GAP and chunk[2] >= 0:
                yield Word(chunk[0], GAP, chunk[2])
            elif chunk[0]:
                run.append(chunk)

    def _of_run(self, run: list[tuple[str, str, int]]) -> Iterator[Word]:
        pieces = [plain(text) if not text.startswith("^") else text.replace("−", "-") for text, _, _ in run]
        joined = "".join(pieces)
        starts = [sum(map(len, pieces[:place])) for place in range(len(pieces))]
        is_hatnote = joined.strip().lower().startswith(self._language.hatnotes) and len(joined.split()) < _HATNOTE_WORDS
        fixed = re.sub(r"\^(\d+)([/⁄])(\d+)", lambda f: f" {f[1]}⁄{f[3]}", joined)
        for word in _WORD.finditer(fixed):
            _, kind, paragraph = run[bisect_right(starts, word.start()) - 1]
            yield Word(word[0], HATNOTE if is_hatnote and kind == TEXT else kind, paragraph)
