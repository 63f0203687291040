"""The newwiki.toml that `newwiki init` writes: every key, commented out, with its default; and its JSON schema."""

import json
import textwrap
from typing import Any, cast, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from newwiki.registrations import Registrations
from newwiki.settings import CUTOFFS, Settings, text_settings

SCHEMA_FILE = "newwiki.schema.json"

_NOT_SET = "Not set by default; an example."
_HEAD = f"""\
#:schema {SCHEMA_FILE}
# Settings of New-Wiki Eval. Each key is listed with its default, or with an example where nothing is set by default. To
# set a key, remove the # in front of it and in front of its table. Command line options and environment variables such
# as NEWWIKI_DB take precedence over this file. Editors that know TOML schemas complete and check the keys."""
_CUTOFFS = f"""\
# Knowledge cutoff of each model: the last month or day that its training data covers, by the name under which the
# model is evaluated. It takes precedence over the model card; --knowledge-cutoff takes precedence over it.
#[{CUTOFFS}]
#"gpt2" = "2017-12\""""
_SCHEDULE = "# Monthly work of `newwiki schedule`. Tables in double brackets may be repeated."


def default_config() -> str:
    """Return the text in TOML. It is generated from the declarations, so that it lists every key."""
    tables = [_table(name, field.annotation) for name, field in Registrations.model_fields.items()]
    return "\n\n".join([_HEAD, _keys(Settings), _CUTOFFS, _SCHEDULE, *tables]) + "\n"


def config_schema() -> str:
    """Return the JSON schema (draft 2020-12) of a newwiki.toml, generated from the same declarations."""
    schema = Registrations.model_json_schema()
    keys = {
        name: {"type": "string", "default": field.default, "description": field.description}
        for name, field in keys_of(Settings).items()
    }
    cutoffs = {"type": "object", "additionalProperties": {"type": "string", "pattern": r"^\d{4}-\d{2}(-\d{2})?$"}}
    tables = {
        name: {"description": _words(field.annotation), **schema["properties"][name]}
        for name, field in Registrations.model_fields.items()
    }
    described = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "newwiki.toml",
        "type": "object",
        "additionalProperties": False,
        "properties": {**keys, CUTOFFS: cutoffs, **tables},
        "$defs": schema["$defs"],
    }
    return json.dumps(described, indent=2, ensure_ascii=False) + "\n"


def _table(name: str, annotation: Any) -> str:
    said = textwrap.fill(_words(annotation), 120, initial_indent="# ", subsequent_indent="# ")
    head = f"#[[{name}]]" if get_origin(annotation) is tuple else f"#[{name}]"
    return f"{said}\n{head}\n{_keys(record_of(annotation))}"


def record_of(annotation: Any) -> Any:
    """Return the class of a table that may be repeated (a tuple of it) or missing (it or None)."""
    return (get_args(annotation) or [annotation])[0]


def _words(annotation: Any) -> str:
    return " ".join(record_of(annotation).__doc__.split())


def _keys(record: type) -> str:
    return "\n".join(_key(name, field) for name, field in keys_of(record).items())


def _key(name: str, field: FieldInfo) -> str:
    """Return a line with the default, or with an example for a key that is required or not set by default."""
    default = None if field.is_required() else field.get_default(call_default_factory=True)
    value = field.examples[0] if default is None and field.examples else default
    assert value is not None, f"the key {name} needs an example"
    words = [field.description, _NOT_SET if default is None and not field.is_required() else None]
    comment = " ".join(filter(None, words))
    return f"#{name} = {_toml(value)}" + (f"  # {comment}" if comment else "")


def _toml(value: Any) -> str:
    """Return a text, number, boolean, list or empty table in TOML, which spells them as JSON does."""
    return json.dumps(value, ensure_ascii=False)


def keys_of(record: Any) -> dict[str, FieldInfo]:
    """Return the keys of a table, declared as a pydantic model or as the dataclass of the settings."""
    if issubclass(record, BaseModel):
        return dict(record.model_fields)
    return {
        field.name: FieldInfo.from_annotated_attribute(cast(Any, field.type), field) for field in text_settings(record)
    }
