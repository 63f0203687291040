"""Store the templates from which the holes of a snapshot's texts were filled: what its articles rest on besides
themselves."""

import hashlib
import json
from collections.abc import Iterable, Sequence

import duckdb
import pyarrow as pa

from newwiki.snapshot import Judged, TemplateSource
from storage.database import Database, insert_arrow

PARAMETER = "templates_sha256"  # in the parameters of a snapshot, so its content hash covers the templates


def titles_read(pages: Iterable[Judged]) -> set[str]:
    """Return the titles of the templates that decided about the texts of the selected pages."""
    return {title for page in pages if page.verdict == "selected" for title in json.loads(page.templates or "[]")}


def with_templates(parameters: str, templates: Iterable[tuple[str, str]]) -> str:
    """Return the parameters of a snapshot with the hash of its templates, given as pairs of title and SHA-1.

    Without templates there is no hash. Revision ids are left out, as in the content hash.
    """
    settings = json.loads(parameters)
    settings.pop(PARAMETER, None)
    if pairs := sorted(templates):
        lines = "".join(f"{json.dumps(pair, ensure_ascii=False)}\n" for pair in pairs)
        settings[PARAMETER] = hashlib.sha256(lines.encode()).hexdigest()
    return json.dumps(settings, sort_keys=True)


def add(connection: duckdb.DuckDBPyConnection, snapshot_id: str, templates: Sequence[TemplateSource]) -> None:
    """Store the templates of a snapshot."""
    if templates:
        rows = [vars(template) | {"sha1": template.sha1, "snapshot_id": snapshot_id} for template in templates]
        insert_arrow(connection, "snapshot_templates", pa.Table.from_pylist(rows))


def stored(database: Database, snapshot_id: str) -> list[TemplateSource]:
    """Return the templates of a snapshot, ordered by title."""
    return database.records(TemplateSource, "snapshot_templates", snapshot_id)
