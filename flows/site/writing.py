"""Where the site's files go: pages by templates with links that hold in any folder, and tables in every form."""

from datetime import UTC, datetime, timedelta
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any

import jinja2
import pyarrow as pa

from flows.presenting.charts import PALETTE, SHAPES
from flows.report.templating import assets, environment
from flows.site import downloads
from flows.site.contents import snapshot_file
from newwiki.errors import TerminalError
from newwiki.levels import LEVELS
from newwiki.snapshot import Snapshot, Window
from newwiki.visible import in_markup

_TEMPLATES = files("flows.site") / "templates"


class Writer:
    """Writes into a folder; `shared` is what every page is told."""

    def __init__(self, folder: Path, **shared: Any) -> None:
        self._folder = folder
        self._paths: set[str] = set()
        self._environment = _environment()
        self._environment.globals |= shared | {
            "forms": tuple(downloads.FORMS),
            "colours": PALETTE,
            "signs": tuple(SHAPES.values()),
            "snapshot_file": snapshot_file,
            "level_meanings": LEVELS,
            "version": version("newwiki-eval"),
        }

    def page(self, path: str, template: str, **values: Any) -> None:
        """A page; `root` is how it comes back to the first one."""
        made = self._environment.get_template(template).render(root="../" * path.count("/"), path=path, **values)
        self.text(path, made)

    def text(self, path: str, text: str) -> None:
        target = self._new(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, "utf-8", newline="\n")

    def files(self, path: str, table: pa.Table) -> str:
        """The table in every form; gives the path that its links begin with."""
        downloads.write(self._new(path), table)
        return path

    def style_and_script(self) -> None:
        """Those of the report, and what a site has besides."""
        shared = assets()
        for name, of_report in (("style.css", shared["style"]), ("script.js", shared["script"])):
            own = (_TEMPLATES / f"site{Path(name).suffix}").read_text("utf-8")
            self.text(name, f"{of_report}\n{own}")

    def _new(self, path: str) -> Path:
        if path in self._paths:
            raise TerminalError(f"two parts of the site would be the file '{path}'; leave one of them out")
        self._paths.add(path)
        return self._folder / path


def _environment() -> jinja2.Environment:
    """The report's, with the site's templates before its own."""
    made = environment()
    assert made.loader is not None
    made.loader = jinja2.ChoiceLoader([jinja2.FunctionLoader(_template), made.loader])
    made.filters |= {"shown": _shown, "month": "{:%Y-%m}".format, "rfc3339": _rfc3339, "window": _window}
    return made


def _template(name: str) -> str | None:
    file = _TEMPLATES / name
    return file.read_text("utf-8") if file.is_file() else None


def _window(snapshot: Snapshot) -> str:
    """When its articles were created, in words."""
    window = Window(snapshot.window_start, snapshot.window_end)
    if window.is_old:
        return f"before {window.end:%Y-%m-%d}"
    first, last = window.start, window.end - timedelta(days=1)
    return f"in {window.label}" if len(window.label) == len("2026-10") else f"from {first:%Y-%m-%d} to {last:%Y-%m-%d}"


def _rfc3339(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"


def _shown(text: str) -> str:
    """A name or a text from elsewhere, as every page shows it."""
    return in_markup(str(text))
