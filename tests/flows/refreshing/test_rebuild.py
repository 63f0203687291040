"""Rebuilding from a manifest: what stands in its way is said, and then nothing is changed."""

import hashlib
import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from flows.demonstration import wiki
from flows.progress import Silent
from flows.refreshing.rebuild import Rebuilt, api_of, rebuild
from newwiki.errors import TerminalError, UsageError
from newwiki.manifest import Manifest, ManifestTemplate
from newwiki.sources.revisions import RevisionsOfDump
from storage.database import Database
from storage.export_snapshot import manifest as manifest_of
from tests.flows.conftest import Run


@pytest.fixture
def manifest(published: Path) -> Manifest:
    return manifest_of(Database(published), "latest")


@pytest.fixture
def rebuilt(tmp_path: Path) -> Callable[..., Rebuilt]:
    """Rebuilds into a new database, from the sample wiki, or from it with some of its text replaced."""

    def run(manifest: Manifest, old: str = "", new: str = "") -> Rebuilt:
        dump = wiki()
        if old:
            text = dump.read_text("utf-8")
            assert old in text
            dump = tmp_path / "changed.xml"
            dump.write_text(text.replace(old, new), "utf-8")
        return rebuild(Database(tmp_path / "new" / "again.duckdb"), RevisionsOfDump(str(dump)), manifest, Silent())

    return run


@pytest.fixture
def untouched(tmp_path: Path) -> Callable[[], bool]:
    return lambda: not (tmp_path / "new").exists()


def test_a_manifest_of_another_extractor_says_what_to_install(
    manifest: Manifest, rebuilt: Callable[..., Rebuilt], untouched: Callable[[], bool]
) -> None:
    other = replace(manifest, extractor_version="0", newwiki_version="0.0.7")
    with pytest.raises(TerminalError, match=r"made by extractor 0, .* install newwiki-eval==0\.0\.7 to rebuild it"):
        rebuilt(other)
    with pytest.raises(TerminalError, match="install a newwiki-eval that has it"):
        rebuilt(replace(other, newwiki_version=None))
    assert untouched()


def test_another_wiki_is_refused(manifest: Manifest, rebuilt: Callable[..., Rebuilt]) -> None:
    with pytest.raises(
        TerminalError, match=r"the manifest is of nlwiki, and dump .* is samplewiki; name the right one"
    ):
        rebuilt(replace(manifest, wiki="nlwiki"))


def test_a_revision_that_says_something_else_is_named(
    manifest: Manifest, rebuilt: Callable[..., Rebuilt], untouched: Callable[[], bool]
) -> None:
    entry = manifest.articles[0]
    problems = rebuilt(replace(manifest, articles=(replace(entry, sha1="0" * 40), *manifest.articles[1:]))).problems
    assert problems == [
        f"'{entry.title}' (page {entry.page_id}, revision {entry.rev_id}) differs: its text has SHA-1 {entry.sha1}, "
        f"and had {'0' * 40}"
    ]
    assert untouched()


def test_a_text_that_is_extracted_otherwise_is_named(manifest: Manifest, rebuilt: Callable[..., Rebuilt]) -> None:
    entry = replace(manifest.articles[0], text_sha256="0" * 64)
    (problem,) = rebuilt(replace(manifest, articles=(entry, *manifest.articles[1:]))).problems
    assert "differs: its wikitext is the same, and the prose extracted from it is not" in problem


def test_every_page_that_is_gone_is_named_with_those_that_differ(
    manifest: Manifest, rebuilt: Callable[..., Rebuilt], untouched: Callable[[], bool]
) -> None:
    first, second = manifest.articles[:2]
    changed = (replace(first, rev_id=999_999), replace(second, sha1="0" * 40), *manifest.articles[2:])
    problems = rebuilt(replace(manifest, articles=changed)).problems
    assert len(problems) == 2
    assert problems[0] == f"'{first.title}' (page {first.page_id}, revision 999999) is gone from the wiki"
    assert problems[1].startswith(f"'{second.title}'")
    assert untouched()


def test_a_hidden_revision_is_named(manifest: Manifest, rebuilt: Callable[..., Rebuilt]) -> None:
    entry = manifest.articles[0]
    _, revision, tail = wiki().read_text("utf-8").partition(f"<id>{entry.rev_id}</id>")
    before, text, after = tail.partition("<text")
    end = after.index("</text>") + len("</text>")
    old = revision + before + text + after[:end]
    assert rebuilt(manifest, old, revision + before + '<text deleted="deleted" />').problems == [
        f"'{entry.title}' (page {entry.page_id}, revision {entry.rev_id}) is hidden"
    ]


def test_a_template_that_is_gone_or_says_something_else_is_named(
    manifest: Manifest, rebuilt: Callable[..., Rebuilt], untouched: Callable[[], bool]
) -> None:
    templates = (
        ManifestTemplate(title="Beds", rev_id=999_999, sha1="0" * 40),
        ManifestTemplate(title="Rooms", rev_id=1001, sha1="0" * 40),
    )
    gone, differs = rebuilt(replace(manifest, templates=templates)).problems
    assert gone == "the template 'Beds' (revision 999999) is gone from the wiki"
    assert differs.startswith("the template 'Rooms' (revision 1001) differs: its text has SHA-1 ")
    assert untouched()


@pytest.mark.parametrize(
    "tampering",
    [
        lambda m: replace(m, parameters=m.parameters | {"seed": 7}),
        lambda m: replace(m, articles=m.articles[1:]),
        lambda m: replace(m, articles=(replace(m.articles[0], title="X"), *m.articles[1:])),
        lambda m: replace(m, articles=(replace(m.articles[0], revisions=99), *m.articles[1:])),
        lambda m: replace(m, articles=(replace(m.articles[0], created_at=m.cutoff), *m.articles[1:])),
    ],
    ids=["parameters", "articles", "title", "revisions", "created_at"],
)
def test_a_manifest_that_was_changed_does_not_reach_its_hash(
    manifest: Manifest,
    rebuilt: Callable[..., Rebuilt],
    untouched: Callable[[], bool],
    tampering: Callable[[Manifest], Manifest],
) -> None:
    (problem,) = rebuilt(tampering(manifest)).problems
    assert problem.startswith("every text is as it was, but not the hash of all")
    assert untouched()


def test_a_snapshot_of_the_same_name_and_another_content_stays(manifest: Manifest, database: Path) -> None:
    before = hashlib.sha256(database.read_bytes()).hexdigest()
    with pytest.raises(
        TerminalError, match="holds another snapshot of the name samplewiki-2026-09; rebuild into a new"
    ):
        rebuild(Database(database), RevisionsOfDump(str(wiki())), replace(manifest, content_sha256="0" * 64), Silent())
    assert hashlib.sha256(database.read_bytes()).hexdigest() == before


def test_a_snapshot_that_knows_no_sha1_is_rebuilt_by_its_texts_hashes(
    manifest: Manifest, rebuilt: Callable[..., Rebuilt]
) -> None:
    """As one that was published before it was kept."""
    unknown = replace(manifest, articles=tuple(replace(entry, sha1=None) for entry in manifest.articles))
    assert rebuilt(unknown) == Rebuilt([], published=True)


def test_a_wikipedia_is_found_by_its_manifest(manifest: Manifest) -> None:
    simple = replace(manifest, base_url="https://zh-yue.wikipedia.org/wiki/")
    assert api_of(simple) == "https://zh-yue.wikipedia.org/w/api.php"
    for base_url in ("https://sample.example/wiki/", "https://wikipedia.org.example/wiki/"):
        with pytest.raises(UsageError, match="is no Wikipedia; give --api URL or --dump FILE"):
            api_of(replace(manifest, base_url=base_url))


def test_the_command_ends_with_1_and_a_line_for_each_page(in_process: Run, manifest: Manifest, tmp_path: Path) -> None:
    values = json.loads(manifest.to_json())
    for entry in values["articles"][:2]:
        entry["rev_id"] += 900_000
    (tmp_path / "manifest.json").write_text(json.dumps(values))
    shutil.copy(wiki(), tmp_path / "wiki.xml")
    ended = in_process("snapshots", "rebuild", "manifest.json", "--dump", "wiki.xml", "--quiet")
    assert (ended.returncode, ended.stderr) == (1, "")
    assert [line.split(" (")[0] for line in ended.stdout.splitlines()] == [
        f"'{entry['title']}'" for entry in values["articles"][:2]
    ]
    assert not (tmp_path / "newwiki.duckdb").exists()
