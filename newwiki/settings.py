"""The settings of all commands: options come first, then the environment (NEWWIKI_…), newwiki.toml, and defaults."""

import os
import tomllib
from collections.abc import Mapping
from dataclasses import Field as DataclassField
from dataclasses import dataclass, fields
from datetime import date
from pathlib import Path
from typing import Any

from newwiki.errors import UsageError, did_you_mean
from newwiki.fields import Field, field, field_from
from newwiki.foreign_files import read_regular_text
from newwiki.knowledge_cutoff import last_day
from newwiki.text.prompts import DEFAULT_TEMPLATE

CUTOFFS = "knowledge_cutoffs"  # the one setting that is a table
# Headings in the help of a command
MODEL, CHAT, SCORING, GATE = "Model options", "Chat options", "Scoring options", "Gate options"
# The other tables of a file, which `newwiki.registrations` reads
TABLES = ("wikis", "models", "evaluation", "gates", "report", "linking", "site", "publish", "notify")


@dataclass(frozen=True)
class Settings:
    """The settings in force. Each is a text, except the table of knowledge cutoffs: names of models, each with the last
    day that its training data covers."""

    db: str = field("newwiki.duckdb", "Database file.", metavar="PATH")
    contact: str = field("", "Your mail address or page, for the operators of the wikis.", metavar="TEXT")
    entities: str = field(
        "spacy:en_core_web_sm",
        "Finder of named entities: spacy:PIPELINE, gliner:FOLDER (a model of many languages), or rules-v1, a simple "
        "substitute of regular expressions.",
        metavar="NAME",
        group=SCORING,
    )
    embedder: str = field(
        "sentence-transformers/all-MiniLM-L6-v2", "S-BERT model: a folder or a Hub id.", metavar="NAME", group=SCORING
    )
    embedder_dtype: str = field(
        "auto", "Data type of the S-BERT model: auto, float32 or bfloat16.", metavar="NAME", group=SCORING
    )
    embedder_backend: str = field(
        "torch", "Backend of the S-BERT model: torch, or openvino on the CPU.", metavar="NAME", group=SCORING
    )
    lexicon: str = field(
        "",
        "List of negative words, one per line, for the metric negative_words.",
        metavar="FILE",
        reads=True,
        group=SCORING,
    )
    likelihood_model: str = field(
        "facebook/opt-2.7b@refs/pr/26",
        "Model whose likelihood is the metric likelihood_coherence: a folder or a Hub id.",
        metavar="NAME[@REVISION]",
        group=SCORING,
    )
    pair_scorer: str = field(
        "deberta-v3-fever-anli",
        "Scorer that compares claims with evidence: a TOML file, or the name of a built-in one.",
        metavar="FILE.toml",
        group=SCORING,
    )
    evidence: str = field(
        "",
        "Evidence index for the metrics claims_wiki, a folder of `newwiki evidence build`.",
        metavar="FOLDER",
        reads=True,
        group=SCORING,
    )
    scorers: str = field(
        "",
        "Classifier or regressor to use as a metric, described in TOML (may be repeated; in newwiki.toml separated by "
        "commas).",
        metavar="FILE.toml",
        group=SCORING,
    )
    template: str = field(
        DEFAULT_TEMPLATE,
        "Template of a prompt, with {title} and {first_sentence}; or chat, which asks a chat model for an article that "
        "begins with the first sentence.",
        metavar="chat|TEXT",
        group=MODEL,
    )
    wikidata: str = field("https://www.wikidata.org/w/api.php", "Address of the API for topics of articles.")
    knowledge_cutoffs: tuple[tuple[str, date], ...] = ()


# The settings of the models that score, and of the user's own scorers, in the order of their options
METRIC_MODELS = (
    "entities",
    "embedder",
    "embedder_dtype",
    "embedder_backend",
    "lexicon",
    "likelihood_model",
    "pair_scorer",
    "evidence",
)
SCORERS = ("scorers", *METRIC_MODELS)
# Those that `newwiki doctor` tries to load
TRIED = ("entities", "embedder", "embedder_dtype", "embedder_backend")


def text_settings(record: type[Settings] = Settings) -> "list[DataclassField[Any]]":
    """Return the settings that are texts: keys before the tables of a file, and variables of the environment."""
    return [field for field in fields(record) if field.type is str]


def setting(name: str) -> Field:
    """Return the declaration of a setting, whose default an option leaves to the environment and the file."""
    return next(field_from(field, name, str) for field in text_settings() if field.name == name)


def load_settings(config: Path | None, **flags: str | None) -> Settings:
    """Return the settings in force. `config` None means newwiki.toml here, if it exists. Raises UsageError."""
    names = {field.name for field in text_settings()}
    values: dict[str, Any] = _file(config, names)
    values |= {name: os.environ[f"NEWWIKI_{name.upper()}"] for name in names if f"NEWWIKI_{name.upper()}" in os.environ}
    values |= {name: value for name, value in flags.items() if value is not None}
    return Settings(**values)


def read_toml(file: Path) -> dict[str, Any]:
    """Read a TOML file. Raises UsageError for a file that cannot be read, or is not TOML."""
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
            raise UsageError(f"--config '{config}' does not exist")
        return {}
    flat = {name: value for name, value in read_toml(path).items() if name not in TABLES}
    cutoffs = _cutoffs(path, flat.pop(CUTOFFS, {}))
    for name, value in flat.items():
        if name not in names:
            known = f"there are: {', '.join(sorted(names))}, and the tables {', '.join((*TABLES, CUTOFFS))}"
            nearest = did_you_mean(name, [*names, *TABLES, CUTOFFS])
            raise UsageError(f"'{path}': unknown setting '{name}'{nearest}; {known}")
        if not isinstance(value, str):
            raise UsageError(f"'{path}': {name} must be a text in quotes")
    return flat | ({CUTOFFS: cutoffs} if cutoffs else {})


def _cutoffs(path: Path, table: object) -> tuple[tuple[str, date], ...]:
    if not isinstance(table, Mapping):
        raise UsageError(f'\'{path}\': {CUTOFFS} must be one table: [{CUTOFFS}], and under it "gpt2" = "2017-12"')
    cutoffs = {}
    for model, cutoff in table.items():
        try:
            cutoffs[model] = last_day(cutoff)
        except ValueError as error:
            raise UsageError(f"'{path}': [{CUTOFFS}], {model}: {error}") from None
    return tuple(cutoffs.items())
