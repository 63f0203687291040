"""`newwiki.toml` as nobody has changed it yet: every key that there is, commented out, with its default."""

import json
import textwrap
from typing import Any, cast, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from newwiki.registrations import Registrations
from newwiki.settings import CUTOFFS, Settings, text_settings

_HEAD = """\
# Settings of New-Wiki Eval. Each key stands here with its default: take the # from before it, and from before the table
# in which it stands, to set it. A key without a value is not set. Flags, and variables of the environment such as
# NEWWIKI_DB, go before this file."""
_CUTOFFS = f"""\
# The last day of what a model can have seen, by the name that it is evaluated under: a month or a day. It goes before
# what the model's card says, and --knowledge-cutoff before it.
#[{CUTOFFS}]
#"gpt2" = "2017-12\""""
_SCHEDULE = "# What `newwiki schedule` does every month. A table in double brackets may stand again and again."


def default_config() -> str:
    """The text in TOML. It is made of what declares the keys, so a new one stands in it by itself."""
    tables = [_table(name, field.annotation) for name, field in Registrations.model_fields.items()]
    return "\n\n".join([_HEAD, _keys(Settings), _CUTOFFS, _SCHEDULE, *tables]) + "\n"


def _table(name: str, annotation: Any) -> str:
    many = get_origin(annotation) is tuple
    record = get_args(annotation)[0] if many else annotation
    said = textwrap.fill(" ".join(record.__doc__.split()), 120, initial_indent="# ", subsequent_indent="# ")
    head = f"#[[{name}]]" if many else f"#[{name}]"
    return f"{said}\n{head}\n{_keys(record)}"


def _keys(record: type) -> str:
    return "\n".join(_key(name, field) for name, field in _fields(record).items())


def _key(name: str, field: FieldInfo) -> str:
    """Its line: with the default, or with an example where one must be given, or with nothing where it is not set."""
    example = field.examples[0] if field.examples else None
    value = example if field.is_required() else field.get_default(call_default_factory=True)
    written = "" if value is None else f" {_toml(value)}"
    told = [field.description, f"such as {_toml(example)}" if value is None and example is not None else None]
    comment = "; ".join(one for one in told if one)
    return f"#{name} ={written}" + (f"  # {comment}" if comment else "")


def _toml(value: Any) -> str:
    """Of texts, numbers, truths, lists of these and the empty table, JSON's spelling is TOML's."""
    return json.dumps(value, ensure_ascii=False)


def _fields(record: Any) -> dict[str, FieldInfo]:
    """Of a model of pydantic or of a dataclass."""
    if issubclass(record, BaseModel):
        return dict(record.model_fields)
    return {one.name: FieldInfo.from_annotated_attribute(cast(Any, one.type), one) for one in text_settings(record)}
