"""`newwiki evidence`: an index of snapshots, a dump or Parquet files, by command and from Python."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

import newwiki
from evaluators.claims.evidence_index import EvidenceIndex
from flows.cli import main
from newwiki.errors import UsageError
from newwiki.models.files import file_sha256
from storage import snapshots
from storage.database import Database

Ask = Callable[..., tuple[int, str, str]]
PAGES = {"title": ["Mill", "York", "Empty"], "text": ["It ground rye. It burnt.", "York lies on the Ouse.", None]}


@pytest.fixture
def ask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Ask:
    """Runs `newwiki evidence ARGUMENTS --quiet` in an empty folder; gives its exit status and what it wrote."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str | Path) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.argv", ["newwiki", "evidence", *map(str, arguments), "--quiet"])
        return (main(), *capsys.readouterr())

    return run


def table(file: Path, pages: dict[str, Any]) -> Path:
    parquet.write_table(pa.table(pages), file)
    return file


def first(folder: Path, claim: str, title: str = "") -> tuple[str, str]:
    [[passage, *_]] = EvidenceIndex.open(folder).passages([claim], title)
    return passage.title, passage.text


def test_an_index_of_a_snapshot_holds_its_articles(database: Path, ask: Ask, tmp_path: Path) -> None:
    status, told, _ = ask(
        "build", "--snapshot", "latest", "--out", "index", "--db", database, "--format", "json"
    )  # fmt: skip
    [row] = json.loads(told)
    snapshot = snapshots.resolve(Database(database), "latest")
    articles = list(snapshots.articles(Database(database), snapshot.snapshot_id))
    assert (status, row["pages"], row["sources"]) == (0, len(articles), f"snapshot {snapshot.snapshot_id}")
    for article in articles[:3]:
        assert first(tmp_path / "index", article.first_sentence, article.title)[0] == article.title


def test_all_snapshots_are_one_index_and_each_counts_once(two_months: Path, ask: Ask, tmp_path: Path) -> None:
    every = newwiki.build_evidence(snapshot="all", out=tmp_path / "all", db=two_months, quiet=True).to_pylist()
    named = [one["snapshot_id"] for one in newwiki.snapshots(db=two_months).to_pylist()]
    each = [word for name in [*named, *named] for word in ("--snapshot", name)]
    status, told, _ = ask("build", *each, "--out", "each", "--db", two_months, "--format", "json")
    assert (status, len(named)) == (0, 2)
    assert json.loads(told) == every
    assert every[0]["sources"] == "; ".join(f"snapshot {name}" for name in sorted(named))


def test_an_index_of_a_dump_holds_the_newest_prose_of_its_articles(
    ask: Ask, tmp_path: Path, export: Callable[..., bytes], page: Callable[..., str], revision: Callable[..., str]
) -> None:
    def at(day: int, text: str | None) -> str:
        return revision(day, f"2026-09-{day:02}T00:00:00Z", text)

    newest = "The '''mill''' ground [[Secale|rye]].<ref>A book.</ref>\n\n== Fire ==\nIt burnt."
    pages = [
        page(1, "Mill", [at(2, newest), at(1, "The mill was a rumour.")]),
        page(2, "Watermill", [at(1, "#REDIRECT [[Mill]]")]),
        page(3, "Rye (disambiguation)", [at(1, "'''Rye''' is:\n* a grain\n{{disambiguation}}")]),
        page(4, "Talk:Mill", [at(1, "I saw it burn.")], namespace=1),
        page(5, "Hidden", [at(1, None)]),
        page(6, "Stub", [at(1, "")]),
    ]
    (tmp_path / "wiki.xml").write_bytes(export(*pages))
    status, told, _ = ask("build", "--dump", "wiki.xml", "--out", "index", "--format", "json")
    [row] = json.loads(told)
    assert (status, row["pages"], row["sentences"], row["pages_without_sentences"]) == (0, 1, 2, 1)
    assert row["sources"] == "dump of testwiki (wiki.xml)"
    assert first(tmp_path / "index", "rye") == ("Mill", "The mill ground rye.")
    assert first(tmp_path / "index", "burnt") == ("Mill", "It burnt.")


def test_an_index_of_a_table_holds_its_texts(ask: Ask, tmp_path: Path) -> None:
    file = table(tmp_path / "pages.parquet", PAGES)
    assert ask("build", "--parquet", "pages.parquet", "--out", "index")[0] == 0
    assert first(tmp_path / "index", "rye") == ("Mill", "It ground rye.")
    manifest = EvidenceIndex.open(tmp_path / "index").manifest
    assert (manifest.pages, manifest.sentences, manifest.without_sentences) == (2, 3, 1)
    assert manifest.sources == ({"parquet": "pages.parquet", "sha256": file_sha256(file)},)


def test_a_page_may_come_as_its_sentences_and_columns_have_any_name(tmp_path: Path) -> None:
    texts = table(tmp_path / "texts.parquet", {"title": ["Mill"], "text": ["It ground rye. It burnt."]})
    split = table(tmp_path / "split.parquet", {"name": ["Mill"], "lines": [["It ground rye.", "", "It burnt."]]})
    of_texts = newwiki.build_evidence(parquet=texts, out=tmp_path / "a", quiet=True)
    of_lines = newwiki.build_evidence(
        parquet=split, title_column="name", text_column="lines", out=tmp_path / "b", quiet=True
    )
    assert of_texts["content_sha256"] == of_lines["content_sha256"]


def test_an_index_is_shown_as_it_was_built_and_verified(ask: Ask, tmp_path: Path) -> None:
    table(tmp_path / "pages.parquet", PAGES)
    built = ask("build", "--parquet", "pages.parquet", "--out", "index", "--format", "csv")
    assert ask("show", "index", "--format", "csv") == built
    assert "table pages.parquet" in ask("show", "index")[1]
    sha256 = EvidenceIndex.open(tmp_path / "index").manifest.content_sha256
    assert ask("verify", "index") == (0, f"index: unchanged since it was built, 3 sentences, {sha256}\n", "")
    weights = tmp_path / "index" / "postings.weights"
    weights.write_bytes(bytes(weights.stat().st_size))
    status, _, told = ask("verify", "index")
    assert (status, "postings.weights' does not match its hash" in told) == (1, True)


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (("build", "--out", "index"), 2, "Give --snapshot ID, --dump FILE or --parquet FILE"),
        (("build", "--snapshot", "all", "--out", "index"), 1, "there is no database"),
        (("build", "--dump", "no-such.xml", "--out", "index"), 2, "no-such.xml"),
        (("build", "--parquet", "no-such.parquet", "--out", "index"), 2, "no-such.parquet"),
        (("build", "--parquet", "notes.txt", "--out", "index"), 2, "is no Parquet file"),
        (("build", "--parquet", "pages.parquet", "--text-column", "txt", "--out", "index"), 2, "did you mean 'text'?"),
        (("build", "--parquet", "pages.parquet", "--text-column", "year", "--out", "index"), 2, "must hold text"),
        (("build", "--parquet", "untitled.parquet", "--out", "index"), 2, "row 2: 'title' is empty"),
        (("build", "--parquet", "pages.parquet", "--out", "there"), 2, "already exists; name a new folder"),
        (("show", "there"), 2, "is not an evidence index"),
        (("verify", "no-such-folder"), 2, "is not an evidence index"),
    ],
)
def test_a_mistake_is_told_and_makes_no_index(
    ask: Ask, tmp_path: Path, arguments: tuple[str, ...], status: int, words: str
) -> None:
    table(tmp_path / "pages.parquet", {**PAGES, "year": [1, 2, 3]})
    table(tmp_path / "untitled.parquet", {"title": ["Mill", " "], "text": ["It ground rye.", "It burnt."]})
    (tmp_path / "notes.txt").write_text("no table")
    (tmp_path / "there").mkdir()
    ended, _, told = ask(*arguments)
    assert (ended, words in told, told.count("\n")) == (status, True, 1), told
    assert not (tmp_path / "index").exists()


def test_a_snapshot_that_there_is_not_makes_no_index(database: Path, ask: Ask, tmp_path: Path) -> None:
    status, _, told = ask("build", "--snapshot", "enwiki-1999-01", "--out", "index", "--db", database)
    assert (status, "there is no snapshot" in told) == (2, True)
    Database(tmp_path / "empty.duckdb").write().__enter__()
    status, _, told = ask("build", "--snapshot", "all", "--out", "index", "--db", "empty.duckdb")
    assert (status, "holds no snapshot yet" in told) == (2, True)
    assert not list(tmp_path.glob("index*"))


def test_from_python_a_mistake_is_raised(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="evidence from where"):
        newwiki.build_evidence(out=tmp_path / "index", quiet=True)
