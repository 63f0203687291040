"""Render inline templates that carry prose as a reader sees them; every other template is not prose.

A language's data file names the templates of its Wikipedia and the renderer of each. The renderers are in this folder,
one file per family; each takes the template's arguments, which are already rendered.
"""

import functools
import importlib
import pkgutil

from newwiki.text.language import Language
from newwiki.text.templates.renderer import RENDERERS, UNSAID, Renderer, TemplateArguments, ordinary_name

__all__ = ["UNSAID", "TemplateArguments", "find_renderer", "render"]


def render(name: str, arguments: TemplateArguments, language: Language) -> str:
    """Return the text of the template `name`, or nothing if it carries no prose."""
    renderer = language.renderer_of(name)
    if renderer is None:
        return ""
    ordinary, colon, _ = ordinary_name(name).partition(":")
    if colon:
        arguments = arguments.after(name.partition(":")[2].strip())
        ordinary += colon
    return find_renderer(renderer)(arguments.named(ordinary), language)


@functools.cache
def find_renderer(name: str) -> Renderer:
    """Return the renderer of that name. Raises KeyError if a data file names one that does not exist."""
    for module in pkgutil.iter_modules(__path__, f"{__name__}."):
        importlib.import_module(module.name)
    return RENDERERS[name]
