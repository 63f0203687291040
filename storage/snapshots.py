"""Publish snapshots, each in one transaction under a content hash, and never change them afterwards."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any

import duckdb
import pyarrow as pa

from newwiki.errors import TerminalError, UsageError
from newwiki.novelty import PARAMETERS
from newwiki.selection import RULES
from newwiki.snapshot import (
    OLD_SELECTION,
    Article,
    Deletion,
    Judged,
    Nearest,
    Requests,
    Selection,
    Site,
    Snapshot,
    TemplateSource,
    Window,
)
from newwiki.text.prose import EXTRACTOR_VERSION
from storage import hashes, snapshot_templates, structures
from storage.consistency import inconsistencies
from storage.database import Database, insert, insert_arrow
from storage.queries import first_row, query, records
from storage.snapshot_templates import with_templates


def snapshot_id(
    site: Site,
    window: Window,
    selection: Selection,
    cutoff: datetime | None,
    against: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """Return an id such as `enwiki-2026-10`. Settings other than the defaults add a hash of these settings."""
    name = f"{site.wiki}-{window.label}"
    usual = OLD_SELECTION if window.is_old else Selection()
    if selection == usual and cutoff is None and not against:
        return name
    settings: list[object] = [_selection_settings(selection), cutoff and cutoff.isoformat()]
    if against:
        settings.append(dict(against))
    return f"{name}-{hashlib.sha256(json.dumps(settings, sort_keys=True).encode()).hexdigest()[:6]}"


def parameters_json(
    window: Window, selection: Selection, kind: str, against: Mapping[str, str] = MappingProxyType({})
) -> str:
    """Return the settings that decide which articles are selected, as canonical JSON. The content hash covers them.

    `against` maps the ids of the snapshots whose articles must not be repeated to their content hashes.
    """
    windowed = {"kind": kind, "window": [window.start.isoformat(), window.end.isoformat()]}
    settings = {**windowed, "novelty": PARAMETERS, "rules": RULES, **_selection_settings(selection)}
    if against:
        settings["novel_against"] = dict(against)
    return json.dumps(settings, sort_keys=True)


def _selection_settings(selection: Selection) -> dict[str, object]:
    """Return the settings that are not None. Older snapshots do not have the newer settings."""
    return {name: value for name, value in vars(selection).items() if value is not None}


def text_sha256(first_sentence: str, completion: str) -> str:
    return hashlib.sha256(f"{first_sentence}\n{completion}".encode()).hexdigest()


def content_sha256(articles: Iterable[Article], parameters: str, extractor_version: str) -> str:
    """Return the hash of the test set: parameters, extractor version, and every article ordered by title.

    Page and revision ids are left out, because the same history gets new ids when it is imported into another wiki.
    """
    digest = hashlib.sha256(f"newwiki content 1\n{extractor_version}\n{parameters}\n".encode())
    for article in sorted(articles, key=lambda article: (article.title, article.created_at)):
        times = [article.created_at.astimezone(UTC).isoformat(), article.revised_at.astimezone(UTC).isoformat()]
        line = [article.title, *times, article.revisions, article.words, article.first_sentence, article.completion]
        if extractor_version != "1":  # version 1 extracted no headings
            line.append(article.headings)
        digest.update(json.dumps(line, ensure_ascii=False).encode() + b"\n")
    return digest.hexdigest()


def publish(
    database: Database,
    name: str,
    site: Site,
    window: Window,
    cutoff: datetime,
    parameters: str,
    judged: Sequence[Judged],
    requests: Sequence[Requests] = (),
    novelty: Sequence[Nearest] = (),
    templates: Sequence[TemplateSource] = (),
    deletions: Sequence[Deletion] = (),
) -> Snapshot:
    """Store the snapshot with a row for every candidate, the requests that were made to the wiki, and the templates
    that its texts rest on, whose hash is added to the parameters.

    `deletions` are those of the articles that a later edition lacks.

    Raises TerminalError if the name is taken.
    """
    articles = [article(page) for page in judged if page.verdict == "selected"]
    parameters = with_templates(parameters, ((template.title, template.sha1) for template in templates))
    snapshot = Snapshot(
        snapshot_id=name,
        wiki=site.wiki,
        kind=json.loads(parameters)["kind"],
        window_start=window.start,
        window_end=window.end,
        cutoff=cutoff,
        parameters=parameters,
        extractor_version=EXTRACTOR_VERSION,
        candidates=len(judged),
        articles=len(articles),
        content_sha256=content_sha256(articles, parameters, EXTRACTOR_VERSION),
        published_at=datetime.now(UTC).replace(microsecond=0),
        language=site.language,
        licence=site.licence,
        licence_url=site.licence_url,
    )
    with database.write() as connection:
        if first_row(connection.execute("select 1 from snapshots where snapshot_id = ?", [name])):
            raise TerminalError(f"snapshot '{name}' is published already, and a published snapshot never changes")
        insert(connection, "snapshots", [snapshot])
        insert(connection, "requests", requests, snapshot_id=name)
        insert_arrow(connection, "candidates", _candidate_rows(name, judged))
        insert(connection, "stored_articles", articles, snapshot_id=name, permalink="")
        insert(connection, "novelty", novelty, snapshot_id=name)
        insert(connection, "deletions", deletions, snapshot_id=name)
        structures.add(connection, name, judged)
        snapshot_templates.add(connection, name, templates)
        connection.execute(query("permalinks"), [site.base_url, name])
        hashes.take(connection, name, "published")
    return snapshot


def find(database: Database, name: str) -> Snapshot | None:
    """Return the snapshot with this name; None if there is none, or no database yet."""
    if not database.is_there:
        return None
    with database.read() as connection:
        return _snapshot(connection, name)


def resolve(database: Database, name: str) -> Snapshot:
    """Return the snapshot with this name.

    `latest` is the snapshot of new pages with the newest window, and `latest:enwiki` the newest of one wiki. Raises
    UsageError for an unknown name, and TerminalError if there is no latest snapshot.
    """
    with database.read() as connection:
        rows = connection.execute("select snapshot_id from snapshots order by 1").fetchall()
        known = ", ".join(row[0] for row in rows)
        latest, _, wiki = name.partition(":")
        if latest == "latest":
            row = first_row(connection.execute(query("latest_snapshot"), [wiki or None]))
            if not row:
                new_pages = f"of new pages{' of ' + wiki if wiki else ''} " if known else ""
                others = f", or name one: {known}" if known else ""
                raise TerminalError(
                    f"'{database.path}' holds no snapshot {new_pages}yet; publish one with `newwiki refresh`{others}"
                )
            name = row[0]
        snapshot = _snapshot(connection, name)
        if not snapshot:
            raise UsageError(f"there is no snapshot '{name}'; there are: {known or 'none yet'}")
        return snapshot


def earlier(database: Database, wiki: str, moment: datetime) -> list[str]:
    """Return the ids of the wiki's snapshots whose window begins before `moment`; an empty list without a database."""
    if not database.is_there:
        return []
    return [name for (name,) in database.rows("earlier_snapshots", wiki, moment)]


def articles(database: Database, name: str) -> list[Article]:
    """Return the articles of a snapshot, the longest first. Articles of equal length are ordered by page id."""
    return database.records(Article, "snapshot_articles", name)


def verify(database: Database, name: str) -> list[str]:
    """Return a sentence for each difference from the published hashes and each contradiction; an empty list if none."""
    snapshot = resolve(database, name)
    stored = articles(database, snapshot.snapshot_id)
    problems = [
        f"the text of '{article.title}' is not what was published"
        for article in stored
        if text_sha256(article.first_sentence, article.completion) != article.text_sha256
    ]
    if len(stored) != snapshot.articles:
        problems.append(f"{len(stored)} articles are stored, {snapshot.articles} were published")
    if content_sha256(stored, snapshot.parameters, snapshot.extractor_version) != snapshot.content_sha256:
        problems.append("the content hash is not what was published")
    templates = snapshot_templates.stored(database, snapshot.snapshot_id)
    pairs = ((template.title, template.sha1) for template in templates)
    if with_templates(snapshot.parameters, pairs) != snapshot.parameters:
        problems.append("the templates are not those of the content hash")
    with database.read() as connection:
        changed = hashes.changes(connection, snapshot.snapshot_id)
    return problems + inconsistencies(database, snapshot) + changed


def first_hashed(database: Database, name: str) -> datetime | None:
    """Return the earliest time at which a migration hashed columns of a snapshot; None if no migration did.

    Earlier changes to these columns cannot be detected by `verify`.
    """
    with database.read() as connection:
        return hashes.first_hashed(connection, name)


def _snapshot(connection: duckdb.DuckDBPyConnection, name: str) -> Snapshot | None:
    snapshots = records(Snapshot, connection.execute(query("snapshot_one"), [name]))
    return snapshots[0] if snapshots else None


def article(page: Judged) -> Article:
    assert page.rev_id and page.revised_at and page.revisions and page.words, page
    assert page.first_sentence and page.completion, page
    return Article(
        page_id=page.page_id,
        rev_id=page.rev_id,
        title=page.title,
        created_at=page.created_at,
        revised_at=page.revised_at,
        revisions=page.revisions,
        words=page.words,
        first_sentence=page.first_sentence,
        completion=page.completion,
        text_sha256=text_sha256(page.first_sentence, page.completion),
        sha1=page.sha1,
        headings=page.headings or "[]",
    )


def _candidate_rows(name: str, judged: Sequence[Judged]) -> pa.Table:
    columns = ("page_id", "title", "created_at", "rev_id", "revisions", "words", "verdict", "detail", "origin")
    rows: list[dict[str, Any]] = [
        {"snapshot_id": name} | {column: getattr(page, column) for column in columns} for page in judged
    ]
    return pa.Table.from_pylist(rows)
