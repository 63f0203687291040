"""Publish the folder of a site to another folder, to a bucket, or to a Space or dataset of the Hugging Face Hub."""

import hashlib
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from flows.progress import Progress
from newwiki.errors import TerminalError, TransientError, UsageError
from storage.folders import list_text, listed_hashes
from storage.shared import file_system

LIST = "site.json"  # the list of a site's files, by which a site is recognized
_HUB = "hf://"
_CARD = "README.md"
_KINDS = {"spaces": "space", "datasets": "dataset"}
_TABLES, _TEXTS = "data/", "texts/"  # the folders of a site's tables and of the texts of its runs
_LATER = (408, 425, 429)


def require_place(place: str) -> None:
    """Raise UsageError for a place that nothing can be published to."""
    if place.startswith(_HUB):
        _repository(place)
    else:
        file_system(place)


def publish(folder: Path, place: str, progress: Progress) -> None:
    """Make a place hold the files of a site. Files that are there unchanged are not written again.

    Raises UsageError if the place holds another site or cannot exist, TransientError if a later attempt may succeed,
    and TerminalError if it cannot.
    """
    if place.startswith(_HUB):
        _to_hub(folder, place)
    else:
        _to_files(folder, place, progress)


def is_published(folder: Path, place: str) -> bool:
    """Return whether the place holds exactly these files. Raises the errors of `publish`."""
    new = listed_hashes((folder / LIST).read_bytes())
    if place.startswith(_HUB):
        kind, name = _repository(place)
        with _hub_errors(place):
            there = _files_at_hub(kind, name)
        return all(file in there and _is_same(folder / file, there[file]) for file in _own_files(kind, new))
    files, root = _directory(place)
    try:
        return _listed_at(files, root, place) == new
    except OSError as error:
        raise TransientError(f"'{place}' cannot be read: {' '.join(str(error).split())}") from error


def _to_files(folder: Path, place: str, progress: Progress) -> None:
    """Publish through fsspec.

    The list of files at the place names only files that are whole there: the entry of a file goes before the file is
    written or removed, and new entries come at the end. An interrupted call is therefore completed by the next one.
    """
    files, root = _directory(place)
    new = listed_hashes((folder / LIST).read_bytes())
    try:
        old = _listed_at(files, root, place)
        changed = [name for name, sha256 in new.items() if old.get(name) != sha256]
        removed = [name for name in old if name not in new]
        kept = old.keys() - {*changed, *removed}
        if not changed and not removed:
            return
        _write(files, f"{root}/{LIST}", list_text({name: old[name] for name in old if name in kept}).encode())
        with progress.stretch(f"published to {place}", "files") as bar:
            for number, name in enumerate(changed, 1):
                _write(files, f"{root}/{name}", (folder / name).read_bytes())
                bar.update(number, len(changed))
        for name in removed:
            if files.exists(f"{root}/{name}"):
                files.rm_file(f"{root}/{name}")
        _write(files, f"{root}/{LIST}", (folder / LIST).read_bytes())
    except OSError as error:
        raise TransientError(f"'{place}' cannot be written: {' '.join(str(error).split())}") from error


def _directory(place: str) -> tuple[Any, str]:
    files, root = file_system(place)
    return files, root.rstrip("/")


def _listed_at(files: Any, root: str, place: str) -> Mapping[str, str]:
    """Return the hashes of the files at the place, by name; empty before the first call.

    Raises UsageError if another site stands there.
    """
    if files.exists(f"{root}/{LIST}"):
        try:
            return listed_hashes(files.cat_file(f"{root}/{LIST}"))
        except ValueError:
            raise UsageError(f"'{place}/{LIST}' is not the list of a site; name another place") from None
    if files.exists(f"{root}/index.html"):
        raise UsageError(f"'{place}' holds another site, without the file '{LIST}'; name another place")
    return {}


def _write(files: Any, path: str, content: bytes) -> None:
    files.makedirs(path.rpartition("/")[0], exist_ok=True)
    files.pipe_file(path, content)


def _repository(place: str) -> tuple[str, str]:
    """Return the kind and the id of the repository in `hf://spaces/OWNER/NAME` or `hf://datasets/OWNER/NAME`."""
    kind, _, name = place.removeprefix(_HUB).strip("/").partition("/")
    if kind not in _KINDS or name.count("/") != 1 or not all(name.split("/")):
        raise UsageError(f"'{place}' is no place on the Hub; write hf://spaces/OWNER/NAME or hf://datasets/OWNER/NAME")
    return _KINDS[kind], name


def _to_hub(folder: Path, place: str) -> None:
    """Publish in one commit; the Hub's library leaves out unchanged files, and makes no commit without a change.

    The repository belongs to the site: its other files are removed, and its card is written anew. Raises UsageError for
    a repository with files that is not one of a site.
    """
    from huggingface_hub import CommitOperationAdd, CommitOperationDelete, HfApi

    kind, name = _repository(place)
    own = _own_files(kind, listed_hashes((folder / LIST).read_bytes()))
    card = _space_card(name) if kind == "space" else _dataset_card(name, own)
    hub = HfApi()
    with _hub_errors(place), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*commit a data file")  # a site's tables belong to its Space
        is_new = not hub.repo_exists(name, repo_type=kind)
        hub.create_repo(name, repo_type=kind, exist_ok=True, space_sdk="static" if kind == "space" else None)
        there = _files_at_hub(kind, name)
        others = there.keys() - {*own, _CARD, ".gitattributes"}
        if others and not is_new and LIST not in there:
            raise UsageError(f"'{place}' holds something else than a site, such as '{min(others)}'; name another place")
        hub.create_commit(
            name,
            [
                CommitOperationAdd(_CARD, card.encode()),
                *(CommitOperationAdd(file, folder / file) for file in own),
                *(CommitOperationDelete(file) for file in sorted(others)),
            ],
            commit_message="Publish the leaderboard",
            repo_type=kind,
        )


def _files_at_hub(kind: str, name: str) -> dict[str, Any]:
    """Return the files of a repository by path."""
    from huggingface_hub import HfApi
    from huggingface_hub.hf_api import RepoFile

    tree = HfApi().list_repo_tree(name, recursive=True, repo_type=kind)
    return {entry.path: entry for entry in tree if isinstance(entry, RepoFile)}


def _is_same(file: Path, there: Any) -> bool:
    """Return whether a file has the content of a file at the Hub, which Git or its large file storage has hashed."""
    content = file.read_bytes()
    if there.lfs:
        return bool(hashlib.sha256(content).hexdigest() == there.lfs.sha256)
    blob = b"blob %d\0" % len(content) + content
    return bool(hashlib.sha1(blob, usedforsecurity=False).hexdigest() == there.blob_id)


def _own_files(kind: str, files: Iterable[str]) -> list[str]:
    """Return the files that a repository gets: a Space the whole site, a dataset its tables and texts as Parquet."""
    if kind == "dataset":
        files = [file for file in files if file.startswith((_TABLES, _TEXTS)) and file.endswith(".parquet")]
    return [LIST, *files]


@contextmanager
def _hub_errors(place: str) -> Iterator[None]:
    """Turn the errors of the Hub into a message of one line."""
    from huggingface_hub.errors import HfHubHTTPError

    # OSError, and the error of the HTTP library that this version of the Hub's library uses
    unreachable: tuple[Any, ...] = HfHubHTTPError.__bases__
    try:
        yield
    except HfHubHTTPError as error:
        status = error.response.status_code
        words = f"'{place}' answered {status}: {' '.join(str(error.server_message or error).split())}"
        if status in _LATER or status >= 500:
            raise TransientError(words) from None
        remedy = "; set HF_TOKEN to a token that may write there" if status in (401, 403) else ""
        raise TerminalError(words + remedy) from None
    except unreachable as error:
        raise TransientError(f"'{place}' cannot be reached: {' '.join(str(error).split())}") from None


def _space_card(name: str) -> str:
    title = name.partition("/")[2]
    return f"---\ntitle: {title}\nsdk: static\npinned: false\n---\n\nA leaderboard made by New-Wiki Eval.\n"


def _dataset_card(name: str, files: list[str]) -> str:
    """Return the card, with a configuration for each table, and one for all texts."""
    tables = {
        file.removeprefix(_TABLES).removesuffix(".parquet").replace("/", "-"): file
        for file in files
        if file.startswith(_TABLES)
    }
    if any(file.startswith(_TEXTS) for file in files):
        tables["all-texts"] = f"{_TEXTS}*.parquet"
    configurations = [f"- config_name: {table}\n  data_files: {place}" for table, place in tables.items()]
    head = ["---", f"pretty_name: {name.partition('/')[2]}", "configs:", *configurations, "---"]
    return "\n".join([*head, "", "The tables and texts of a leaderboard made by New-Wiki Eval.", ""])
