"""What a user may set once for all: flags first, then the environment (NEWWIKI_…), then newwiki.toml, then defaults."""

import os
import tomllib
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from newwiki.errors import UsageError, did_you_mean
from newwiki.text.prompts import DEFAULT_TEMPLATE

# What else a file may hold: `newwiki.registrations` reads it.
TABLES = ("wikis", "models", "evaluation", "gates", "report", "notify")


@dataclass(frozen=True)
class Settings:
    """`contact` names the operator to the wikis, `entities`, `embedder` and `likelihood_model` the models that score
    (`embedder_dtype` is auto, float32 or bfloat16, `embedder_backend` torch or openvino), `scorers` TOML files between
    commas, `wikidata` an API."""

    db: str = "newwiki.duckdb"
    contact: str = ""
    entities: str = "spacy:en_core_web_sm"
    embedder: str = "sentence-transformers/all-MiniLM-L6-v2"
    embedder_dtype: str = "auto"
    embedder_backend: str = "torch"
    likelihood_model: str = "facebook/opt-2.7b@refs/pr/26"
    scorers: str = ""
    template: str = DEFAULT_TEMPLATE
    wikidata: str = "https://www.wikidata.org/w/api.php"


def load_settings(config: Path | None, **flags: str | None) -> Settings:
    """The settings in force. `config` None means newwiki.toml here, if there is one. Raises UsageError."""
    names = {field.name for field in fields(Settings)}
    values = _file(config, names)
    values |= {name: os.environ[f"NEWWIKI_{name.upper()}"] for name in names if f"NEWWIKI_{name.upper()}" in os.environ}
    values |= {name: value for name, value in flags.items() if value is not None}
    return Settings(**values)


def read_toml(file: Path) -> dict[str, Any]:
    """Raises UsageError for a file that cannot be read, or is not TOML."""
    try:
        return tomllib.loads(file.read_text("utf-8"))
    except OSError as error:
        raise UsageError(f"'{file}' cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"'{file}' is not TOML: {error}") from None


def _file(config: Path | None, names: set[str]) -> dict[str, str]:
    path = config or Path("newwiki.toml")
    if not path.is_file():
        if config:
            raise UsageError(f"there is no configuration file '{config}'")
        return {}
    flat = {name: value for name, value in read_toml(path).items() if name not in TABLES}
    for name, value in flat.items():
        if name not in names:
            known = f"there are: {', '.join(sorted(names))}, and the tables {', '.join(TABLES)}"
            nearest = did_you_mean(name, [*names, *TABLES])
            raise UsageError(f"'{path}' sets '{name}', which is no setting{nearest}; {known}")
        if not isinstance(value, str):
            raise UsageError(f"'{path}': {name} must be a text in quotes")
    return flat
