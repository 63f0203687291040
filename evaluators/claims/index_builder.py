"""Build the folder of an evidence index from pages; it appears when it is complete."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from evaluators.claims import index_files
from evaluators.claims.index_files import CONTENT, DERIVED, MANIFEST, PARAMETERS, Manifest, sha256_of
from evaluators.claims.mapped_files import NumberWriter, Texts, TextWriter, key
from evaluators.claims.postings import write_postings
from evaluators.claims.sorted_pages import SortedPages
from evaluators.claims.titles import name_of
from evaluators.sentences import split_sentences
from newwiki.errors import TerminalError, TransientError, UsageError

Tell = Callable[[int, int], None]
# A stage of the work with a title and a unit, as in `flows.progress`
Stretch = Callable[[str, str], AbstractContextManager[Tell]]
# Title and text, or title and sentences
PageText = tuple[str, str | Sequence[str]]

_MOST = 2**31 - 1  # sentences, because their positions are stored in 32 bits
_PASSING = ("sorted-", "counted-")  # prefixes of temporary files


def build(
    pages: Iterable[PageText], folder: Path, sources: Sequence[Mapping[str, object]], stretch: Stretch
) -> Manifest:
    """Write the index of these pages, in any order, to the new `folder`. Pages with the same title are merged; a
    sentence that occurs twice under a title is kept once, at its first position. Text is split by
    `split_sentences` as in an unknown language; pages whose language is known come as sentences.

    Until the index is complete, everything is in `FOLDER.unfinished`, which the next build removes. Raises UsageError
    if the folder exists, TransientError if another process is building it, TerminalError if there is no sentence.
    """
    require_new(folder)
    with _workplace(folder) as place:
        sorted_pages = SortedPages(place)
        empty = 0
        for title, text in pages:
            sentences = (
                split_sentences(text, None) if isinstance(text, str) else [" ".join(part.split()) for part in text]
            )
            if kept := [sentence for sentence in sentences if sentence]:
                sorted_pages.add(" ".join(title.split()), kept)
            empty += not kept
        manifest = _write(sorted_pages, place, sources, empty, stretch)
        manifest.write(place)
        os.replace(place, folder)
    return manifest


def require_new(folder: Path) -> None:
    """Raise UsageError if the folder exists."""
    if folder.exists():
        raise UsageError(f"'{folder}' already exists; name a new folder with --out")


def verify(folder: Path, stretch: Stretch) -> Manifest:
    """Read every byte of an index, and rebuild its search files. Raises the errors of `read_manifest` and
    `require_hashes`, and TerminalError if a rebuilt file differs."""
    manifest = index_files.read_manifest(folder)
    index_files.require_hashes(folder, manifest, sha256_of)
    with TemporaryDirectory(prefix="newwiki-") as place:
        _derive(folder, Path(place), stretch)
        for name in DERIVED:
            if sha256_of(Path(place) / name) != manifest.files[name]["sha256"]:
                raise TerminalError(
                    f"'{folder / name}' does not match the sentences; "
                    "build the index again with `newwiki evidence build`"
                )
    return manifest


def _write(
    pages: SortedPages, place: Path, sources: Sequence[Mapping[str, object]], empty: int, stretch: Stretch
) -> Manifest:
    count, sentences = _write_content(pages, place, stretch)
    if not sentences:
        raise TerminalError("none of the pages has a sentence, so there would be no evidence; pass other pages")
    words = _derive(place, place, stretch)
    files = index_files.described(place, sha256_of)
    return Manifest(
        content_sha256=index_files.content_sha256(PARAMETERS, files),
        parameters=PARAMETERS,
        sources=tuple(sources),
        pages=count,
        sentences=sentences,
        words=words,
        without_sentences=empty,
        repeated=pages.sentences - sentences,
        files=files,
    )


def _write_content(pages: SortedPages, folder: Path, stretch: Stretch) -> tuple[int, int]:
    """Write titles and sentences; return how many."""
    count = end = 0
    with (
        stretch("sorting", "sentences") as tell,
        TextWriter(folder, "titles") as titles,
        TextWriter(folder, "sentences") as sentences,
        NumberWriter(folder / "page.ends") as ends,
        NumberWriter(folder / "sentence.places") as places,
    ):
        for count, (title, found) in enumerate(pages.by_title(), start=1):  # noqa: B007 (it is the number of pages)
            end += len(found)
            titles.add([title])
            sentences.add(found)
            places.add(list(found.values()))
            ends.add([end])
            tell(end, pages.sentences)
    if end > _MOST:
        raise TerminalError(f"{end:,} sentences are more than an evidence index can hold ({_MOST:,}); build several")
    return count, end


def _derive(content: Path, folder: Path, stretch: Stretch) -> int:
    """Write to `folder` the search files for the titles and sentences of `content`, which depend on nothing else.
    Return the number of distinct words."""
    titles = Texts(content, "titles")
    names = ((name_of(titles[page]), page) for page in range(len(titles)))
    keyed = sorted((key(name), page) for name, page in names)
    with NumberWriter(folder / "names.keys") as keys, NumberWriter(folder / "names.pages") as pages:
        keys.add(np.array([name_key for name_key, _ in keyed], np.uint64))
        pages.add([page for _, page in keyed])
    with stretch("counting words", "sentences") as tell:
        return write_postings(Texts(content, "sentences"), folder, tell)


@contextmanager
def _workplace(folder: Path) -> Iterator[Path]:
    """Lock `FOLDER.unfinished` for one process, and empty it."""
    place = folder.with_name(f"{folder.name}.unfinished")
    place.mkdir(parents=True, exist_ok=True)
    opened = os.open(place, os.O_RDONLY)
    try:
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        leftovers = list(place.iterdir())
        known = (*CONTENT, *DERIVED, MANIFEST)
        if any(file.name not in known and not file.name.startswith(_PASSING) for file in leftovers):
            raise UsageError(f"'{place}' is not an unfinished index; remove it, or name another --out")
        for file in leftovers:
            file.unlink()
        yield place
    except BlockingIOError:
        raise TransientError(f"another process is building '{folder}'; wait until it has finished") from None
    finally:
        os.close(opened)
