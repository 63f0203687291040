"""The pages of each language for the audit, and the wiki that has the templates that they use.

`pages/CODE` holds wikitext as the language's Wikipedia has it; `templates/CODE.toml` the text of its templates, in a
simple form that shows the same for the same arguments.
"""

import tomllib
from pathlib import Path
from xml.sax.saxutils import escape

HERE = Path(__file__).parent
CODES = ("de", "es", "fr", "it", "ja", "nl", "pl", "pt", "ru", "zh")
_PAGE = """  <page>
    <title>{title}</title>
    <ns>10</ns>
    <id>{number}</id>
    <revision>
      <id>{number}</id>
      <timestamp>2026-01-01T00:00:00Z</timestamp>
      <contributor><username>Example</username><id>1</id></contributor>
      <model>wikitext</model>
      <format>text/x-wiki</format>
      <text xml:space="preserve">{text}</text>
    </revision>
  </page>
"""
_EXPORT = """<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11" xml:lang="{code}">
  <siteinfo><sitename>Wiki</sitename><dbname>{code}wiki</dbname></siteinfo>
{pages}</mediawiki>
"""


def pages_of(code: str) -> Path:
    return HERE / "pages" / code


def templates_of(code: str) -> dict[str, str]:
    """The wikitext of each template, by its name."""
    return tomllib.loads((HERE / "templates" / f"{code}.toml").read_text("utf-8"))


def write_export(code: str, path: Path) -> Path:
    """Write an XML export with the templates of a language, whose wiki has that language too."""
    pages = [
        _PAGE.format(title=escape(f"Template:{name}"), number=number, text=escape(text))
        for number, (name, text) in enumerate(templates_of(code).items(), start=1)
    ]
    path.write_text(_EXPORT.format(code=code, pages="".join(pages)), "utf-8")
    return path
