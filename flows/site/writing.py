"""Write the site's files: pages from templates, with links that work in any folder, and tables in every format."""

import io
import json
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime, timedelta
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any

import jinja2
import pyarrow as pa
import pyarrow.parquet as parquet

from flows.presenting.charts import PALETTE, SHAPES
from flows.presenting.snapshot_title import snapshot_title
from flows.presenting.tables import in_spreadsheet, plain
from flows.report.templating import assets, environment
from flows.site.contents import snapshot_file
from newwiki.csv_files import write_csv
from newwiki.errors import TerminalError
from newwiki.levels import LEVELS
from newwiki.snapshot import Snapshot, Window
from newwiki.visible import in_json, in_markup

_TEMPLATES = files("flows.site") / "templates"


class Writer:
    """Write the files of a site into a folder; every page gets the `shared` values."""

    def __init__(self, folder: Path, **shared: Any) -> None:
        self._folder = folder
        self._paths: set[str] = set()
        self._environment = _environment()
        self._environment.globals |= shared | {
            "forms": tuple(FORMS),
            "colours": PALETTE,
            "signs": tuple(SHAPES.values()),
            "snapshot_file": snapshot_file,
            "level_meanings": LEVELS,
            "version": version("newwiki-eval"),
        }

    def page(self, path: str, template: str, **values: Any) -> None:
        """Write a page; `root` leads from it back to the first page."""
        text = self._environment.get_template(template).render(root="../" * path.count("/"), path=path, **values)
        self.text(path, text)

    def text(self, path: str, text: str) -> None:
        target = self._new(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, "utf-8", newline="\n")

    def data(self, path: str, content: bytes) -> None:
        target = self._new(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)

    def files(self, path: str, table: pa.Table) -> str:
        """Write the table in every format; return the common path of its links."""
        write(self._new(path), table)
        return path

    def style_and_script(self) -> None:
        """Write the report's style and script with the site's own."""
        shared = assets()
        for name, report_part in (("style.css", shared["style"]), ("script.js", shared["script"])):
            own = (_TEMPLATES / f"site{Path(name).suffix}").read_text("utf-8")
            self.text(name, f"{report_part}\n{own}")

    def _new(self, path: str) -> Path:
        if path in self._paths:
            raise TerminalError(f"two parts of the site would have the same file '{path}'; leave one of them out")
        self._paths.add(path)
        return self._folder / path


def _environment() -> jinja2.Environment:
    """Return the report's environment with the site's templates before its own."""
    jinja = environment()
    assert jinja.loader is not None
    jinja.loader = jinja2.ChoiceLoader([jinja2.FunctionLoader(_template), jinja.loader])
    jinja.filters |= {
        "shown": _shown,
        "month": "{:%Y-%m}".format,
        "rfc3339": _rfc3339,
        "size": _size,
        "window": _window,
        "snapshot_title": snapshot_title,
    }
    return jinja


def _template(name: str) -> str | None:
    file = _TEMPLATES / name
    return file.read_text("utf-8") if file.is_file() else None


def _window(snapshot: Snapshot) -> str:
    """Describe when the snapshot's articles were created."""
    window = Window(snapshot.window_start, snapshot.window_end)
    if window.is_old:
        return f"before {window.end:%Y-%m-%d}"
    first, last = window.start, window.end - timedelta(days=1)
    return f"in {window.label}" if len(window.label) == len("2026-10") else f"from {first:%Y-%m-%d} to {last:%Y-%m-%d}"


def _rfc3339(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"


def _size(size: int) -> str:
    """Write a number of bytes in the largest unit that it fills."""
    for power, unit in ((9, "GB"), (6, "MB"), (3, "kB")):
        if size >= 10**power:
            return f"{size / 10**power:.1f} {unit}"
    return f"{size} bytes"


def _shown(text: str) -> str:
    """Escape untrusted names and texts as all pages show them."""
    return in_markup(str(text))


TEXT, WHOLE, REAL, MOMENT, DAY = pa.string(), pa.int64(), pa.float64(), pa.timestamp("us", "UTC"), pa.date32()

Columns = Mapping[str, pa.DataType]


def table_of(columns: Columns, records: Iterable[Mapping[str, Any]]) -> pa.Table:
    """Return the records as a table of these columns; other fields are left out."""
    return pa.Table.from_pylist(
        [{name: record[name] for name in columns} for record in records], pa.schema([*columns.items()])
    )


def _csv(table: pa.Table) -> bytes:
    """Return CSV for people, in which a spreadsheet interprets no text as a formula."""
    text = io.StringIO()
    write_csv(text, table.column_names, (map(in_spreadsheet, row.values()) for row in table.to_pylist()))
    return text.getvalue().encode()


def _json(table: pa.Table) -> bytes:
    """Return a list of objects, each on its own line."""
    rows = [in_json(json.dumps(row, default=plain, ensure_ascii=False)) for row in table.to_pylist()]
    return ("[\n" + ",\n".join(rows) + "\n]\n" if rows else "[]\n").encode()


def _parquet(table: pa.Table) -> bytes:
    sink = io.BytesIO()
    parquet.write_table(table, sink, compression="zstd")
    return sink.getvalue()


FORMS: dict[str, Callable[[pa.Table], bytes]] = {"csv": _csv, "json": _json, "parquet": _parquet}


def write(path: Path, table: pa.Table) -> list[Path]:
    """Write the table in each format, as `path` with the format's ending; return the files."""
    path.parent.mkdir(parents=True, exist_ok=True)
    files = []
    for form, encoded in FORMS.items():
        files.append(path.with_name(f"{path.name}.{form}"))
        files[-1].write_bytes(encoded(table))
    return files
