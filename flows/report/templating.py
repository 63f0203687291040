"""Shared parts of all pages: templates with their filters, style and script, and atomic writing of a page."""

import base64
import errno
import hashlib
import os
import re
from functools import cache
from importlib.resources import files
from pathlib import Path

import jinja2
from markupsafe import Markup

from flows import templates
from flows.experiments.record import distinct
from flows.pieces import span
from flows.presenting.numbers import digits, fixed, percent
from flows.presenting.page_tables import apart
from newwiki.decoding.grammar import short_form
from newwiki.errors import UsageError
from newwiki.protocol import value_in_words
from newwiki.records import Metric
from storage.outputs import unfinished

_TEMPLATES = files("flows.report") / "templates"
_LONGEST = 80  # characters of a caption that name a folded table


def write_page(html: str, target: Path) -> Path:
    """Write a page atomically: the file appears whole or not at all. Raises UsageError if it cannot be written."""
    part, _ = unfinished(target)
    try:
        part.write_text(html, "utf-8")
        os.replace(part, target)
    except OSError as error:
        raise _cannot_be_written(target, str(error.strerror)) from error
    finally:
        part.unlink(missing_ok=True)
    return target


def require_folder(target: Path) -> None:
    """Raise UsageError if the folder of a page does not exist, before the page is computed."""
    if not target.absolute().parent.is_dir():
        raise _cannot_be_written(target, os.strerror(errno.ENOENT))


def _cannot_be_written(target: Path, reason: str) -> UsageError:
    return UsageError(f"the report cannot be written to '{target}': {reason}; name a file with --out")


def assets() -> dict[str, Markup]:
    """Return the page's style and script, and the script's hash, which the page's policy requires."""
    style, script = ((_TEMPLATES / name).read_text("utf-8") for name in ("report.css", "report.js"))
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return {"style": Markup(style), "script": Markup(script), "script_sha256": Markup(digest)}


@cache
def environment() -> jinja2.Environment:
    jinja = templates.environment(jinja2.FunctionLoader(lambda name: (_TEMPLATES / name).read_text("utf-8")))
    jinja.filters |= {
        "digits": digits,
        "fixed": fixed,
        "breakable": _breakable,
        "short_form": short_form,
        "span": _span,
        "distinct": distinct,
        "drawn_width": drawn_width,
        "opening": opening,
        "apart": apart,
        "setting": value_in_words,
        "count": "{:,}".format,
        "date": "{:%Y-%m-%d}".format,
        "percent": percent,
        "time": "{:%Y-%m-%d %H:%M} UTC".format,
    }
    return jinja


def drawn_width(image: str) -> float:
    """Return the width in pixels for which the texts of a figure are sized."""
    match = re.search(r'<svg [^>]*?\bwidth="([\d.]+)"', image)
    return float(match[1]) if match else 0.0


def opening(caption: str) -> str:
    """Return the first words of a caption that can stand alone.

    They end at a bracket, colon, semicolon or full stop. Long openings end at the last comma of the first 80
    characters.
    """
    words = re.split(r" \(|[;.](?= |$)|(?<=.{25}):(?= )", caption, maxsplit=1)[0]
    if len(words) <= _LONGEST:
        return words
    return words[:_LONGEST].rpartition(", ")[0] or f"{words[:_LONGEST].rpartition(' ')[0]} …"


def _breakable(name: str, after: str = ",:") -> Markup:
    """Allow a line break after these marks, because names of decoders and metrics have no spaces."""
    return Markup("<wbr>").join(re.split(f"(?<=[{after}])", name))


def _span(metric: Metric) -> str:
    return span(metric.minimum, metric.maximum)
