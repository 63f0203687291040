"""Rebuild a snapshot from its manifest: fetch and extract the same revisions, and check the content hash."""

import json
from collections.abc import Sequence
from dataclasses import dataclass

from flows.progress import Progress
from newwiki.errors import TerminalError, UsageError
from newwiki.manifest import Manifest, ManifestEntry
from newwiki.selection import sha1
from newwiki.snapshot import Judged, Site, Window
from newwiki.sources.revisions import Revision, Revisions, RevisionsOfApi, RevisionsOfDump
from newwiki.sources.source import Waiting
from newwiki.text.language import Language, load_language
from newwiki.text.prompts import split
from newwiki.text.prose import EXTRACTOR_VERSION, extract
from newwiki.text.structure import structure_json
from newwiki.text.words import count_words
from storage import snapshots
from storage.database import Database

_DETAIL = "rebuilt from a manifest"


@dataclass(frozen=True)
class Rebuilt:
    """The result of a rebuild. `problems` names every page that is missing or differs.

    Without problems, `published` says whether the snapshot was new to the database. `unchecked` holds the snapshots of
    `novel_against` that the database does not contain.
    """

    problems: list[str]
    published: bool = False
    unchecked: tuple[str, ...] = ()

    def report(self, manifest: Manifest) -> list[str]:
        """Return a line for each problem, or else lines that describe the result."""
        if self.problems:
            return self.problems
        same = f"{manifest.snapshot_id}: {len(manifest.articles)} articles, content {manifest.content_sha256}"
        done = "rebuilt; its candidates are these articles alone" if self.published else "as in the database"
        missing = "is not in the database, so nobody has checked what it is"
        return [f"{same}: {done}", *(f"it does not repeat {name}, which {missing}" for name in self.unchecked)]


def rebuild(database: Database, source: Revisions, manifest: Manifest, progress: Progress) -> Rebuilt:
    """Publish the manifest's snapshot if every page is unchanged and the database does not contain it yet.

    The candidates of a rebuilt snapshot are only its articles, and the detail of each says so. Raises TerminalError if:

    - the manifest comes from another extractor version or another wiki
    - the database holds a different snapshot of the same name
    - the database holds a different version of a snapshot in `novel_against`
    """
    _require_extractor(manifest)
    if isinstance(source, Waiting):
        source.tell(progress.note)
    known = snapshots.find(database, manifest.snapshot_id)
    if known and known.content_sha256 != manifest.content_sha256:
        raise TerminalError(
            f"'{database.path}' holds another snapshot of the name {manifest.snapshot_id}; rebuild into a new file "
            "with --db"
        )
    site = source.site()
    if site.wiki != manifest.wiki:
        raise TerminalError(f"the manifest is of {manifest.wiki}, and {source.name} is {site.wiki}; name the right one")
    unchecked = _check_against(database, manifest)
    pages, problems = _fetch(source, manifest, load_language(site.language), progress)
    if not problems:
        problems = _wrong_hash(manifest, pages)
    if problems or known:
        return Rebuilt(problems, unchecked=unchecked)
    snapshots.publish(
        database,
        manifest.snapshot_id,
        Site(manifest.wiki, site.language, manifest.base_url),
        Window(manifest.window_start, manifest.window_end),
        manifest.cutoff,
        _parameters(manifest),
        pages,
    )
    return Rebuilt([], published=True, unchecked=unchecked)


def source_of(manifest: Manifest, api: str | None, dump: Sequence[str], contact: str | None) -> Revisions:
    """Return the source of the revisions: an API, a dump, or by default the Wikipedia that the manifest names.

    Raises UsageError if both an API and a dump are given.
    """
    if api and dump:
        raise UsageError("from where? Give --api URL or --dump FILE, not both")
    return RevisionsOfDump(dump) if dump else RevisionsOfApi(api or api_of(manifest), contact)


def api_of(manifest: Manifest) -> str:
    """Return the api.php address of the Wikipedia that the manifest names. Raises UsageError for other wikis."""
    host = manifest.base_url.removeprefix("https://").partition("/")[0]
    if not host.endswith(".wikipedia.org"):
        raise UsageError(f"{manifest.wiki} at {manifest.base_url} is no Wikipedia; give --api URL or --dump FILE")
    return f"https://{host}/w/api.php"


def _require_extractor(manifest: Manifest) -> None:
    if manifest.extractor_version == EXTRACTOR_VERSION:
        return
    which = f"newwiki-eval=={manifest.newwiki_version}" if manifest.newwiki_version else "a newwiki-eval that has it"
    raise TerminalError(
        f"the manifest was made by extractor {manifest.extractor_version}, and this newwiki has extractor "
        f"{EXTRACTOR_VERSION}: install {which} to rebuild it"
    )


def _check_against(database: Database, manifest: Manifest) -> tuple[str, ...]:
    """Return the snapshots of `novel_against` that are not in the database.

    Raises TerminalError for a snapshot that differs.
    """
    against = {name: (content, snapshots.find(database, name)) for name, content in _against(manifest).items()}
    for name, (content, here) in against.items():
        if here and here.content_sha256 != content:
            raise TerminalError(
                f"{manifest.snapshot_id} was not to repeat {name} of content {content}, and '{database.path}' holds "
                f"another {name}, of content {here.content_sha256}; rebuild into a new file with --db"
            )
    return tuple(name for name, (_, here) in against.items() if not here)


def _against(manifest: Manifest) -> dict[str, str]:
    against: dict[str, str] = manifest.parameters.get("novel_against", {})
    return against


def _fetch(
    source: Revisions, manifest: Manifest, language: Language, progress: Progress
) -> tuple[list[Judged], list[str]]:
    """Return the unchanged pages, and a message for every other page."""
    entries = {entry.rev_id: entry for entry in manifest.articles}
    pages: list[Judged] = []
    differing: list[str] = []
    with progress.stretch(f"fetching {manifest.snapshot_id} from {source.name}", "articles") as bar:
        for batch in source.fetch(sorted(entries)):
            for revision in batch:
                outcome = _extracted(entries.pop(revision.rev_id), revision, language)
                if isinstance(outcome, Judged):
                    pages.append(outcome)
                else:
                    differing.append(outcome)
            bar.update(len(pages) + len(differing), len(manifest.articles))
    gone = [f"{_named(entry)} is gone from the wiki" for entry in entries.values()]
    return pages, [*gone, *differing]


def _extracted(entry: ManifestEntry, revision: Revision, language: Language) -> Judged | str:
    """Return the article as published, or a message that says how it differs."""
    if revision.wikitext is None:
        return f"{_named(entry)} is hidden"
    actual = sha1(revision.wikitext)
    if entry.sha1 and actual != entry.sha1:
        return f"{_named(entry)} differs: its text has SHA-1 {actual}, and had {entry.sha1}"
    extracted = extract(revision.wikitext, language, entry.title)
    first_sentence, completion = split(extracted.prose, language)
    if snapshots.text_sha256(first_sentence, completion) != entry.text_sha256:
        return f"{_named(entry)} differs: its wikitext is the same, and the prose extracted from it is not"
    return Judged(
        page_id=entry.page_id,
        title=entry.title,
        created_at=entry.created_at,
        verdict="selected",
        detail=_DETAIL,
        rev_id=entry.rev_id,
        revised_at=revision.revised_at,
        revisions=entry.revisions,
        words=count_words(extracted.prose),
        first_sentence=first_sentence,
        completion=completion,
        sha1=actual,
        headings=extracted.headings_json,
        structure=structure_json(revision.wikitext, language, entry.title, extracted.holes),
    )


def _named(entry: ManifestEntry) -> str:
    return f"'{entry.title}' (page {entry.page_id}, revision {entry.rev_id})"


def _wrong_hash(manifest: Manifest, pages: list[Judged]) -> list[str]:
    articles = [snapshots.article(page) for page in pages]
    actual = snapshots.content_sha256(articles, _parameters(manifest), manifest.extractor_version)
    if actual == manifest.content_sha256:
        return []
    return [f"every text is as it was, but not the hash of all ({actual}): the manifest itself was changed"]


def _parameters(manifest: Manifest) -> str:
    return json.dumps(manifest.parameters, sort_keys=True)
