"""Inline templates that carry prose, rendered as a reader sees them; every other template is no prose.

A language's data file names the templates of its Wikipedia and says which renderer is theirs. The renderers stand in
the files of this folder, one file a family; each takes the template's arguments, already rendered themselves.
"""

import functools
import importlib
import pkgutil

from newwiki.text.language import Language
from newwiki.text.templates.renderer import RENDERERS, UNSAID, Renderer, TemplateArguments, ordinary_name

__all__ = ["UNSAID", "TemplateArguments", "find_renderer", "render"]


def render(name: str, arguments: TemplateArguments, language: Language) -> str:
    """The text of the template `name`, or nothing where it carries no prose."""
    renderer = language.renderer_of(name)
    if renderer is None:
        return ""
    ordinary, colon, _ = ordinary_name(name).partition(":")
    if colon:
        arguments = arguments.after(name.partition(":")[2].strip())
        ordinary += colon
    return find_renderer(renderer)(arguments.of(ordinary), language)


@functools.cache
def find_renderer(name: str) -> Renderer:
    """The renderer of that name. Raises KeyError where a data file names one that is not there."""
    for module in pkgutil.iter_modules(__path__, f"{__name__}."):
        importlib.import_module(module.name)
    return RENDERERS[name]
