"""Load what the text room needs to know about a language: one data file per language, in this folder."""

import fnmatch
import functools
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

from newwiki.errors import TerminalError


@dataclass(frozen=True)
class Language:
    """Names and words of one language and its Wikipedia, compared in lower case except for `sentence_starters`."""

    media_namespaces: frozenset[str]
    category_namespaces: frozenset[str]
    template_namespaces: frozenset[str]
    tail_headings: frozenset[str]
    work_headings: frozenset[str]
    redirect_words: frozenset[str]
    disambiguation_title: str
    disambiguation_words: frozenset[str]
    disambiguation_templates: frozenset[str]
    abbreviations: frozenset[str]
    titles: frozenset[str]
    number_abbreviations: frozenset[str]
    sentence_starters: frozenset[str]
    verbs: frozenset[str]
    verb_endings: tuple[str, ...]
    spaced_punctuation: bool
    ordinal_full_stop: bool
    ordinal_followers: frozenset[str]
    hatnotes: tuple[str, ...]
    answer_openings: tuple[str, ...]
    answer_closings: tuple[str, ...]
    quotation_marks: tuple[str, str]
    quotation_parameters: tuple[str, ...]
    number_word: str
    months: tuple[str, ...]
    month_first: bool
    language_separator: str
    thousands_separator: str
    decimal_mark: str
    names_units: bool
    clause_openers: frozenset[str]
    number_followers: frozenset[str]
    number_leaders: frozenset[str]
    hole_leaders: frozenset[str]
    hole_stoppers: frozenset[str]
    language_names: Mapping[str, str]
    currencies: Mapping[str, str]
    characters: Mapping[str, str]
    templates: Mapping[str, str]
    forms: Mapping[str, Mapping[str, str]]
    infobox_templates: tuple[str, ...]
    citation_templates: tuple[str, ...]
    citation_addresses: tuple[str, ...]
    citation_dates: tuple[str, ...]
    list_templates: tuple[str, ...]
    silent_templates: tuple[str, ...]
    omitted_templates: tuple[str, ...]
    article_tags: Mapping[str, Sequence[str]]
    deletion_log: Mapping[str, Any]
    switches: frozenset[str] = frozenset()
    minimum_grouping_digits: int = 1
    currency_first: bool = False
    spaceless: bool = False
    date_preposition: str = ""
    elides: bool = False
    countries: Mapping[str, str] = field(default_factory=dict)
    negations: Mapping[str, str] = field(default_factory=dict)
    quoting_summaries: frozenset[str] = frozenset()
    translation_summaries: frozenset[str] = frozenset()
    split_summaries: frozenset[str] = frozenset()

    def is_verb(self, word: str) -> bool:
        """Tell whether the word is a form of a verb that opens articles; without spaces, whether the text holds one."""
        if self.spaceless:
            return any(verb in word for verb in self.verbs)
        return word in self.verbs or word.endswith(self.verb_endings)

    def renderer_of(self, template: str) -> str | None:
        """Return the renderer of a template or parser function (`lc:Word`); None if it carries no prose."""
        name = template.strip()
        if name in self.countries:
            return "country"
        name = name.lower().replace("_", " ")
        function, colon, _ = name.partition(":")
        if not colon and name.startswith("lang-") and self.name_of(name.removeprefix("lang-")):
            return "language_in_name"
        return self.templates.get(function + colon if colon else name)

    def is_silent(self, template: str) -> bool:
        """Tell whether the template shows nothing in a sentence, or only a mark: a footnote, a box, maintenance."""
        return _matches(template.lower(), self.silent_templates)

    def is_omitted(self, template: str) -> bool:
        """Tell whether the template shows text that is no prose: a pronunciation, coordinates."""
        return _matches(template.lower(), self.omitted_templates)

    def name_of(self, code: str) -> str:
        """Return the name of the language with this two- or three-letter code, ignoring script and region."""
        base = code.lower().partition("-")[0]
        return self.language_names.get(code.lower()) or self.language_names.get(_short_codes().get(base, base), "")

    def is_no_prose(self, namespace: str) -> bool:
        """Tell whether links into the namespace are files, categories, or links to the article in another language."""
        return (
            namespace in self.media_namespaces
            or namespace in self.category_namespaces
            or namespace in _interlanguage_prefixes()
        )


@functools.lru_cache(maxsize=10_000)
def _matches(name: str, patterns: tuple[str, ...]) -> bool:
    """Tell whether a name in lower case is one of the patterns, in which `*` stands for anything."""
    return _any_of(patterns).match(name) is not None


@functools.cache
def _any_of(patterns: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(map(fnmatch.translate, patterns)) or r"(?!)")


@functools.cache
def load_language(code: str) -> Language:
    """Load the language with this MediaWiki code. Raises TerminalError if there is no data file for it."""
    folder = files(__package__)
    file = folder / f"{code}.toml"
    if not code.isidentifier() or not file.is_file():
        known = sorted(entry.name.removesuffix(".toml") for entry in folder.iterdir() if entry.name.endswith(".toml"))
        raise TerminalError(
            f"the wiki's language is '{code}', which has no data file; there are files for: {', '.join(known)}. "
            f"Add newwiki/text/{code}.toml, modeled on en.toml"
        )
    return _language(tomllib.loads(file.read_text("utf-8")))


def _language(data: dict[str, Any]) -> Language:
    """Build the record from a data file, which lists templates by renderer, where they are needed by name."""
    templates = dict.fromkeys(data["currencies"], "money") | dict.fromkeys(data["characters"], "character")
    templates |= {name: renderer for renderer, names in data.pop("templates").items() for name in names}
    data["forms"] = {name: forms for names, forms in data.get("forms", {}).items() for name in names.split("|")}
    templates |= dict.fromkeys(data["forms"], "form")
    prefixed = {name.format(code): "language_in_name" for name in data.pop("language_templates")
                for code in data["language_names"]}  # fmt: skip
    values: dict[str, Any] = {}
    for key, value in data.items():
        kind = str(Language.__annotations__[key])
        values[key] = frozenset(value) if "frozenset" in kind else tuple(value) if "tuple" in kind else value
    values["silent_templates"] += values["citation_templates"] + values["infobox_templates"]
    return Language(**values, templates=prefixed | templates)


@functools.cache
def _interlanguage_prefixes() -> frozenset[str]:
    """Return the codes of Wikipedia's languages (https://meta.wikimedia.org/wiki/List_of_Wikipedias)."""
    return frozenset((files(__package__) / "wikipedias.txt").read_text("utf-8").split())


@functools.cache
def _short_codes() -> Mapping[str, str]:
    """Map three-letter codes (ISO 639-2) to two-letter ones (ISO 639-1): https://www.loc.gov/standards/iso639-2/."""
    lines = (files(__package__) / "iso639.txt").read_text("utf-8").splitlines()
    return {long: short for short, *longs in map(str.split, lines) for long in longs}
