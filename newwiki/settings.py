"""What a user may set once for all: flags first, then the environment (NEWWIKI_…), then newwiki.toml, then defaults."""

import os
import tomllib
from collections.abc import Mapping
from dataclasses import Field, dataclass, field, fields
from datetime import date
from pathlib import Path
from typing import Any

from newwiki.errors import UsageError, did_you_mean
from newwiki.foreign_files import read_regular_text
from newwiki.knowledge_cutoff import last_day
from newwiki.text.prompts import DEFAULT_TEMPLATE

CUTOFFS = "knowledge_cutoffs"  # the one table that is a setting
# What else a file may hold: `newwiki.registrations` reads it.
TABLES = ("wikis", "models", "evaluation", "gates", "report", "notify")


def _setting(default: str, description: str) -> Any:
    """A field whose description `newwiki init` writes beside it."""
    return field(default=default, metadata={"description": description})


@dataclass(frozen=True)
class Settings:
    """What holds for every command; each key is a text, but for the table of knowledge cutoffs: models' names, each
    with the last day of what the model can have seen."""

    db: str = _setting("newwiki.duckdb", "the database")
    contact: str = _setting("", "whom the wikis may write to: a mail address or a page")
    entities: str = _setting(
        "spacy:en_core_web_sm", "who finds named entities: spacy:PIPELINE, gliner:FOLDER, or rules-v1, a stand-in"
    )
    embedder: str = _setting("sentence-transformers/all-MiniLM-L6-v2", "the S-BERT model: a folder or a hub id")
    embedder_dtype: str = _setting("auto", "auto, float32 or bfloat16")
    embedder_backend: str = _setting("torch", "who runs the S-BERT model: torch or openvino")
    likelihood_model: str = _setting("facebook/opt-2.7b@refs/pr/26", "whose likelihood likelihood_coherence is")
    lexicon: str = _setting("", "a list of negative words, one a line, whose share negative_words is")
    pair_scorer: str = _setting(
        "deberta-v3-fever-anli", "who judges claims beside evidence: a TOML file, or the name of one that comes along"
    )
    evidence: str = _setting("", "the index that claims_wiki looks into: a folder of `newwiki evidence build`")
    scorers: str = _setting("", "metrics of one's own, TOML files between commas")
    template: str = _setting(DEFAULT_TEMPLATE, "what a prompt is made of")
    wikidata: str = _setting("https://www.wikidata.org/w/api.php", "the API that knows what articles are about")
    knowledge_cutoffs: tuple[tuple[str, date], ...] = ()


def text_settings(record: type[Settings] = Settings) -> "list[Field[Any]]":
    """Those that stand in a file before its tables, and that the environment may set."""
    return [one for one in fields(record) if one.type is str]


def load_settings(config: Path | None, **flags: str | None) -> Settings:
    """The settings in force. `config` None means newwiki.toml here, if there is one. Raises UsageError."""
    names = {one.name for one in text_settings()}
    values: dict[str, Any] = _file(config, names)
    values |= {name: os.environ[f"NEWWIKI_{name.upper()}"] for name in names if f"NEWWIKI_{name.upper()}" in os.environ}
    values |= {name: value for name, value in flags.items() if value is not None}
    return Settings(**values)


def read_toml(file: Path) -> dict[str, Any]:
    """Raises UsageError for a file that cannot be read, or is not TOML."""
    try:
        return tomllib.loads(read_regular_text(file))
    except OSError as error:
        raise UsageError(f"'{file}' cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"'{file}' is not TOML: {error}") from None


def _file(config: Path | None, names: set[str]) -> dict[str, Any]:
    path = config or Path("newwiki.toml")
    if not path.is_file():
        if config:
            raise UsageError(f"there is no configuration file '{config}'")
        return {}
    flat = {name: value for name, value in read_toml(path).items() if name not in TABLES}
    cutoffs = _cutoffs(path, flat.pop(CUTOFFS, {}))
    for name, value in flat.items():
        if name not in names:
            known = f"there are: {', '.join(sorted(names))}, and the tables {', '.join((*TABLES, CUTOFFS))}"
            nearest = did_you_mean(name, [*names, *TABLES, CUTOFFS])
            raise UsageError(f"'{path}' sets '{name}', which is no setting{nearest}; {known}")
        if not isinstance(value, str):
            raise UsageError(f"'{path}': {name} must be a text in quotes")
    return flat | ({CUTOFFS: cutoffs} if cutoffs else {})


def _cutoffs(path: Path, table: object) -> tuple[tuple[str, date], ...]:
    if not isinstance(table, Mapping):
        raise UsageError(f'\'{path}\': {CUTOFFS} must be one table: [{CUTOFFS}], and under it "gpt2" = "2017-12"')
    found = {}
    for model, said in table.items():
        try:
            found[model] = last_day(said)
        except ValueError as error:
            raise UsageError(f"'{path}': [{CUTOFFS}], {model}: {error}") from None
    return tuple(found.items())
