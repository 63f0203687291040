"""The Jinja environment of all pages. It escapes every value and removes hidden characters.

No other module makes an environment, so a template cannot omit these steps.
"""

from types import CodeType
from typing import Any

import jinja2
from jinja2.bccache import Bucket
from markupsafe import Markup

from newwiki.visible import in_markup


class _Compiled(jinja2.BytecodeCache):
    """Keeps each compiled template as long as the process lives, because compiling all of them takes seconds."""

    def __init__(self) -> None:
        self._code: dict[tuple[str, str], CodeType] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        bucket.code = self._code.get((bucket.key, bucket.checksum))

    def dump_bytecode(self, bucket: Bucket) -> None:
        if bucket.code:
            self._code[bucket.key, bucket.checksum] = bucket.code


_COMPILED = _Compiled()


def environment(loader: jinja2.BaseLoader) -> jinja2.Environment:
    """Return an environment for HTML and XML. An unknown name is an error, and `in_markup` converts every value."""
    return jinja2.Environment(
        loader=loader,
        autoescape=True,
        finalize=_shown,
        undefined=jinja2.StrictUndefined,
        bytecode_cache=_COMPILED,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _shown(value: Any) -> Any:
    if isinstance(value, int | float | jinja2.Undefined):
        return value
    if hasattr(value, "__html__"):
        return Markup(in_markup(value.__html__()))
    return in_markup(str(value))
