"""The Jinja environment of all pages. It escapes every value and removes hidden characters.

No other module makes an environment, so a template cannot omit these steps.
"""

from typing import Any

import jinja2
from markupsafe import Markup

from newwiki.visible import in_markup


def environment(loader: jinja2.BaseLoader) -> jinja2.Environment:
    """Return an environment for HTML and XML. An unknown name is an error, and `in_markup` converts every value."""
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
