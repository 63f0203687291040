"""The environment of every page's templates: what they write is escaped, and nothing hidden is left in it.

A template cannot forget either, as no other environment is made anywhere.
"""

from typing import Any

import jinja2
from markupsafe import Markup

from newwiki.visible import in_markup


def environment(loader: jinja2.BaseLoader) -> jinja2.Environment:
    """For HTML and XML: a name that is not there is an error, and every value is shown as `in_markup` shows it."""
    return jinja2.Environment(
        loader=loader,
        autoescape=True,
        finalize=_shown,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _shown(value: Any) -> Any:
    if isinstance(value, int | float | jinja2.Undefined):
        return value
    if hasattr(value, "__html__"):
        return Markup(in_markup(value.__html__()))
    return in_markup(str(value))
