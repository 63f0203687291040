"""Render addresses of web sites as a reader sees them."""

import re

from newwiki.text.language import Language
from newwiki.text.tags import HOLE
from newwiki.text.templates.renderer import UNSAID, TemplateArguments, renderer

_SCHEME = re.compile(r"(?:https?:)?//", re.IGNORECASE)


@renderer()
def web_address(a: TemplateArguments, _: Language) -> str:
    """Render `{{URL|https://wiki.example/|Wiki}}` as Wiki, and without a second argument as wiki.example."""
    address = _SCHEME.sub("", a[1], count=1).removesuffix("/")
    shown = a[2] or address
    return UNSAID if HOLE in shown or not shown else shown
