"""Store the structure of articles beside their prose: infoboxes, facts, citations, maintenance templates, holes and
counts, in four tables."""

from collections.abc import Iterable, Mapping, Sequence

import duckdb
import pyarrow as pa

from newwiki.snapshot import Judged
from newwiki.text.structure import STRUCTURE_VERSION, Structure
from storage.database import Database, insert_arrow

Facts = Sequence[tuple[str, str]]  # parameter and value


def add(connection: duckdb.DuckDBPyConnection, snapshot_id: str, pages: Iterable[Judged]) -> None:
    """Store the structure of the selected pages."""
    known = [
        (page.page_id, Structure.from_json(page.structure))
        for page in pages
        if page.verdict == "selected" and page.structure
    ]
    counts = [
        {
            "structure_version": structure.version,
            "infoboxes": structure.infoboxes,
            "citations": len(structure.citations),
            "templates": [{"template": name, "uses": uses} for name, uses in structure.templates.items()],
            "links": structure.links,
            "images": structure.images,
            "sections": structure.sections,
            "holes": None if structure.holes is None else sum(structure.holes.values()),
            "hole_templates": None
            if structure.holes is None
            else [{"template": name, "holes": holes} for name, holes in structure.holes.items()],
            "tags": None if structure.tags is None else len(structure.tags),
            "page_id": page_id,
        }
        for page_id, structure in known
    ]
    facts = [vars(fact) | {"page_id": page_id} for page_id, structure in known for fact in structure.facts]
    citations = [
        vars(citation) | {"place": place, "page_id": page_id}
        for page_id, structure in known
        for place, citation in enumerate(structure.citations, 1)
    ]
    tags = [
        vars(tag) | {"place": place, "page_id": page_id}
        for page_id, structure in known
        for place, tag in enumerate(structure.tags or (), 1)
    ]
    tables = {
        "article_structure": counts,
        "article_facts": facts,
        "article_citations": citations,
        "article_tags": tags,
    }
    for table, rows in tables.items():
        if rows:
            named = [row | {"snapshot_id": snapshot_id} for row in rows]
            insert_arrow(connection, table, pa.Table.from_pylist(named))


def known_facts(database: Database, snapshot_id: str, page_ids: Sequence[int]) -> Mapping[int, Facts | None]:
    """Return the facts in the infoboxes of each article, by page id; empty for an article without facts.

    The value is None if this version has not extracted the facts of the article.
    """
    facts_by_page: dict[int, list[tuple[str, str]] | None] = dict.fromkeys(page_ids)
    for page_id, parameter, value in database.rows("known_facts", snapshot_id, list(page_ids), STRUCTURE_VERSION):
        facts = facts_by_page[page_id] = facts_by_page[page_id] or []
        if parameter is not None:
            facts.append((parameter, value))
    return facts_by_page
