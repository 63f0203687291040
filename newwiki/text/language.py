"""What the text room knows of one language: one data file each, beside this module."""

import functools
import tomllib
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from newwiki.errors import TerminalError


@dataclass(frozen=True)
class Language:
    """Names and words of one language and its Wikipedia, compared in lower case but for `sentence_starters`."""

    media_namespaces: frozenset[str]
    category_namespaces: frozenset[str]
    tail_headings: frozenset[str]
    redirect_words: frozenset[str]
    disambiguation_title: str
    disambiguation_words: frozenset[str]
    disambiguation_templates: frozenset[str]
    abbreviations: frozenset[str]
    sentence_starters: frozenset[str]
    quoting_summaries: frozenset[str] = frozenset()
    translation_summaries: frozenset[str] = frozenset()
    split_summaries: frozenset[str] = frozenset()


@functools.cache
def load_language(code: str) -> Language:
    """The language with this MediaWiki code. Raises TerminalError where there is no data file for it."""
    folder = files(__package__)
    file = folder / f"{code}.toml"
    if not code.isidentifier() or not file.is_file():
        known = sorted(entry.name.removesuffix(".toml") for entry in folder.iterdir() if entry.name.endswith(".toml"))
        raise TerminalError(
            f"the wiki's language is '{code}', and there is no data for it; there is for: {', '.join(known)}. "
            f"Add newwiki/text/{code}.toml after the pattern of en.toml"
        )
    data = tomllib.loads(file.read_text("utf-8"))
    words: dict[str, Any] = {key: value if isinstance(value, str) else frozenset(value) for key, value in data.items()}
    return Language(**words)
