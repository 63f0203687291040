"""The reference of newwiki.toml and of the environment, generated from the declarations (`docs/settings.md`)."""

import json
from typing import get_args, get_origin

from flows.markdown import table
from newwiki.default_config import keys_of
from newwiki.registrations import Registrations
from newwiki.settings import Settings

_HEADS = ("key", "default", "description")


def settings() -> str:
    """Return the settings and the tables of newwiki.toml in Markdown."""
    rows = [
        (f"`{name}`", f"`NEWWIKI_{name.upper()}`", _value(field.default), field.description or "")
        for name, field in keys_of(Settings).items()
    ]
    parts = [f"\n## Settings\n\n{table(('key', 'environment variable', 'default', 'description'), rows)}"]
    for name, declared in Registrations.model_fields.items():
        several = get_origin(declared.annotation) is tuple
        record = get_args(declared.annotation)[0] if several else declared.annotation
        keys = []
        for key, field in keys_of(record).items():
            default = "required" if field.is_required() else _value(field.get_default(call_default_factory=True))
            example = f" Example: {_value(field.examples[0])}." if field.examples else ""
            keys.append((f"`{key}`", default, f"{field.description or ''}{example}".strip()))
        title = f"[[{name}]]" if several else f"[{name}]"
        parts.append(f"\n## `{title}`\n\n{' '.join((record.__doc__ or '').split())}\n\n{table(_HEADS, keys)}")
    return "".join(parts) + "\n"


def _value(value: object) -> str:
    return "–" if value in (None, "") else f"`{json.dumps(value, ensure_ascii=False)}`"
