"""The prose of data cards in the language of the wiki, from one data file per language in `data_cards/`."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from importlib.resources import files
from importlib.resources.abc import Traversable

from newwiki.snapshot import Snapshot, Window
from newwiki.visible import in_markdown, link_in_markdown

_ENGLISH = "en"


@dataclass(frozen=True, kw_only=True)
class CardWords:
    """The prose of one language. The texts are templates with placeholders in braces."""

    language: str
    thousands: str
    new: str
    old: str
    split: str
    default: str
    empty: str
    rebuild: str
    licence_known: str
    licence_unknown: str
    attribution: str
    authors: str
    tables: Mapping[str, str]
    headings: Mapping[str, str]
    missing: str = ""

    def number(self, number: int) -> str:
        return f"{number:,}".replace(",", self.thousands)

    def summary(self, snapshot: Snapshot) -> str:
        """Return which articles the snapshot has and how they are split.

        If there is no prose in the wiki's language, the last sentence states this.
        """
        last_day = snapshot.window_end - timedelta(days=1)
        placeholders = {
            "articles": self.number(snapshot.articles),
            "wiki": in_markdown(snapshot.wiki),
            "first_day": f"{snapshot.window_start:%Y-%m-%d}",
            "last_day": f"{last_day:%Y-%m-%d}",
            "cutoff": f"{snapshot.cutoff:%Y-%m-%d %H:%M:%S}",
        }
        is_old = Window(snapshot.window_start, snapshot.window_end).is_old
        is_ours = _code(snapshot.language) == self.language
        instead = [] if is_ours else [self.missing.format(language=in_markdown(snapshot.language or ""))]
        return self.joined((self.old if is_old else self.new).format(**placeholders), self.split, *instead)

    def table(self, snapshot: Snapshot, name: str) -> str:
        """Return what a row of the table `name` is."""
        return self.tables[name].format(candidates=self.number(snapshot.candidates))

    def licence(self, snapshot: Snapshot) -> str:
        """Return the license of the texts, if it is known, and what anyone who redistributes the texts must do."""
        if not (snapshot.licence or snapshot.licence_url):
            return self.joined(self.licence_unknown.format(wiki=in_markdown(snapshot.wiki)), self.attribution)
        link = link_in_markdown(snapshot.licence or snapshot.licence_url or "", snapshot.licence_url or "")
        known = self.licence_known.format(wiki=in_markdown(snapshot.wiki), licence=link)
        return self.joined(known, self.attribution)

    def joined(self, *sentences: str) -> str:
        return ("" if sentences[0].endswith("。") else " ").join(sentences)


def words_for(language: str | None) -> CardWords:
    """Return the prose for a wiki's language; `pt-br` uses `pt`.

    Without prose for the language, returns the English prose.
    """
    code = _code(language)
    return _read(code if code in languages() else _ENGLISH)


def languages() -> list[str]:
    """Return the codes of the languages that have prose."""
    return sorted(file.name.removesuffix(".toml") for file in _folder().iterdir() if file.name.endswith(".toml"))


def _code(language: str | None) -> str:
    return (language or _ENGLISH).split("-")[0].lower()


def _read(code: str) -> CardWords:
    return CardWords(language=code, **tomllib.loads((_folder() / f"{code}.toml").read_text("utf-8")))


def _folder() -> Traversable:
    return files("storage") / "data_cards"
