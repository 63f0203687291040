"""A site goes to a folder, a bucket, or the Hub: what changed is written, an interruption loses nothing."""

import base64
import hashlib
import json
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import fsspec
import pytest

from flows.progress import Silent
from flows.publishing import places
from flows.publishing.places import is_published, publish, require_place
from newwiki.errors import NewWikiError, TerminalError, TransientError, UsageError
from storage.folders import whole_folder

A, B = {"index.html": "a", "data/runs.parquet": "p", "texts/r.parquet": "t"}, {"index.html": "b", "models/m.html": "m"}


def write(folder: Path, files: dict[str, str]) -> Path:
    with whole_folder(folder, "site.json", "a site") as part:
        for name, text in files.items():
            (part / name).parent.mkdir(parents=True, exist_ok=True)
            (part / name).write_text(text)
    return folder


def held(place: str) -> dict[str, str]:
    files, root = fsspec.core.url_to_fs(place)
    root = root.rstrip("/")
    return {path.rpartition(f"{root}/")[2]: files.cat_file(path).decode() for path in files.find(root)}


@pytest.fixture(params=["folder", "bucket"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A folder, and a bucket in memory."""
    return str(tmp_path / "www") if request.param == "folder" else f"memory://{tmp_path.name}/board"


def test_a_place_holds_the_site_and_then_the_next_one(tmp_path: Path, place: str) -> None:
    for files in (A, B):
        site = write(tmp_path / "board", files)
        assert not is_published(site, place)
        publish(site, place, Silent())
        assert held(place) == files | {"site.json": (site / "site.json").read_text()}
        assert is_published(site, place)


def test_what_is_there_is_not_written_again(tmp_path: Path, place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    site = write(tmp_path / "board", A)
    publish(site, place, Silent())
    written: list[str] = []
    original = places._write
    monkeypatch.setattr(places, "_write", lambda files, path, content: written.append(path))
    publish(site, place, Silent())
    assert written == []

    def noting(files: Any, path: str, content: bytes) -> None:
        written.append(path)
        original(files, path, content)

    monkeypatch.setattr(places, "_write", noting)
    publish(write(tmp_path / "board", A | {"index.html": "c"}), place, Silent())
    assert [path.rpartition("/")[2] for path in written] == ["site.json", "index.html", "site.json"]


@pytest.mark.parametrize("died_after", range(5))
def test_a_publishing_that_died_is_completed_even_by_the_state_before_it(
    tmp_path: Path, place: str, monkeypatch: pytest.MonkeyPatch, died_after: int
) -> None:
    before, after = write(tmp_path / "before", A), write(tmp_path / "after", B | {"data/runs.parquet": "q"})
    publish(before, place, Silent())
    original, left = places._write, [None] * died_after

    def dying(*of: Any) -> None:
        if not left:
            raise KeyboardInterrupt
        left.pop()
        original(*of)

    with monkeypatch.context() as patched:
        patched.setattr(places, "_write", dying)
        with pytest.raises(KeyboardInterrupt):
            publish(after, place, Silent())
    for site in (before, after):
        again = f"{place}-{site.name}"
        files, root = fsspec.core.url_to_fs(place)
        files.copy(root, fsspec.core.url_to_fs(again)[1], recursive=True)
        publish(site, again, Silent())
        assert held(again).items() >= held(str(site)).items()
        assert is_published(site, again)


def test_another_site_and_other_files_are_left_alone(tmp_path: Path) -> None:
    site, other = write(tmp_path / "board", A), tmp_path / "www"
    other.mkdir()
    (other / "CNAME").write_text("lab.example")
    publish(site, str(other), Silent())
    publish(write(tmp_path / "board", B), str(other), Silent())
    assert (other / "CNAME").read_text() == "lab.example"
    (other / "site.json").unlink()
    with pytest.raises(UsageError, match=r"holds another site, without the file 'site\.json'"):
        publish(site, str(other), Silent())
    (other / "site.json").write_text("[1]")
    with pytest.raises(UsageError, match=r"'.*www/site\.json' is not the list of a site"):
        publish(site, str(other), Silent())


@pytest.mark.parametrize(
    ("named", "message"),
    [
        ("nowhere://x", "'nowhere://x' cannot be reached: Protocol not known: nowhere"),
        ("hf://models/lab/board", "is no place on the Hub; write hf://spaces/OWNER/NAME"),
        ("hf://spaces/board", "is no place on the Hub"),
    ],
)
def test_a_place_that_cannot_be_is_told_before_any_work(named: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        require_place(named)


def test_a_disk_that_is_full_may_be_free_tomorrow(tmp_path: Path) -> None:
    site = write(tmp_path / "board", A)
    (tmp_path / "file").write_text("x")
    with pytest.raises(TransientError, match="cannot be"):
        publish(site, str(tmp_path / "file" / "www"), Silent())


class Hub(BaseHTTPRequestHandler):
    """The part of the Hub's interface that one commit takes. `refuse` is the status of every answer, if it is set."""

    files: dict[str, bytes]
    commits: list[str]
    refuse: int | None

    def do_GET(self) -> None:
        if "/tree/" in self.path:
            return self.answer([{"type": "file", "size": 1, **self.described(name)} for name in self.files])
        self.answer({"id": "lab/board", "sha": "0" * 40, "siblings": [], "tags": [], "private": False})

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path.endswith("/preupload/main"):
            asked = [file["path"] for file in json.loads(body)["files"]]
            return self.answer({"files": [self.described(name) for name in asked]})
        if self.path.endswith("/commit/main"):
            self.commit([json.loads(line) for line in body.splitlines()])
            return self.answer({"success": True, "commitOid": "1" * 40, "commitUrl": f"{self.site}/commit/1"})
        self.answer({"url": self.site, "errors": [], "warnings": []})

    @property
    def site(self) -> str:
        return f"http://{self.headers['Host']}/spaces/lab/board"

    def described(self, name: str) -> dict[str, Any]:
        content = self.files.get(name)
        oid = None if content is None else hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()
        return {"path": name, "uploadMode": "regular", "shouldIgnore": False, "oid": oid}

    def commit(self, lines: list[dict[str, Any]]) -> None:
        for line in lines:
            value = line["value"]
            if line["key"] == "file":
                self.files[value["path"]] = base64.b64decode(value["content"])
            elif line["key"] == "deletedFile":
                del self.files[value["path"]]
        self.commits.append(lines[0]["value"]["summary"])

    def answer(self, value: object) -> None:
        content = json.dumps(value).encode()
        self.send_response(self.refuse or 200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *arguments: object) -> None:
        pass


@contextmanager
def hub(monkeypatch: pytest.MonkeyPatch, refuse: int | None = None) -> Iterator[type[Hub]]:
    handler = type("OneHub", (Hub,), {"files": {".gitattributes": b""}, "commits": [], "refuse": refuse})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setattr("huggingface_hub.constants.ENDPOINT", f"http://127.0.0.1:{server.server_port}")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    try:
        yield handler
    finally:
        server.shutdown()
        server.server_close()


def test_a_space_of_the_hub_holds_the_site_after_one_commit_for_each_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site, space = write(tmp_path / "board", A), "hf://spaces/lab/board"
    with hub(monkeypatch) as there:
        publish(site, space, Silent())
        publish(site, space, Silent())
        assert there.commits == ["Publish the leaderboard"]
        assert set(there.files) == {*A, "site.json", "README.md", ".gitattributes"}
        assert b"sdk: static" in there.files["README.md"]
        assert is_published(site, space)
        assert not is_published(write(tmp_path / "other", A | {"index.html": "x"}), space), "of the same names"
        publish(write(tmp_path / "board", B), space, Silent())
        assert there.files["index.html"] == b"b"
        assert set(there.files) == {*B, "site.json", "README.md", ".gitattributes"}
        assert len(there.commits) == 2


@pytest.mark.parametrize("place", ["hf://spaces/lab/board", "hf://datasets/lab/board"])
def test_a_repository_with_anything_else_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    with hub(monkeypatch) as there:
        there.files["train.parquet"] = b"mine"
        with pytest.raises(UsageError, match=r"holds something else than a site, such as 'train\.parquet'"):
            publish(write(tmp_path / "board", A), place, Silent())
    assert there.files["train.parquet"] == b"mine" and there.commits == []


def test_a_dataset_of_the_hub_holds_the_tables_and_texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with hub(monkeypatch) as there:
        publish(write(tmp_path / "board", A), "hf://datasets/lab/board", Silent())
    assert set(there.files) == {"data/runs.parquet", "texts/r.parquet", "site.json", "README.md", ".gitattributes"}
    assert b"- config_name: runs\n  data_files: data/runs.parquet" in there.files["README.md"]
    assert b"- config_name: all-texts\n  data_files: texts/*.parquet" in there.files["README.md"]


@pytest.mark.parametrize(
    ("status", "kind", "message"),
    [
        (401, TerminalError, "answered 401: .*; set HF_TOKEN to a token that may write there"),
        (404, TerminalError, "answered 404"),
        (503, TransientError, "answered 503"),
    ],
)
def test_what_the_hub_refuses_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, status: int, kind: type[NewWikiError], message: str
) -> None:
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    with hub(monkeypatch, refuse=status), pytest.raises(kind, match=message):
        publish(write(tmp_path / "board", A), "hf://spaces/lab/board", Silent())


def test_a_hub_that_cannot_be_reached_may_be_there_tomorrow(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with hub(monkeypatch):
        pass
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    with pytest.raises(TransientError, match="cannot be reached"):
        publish(write(tmp_path / "board", A), "hf://spaces/lab/board", Silent())


def test_a_list_of_an_earlier_version_has_no_hashes(tmp_path: Path) -> None:
    site = write(tmp_path / "board", A)
    older = Path(shutil.copytree(site, tmp_path / "www"))
    (older / "site.json").write_text(json.dumps({"files": sorted(A)}))
    assert not is_published(site, str(older))
    publish(site, str(older), Silent())
    assert is_published(site, str(older))
