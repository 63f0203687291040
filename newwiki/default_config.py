"""The newwiki.toml that `newwiki init` writes: every key, commented out, with its default."""

import json
import textwrap
from typing import Any, cast, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from newwiki.registrations import Registrations
from newwiki.settings import CUTOFFS, Settings, text_settings

_HEAD = """\
# Settings of New-Wiki Eval. Each key is listed with its default. To set a key, remove the # in front of it and in front
# of its table. A key without a value is not set. Command line options and environment variables such as NEWWIKI_DB
# take precedence over this file."""
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


def _table(name: str, annotation: Any) -> str:
    many = get_origin(annotation) is tuple
    record = get_args(annotation)[0] if many else annotation
    said = textwrap.fill(" ".join(record.__doc__.split()), 120, initial_indent="# ", subsequent_indent="# ")
    head = f"#[[{name}]]" if many else f"#[{name}]"
    return f"{said}\n{head}\n{_keys(record)}"


def _keys(record: type) -> str:
    return "\n".join(_key(name, field) for name, field in keys_of(record).items())


def _key(name: str, field: FieldInfo) -> str:
    """Return a line with the default, with an example for a required key, or without a value if it is not set."""
    example = field.examples[0] if field.examples else None
    value = example if field.is_required() else field.get_default(call_default_factory=True)
    written = "" if value is None else f" {_toml(value)}"
    words = [field.description, f"Example: {_toml(example)}" if value is None and example is not None else None]
    comment = " ".join(filter(None, words))
    return f"#{name} ={written}" + (f"  # {comment}" if comment else "")


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
