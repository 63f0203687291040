"""Every function that reads a file which a person names ends with one error where a named pipe or a device is named."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evaluators.negative_words import Lexicon
from flows.bundles.archive import Archive
from flows.bundles.keys import read_private, trusted_keys
from flows.evidence.evidence_pages import _Table
from flows.training.scorer_training import read_graded
from newwiki.errors import NewWikiError
from newwiki.foreign_files import open_regular, read_regular, read_regular_text
from newwiki.generations import read_generations
from newwiki.judging.rubric import read_rubric
from newwiki.manifest import Manifest
from newwiki.prompting.prompt_files import read_text
from newwiki.settings import read_toml
from newwiki.sources.unpacking import unpacked
from newwiki.training.corpus_files import _of_csv, _of_parquet

READERS: dict[str, Callable[[Path], Any]] = {
    "bundle": Archive,
    "private key": read_private,
    "public keys": lambda path: trusted_keys([path]),
    "texts": read_generations,
    "prompts": read_text,
    "manifest": Manifest.read,
    "rubric": read_rubric,
    "configuration": read_toml,
    "lexicon": Lexicon,
    "graded texts": read_graded,
    "corpus as CSV": lambda path: list(_of_csv(path)),
    "corpus as Parquet": lambda path: list(_of_parquet(path)),
    "evidence": lambda path: _Table.find(path, "title", "text"),
}


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    os.mkfifo(tmp_path / "it.newwiki")
    return tmp_path / "it.newwiki"


@pytest.mark.timeout(20)
@pytest.mark.parametrize("reader", READERS)
def test_a_named_pipe_and_a_device_end_in_one_error(reader: str, pipe: Path) -> None:
    for path in (pipe, Path("/dev/zero"), pipe.parent / "missing"):
        with pytest.raises(NewWikiError, match=str(path)):
            READERS[reader](path)


def test_a_dump_that_is_a_named_pipe_is_refused(pipe: Path) -> None:
    with pytest.raises(OSError, match="not a regular file"), unpacked(pipe):
        pass


def test_only_a_regular_file_is_opened(tmp_path: Path, pipe: Path) -> None:
    (tmp_path / "file").write_bytes(b"\xef\xbb\xbfone\r\ntwo")
    (tmp_path / "link").symlink_to("file")
    assert read_regular(tmp_path / "link") == b"\xef\xbb\xbfone\r\ntwo"
    assert read_regular_text(tmp_path / "file", "utf-8-sig") == "one\ntwo"
    with pytest.raises(IsADirectoryError):
        open_regular(tmp_path)
    with pytest.raises(FileNotFoundError):
        open_regular(tmp_path / "missing")
    with pytest.raises(OSError, match="not a regular file"):
        open_regular(pipe)
