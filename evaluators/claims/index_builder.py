"""From pages to the folder of an evidence index, which appears when it is complete."""

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
# A stretch of the work with a title and a unit, as `flows.progress` has it
Stretch = Callable[[str, str], AbstractContextManager[Tell]]
# Title and text, or title and sentences
PageText = tuple[str, str | Sequence[str]]

_MOST = 2**31 - 1  # sentences, whose places are numbers of 32 bits
_PASSING = ("sorted-", "counted-")  # files that are there while an index is built


def build(
    pages: Iterable[PageText], folder: Path, sources: Sequence[Mapping[str, object]], stretch: Stretch
) -> Manifest:
    """Writes the index of these pages, in any order, to the new `folder`. Pages of one title count as one; a sentence
    that stands under it twice is kept once, where it stands first. Sentences of a text are those of `split_sentences`.

    Until it is complete all is in `FOLDER.unfinished`, which the next build takes away. Raises UsageError where the
    folder is there, TransientError where another process builds it, TerminalError where there is no sentence.
    """
    require_new(folder)
    with _workplace(folder) as place:
        sorted_pages = SortedPages(place)
        empty = 0
        for title, text in pages:
            sentences = split_sentences(text) if isinstance(text, str) else [" ".join(one.split()) for one in text]
            if said := [one for one in sentences if one]:
                sorted_pages.add(" ".join(title.split()), said)
            empty += not said
        manifest = _write(sorted_pages, place, sources, empty, stretch)
        manifest.write(place)
        os.replace(place, folder)
    return manifest


def require_new(folder: Path) -> None:
    """Raises UsageError where there is something already."""
    if folder.exists():
        raise UsageError(f"'{folder}' is there already; name a new folder with --out")


def verify(folder: Path, stretch: Stretch) -> Manifest:
    """Reads every byte of an index, and makes anew what its sentences are found by. Raises what `read_manifest` and
    `require_hashes` raise, and TerminalError where what was made anew is not what is there."""
    manifest = index_files.read_manifest(folder)
    index_files.require_hashes(folder, manifest, sha256_of)
    with TemporaryDirectory(prefix="newwiki-") as place:
        _derive(folder, Path(place), stretch)
        for name in DERIVED:
            if sha256_of(Path(place) / name) != manifest.files[name]["sha256"]:
                raise TerminalError(
                    f"'{folder / name}' is not what is made of the sentences; "
                    "build the index anew with `newwiki evidence build`"
                )
    return manifest


def _write(
    pages: SortedPages, place: Path, sources: Sequence[Mapping[str, object]], empty: int, stretch: Stretch
) -> Manifest:
    count, sentences = _write_content(pages, place, stretch)
    if not sentences:
        raise TerminalError("none of these pages has a sentence, so there is nothing to look for evidence in")
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
    """Writes titles and sentences; gives how many."""
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
        raise TerminalError(f"{end:,} sentences are more than an evidence index holds ({_MOST:,}); build several")
    return count, end


def _derive(content: Path, folder: Path, stretch: Stretch) -> int:
    """Writes to `folder` what the titles and sentences of `content` are found by, which nothing else decides. Gives the
    number of different words."""
    titles = Texts(content, "titles")
    names = ((name_of(titles[page]), page) for page in range(len(titles)))
    keyed = sorted((key(name), page) for name, page in names)
    with NumberWriter(folder / "names.keys") as keys, NumberWriter(folder / "names.pages") as pages:
        keys.add(np.array([one for one, _ in keyed], np.uint64))
        pages.add([page for _, page in keyed])
    with stretch("counting words", "sentences") as tell:
        return write_postings(Texts(content, "sentences"), folder, tell)


@contextmanager
def _workplace(folder: Path) -> Iterator[Path]:
    """`FOLDER.unfinished`, empty, for one process at a time."""
    place = folder.with_name(f"{folder.name}.unfinished")
    place.mkdir(parents=True, exist_ok=True)
    opened = os.open(place, os.O_RDONLY)
    try:
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        there = list(place.iterdir())
        if any(one.name not in (*CONTENT, *DERIVED, MANIFEST) and not one.name.startswith(_PASSING) for one in there):
            raise UsageError(f"'{place}' is no index that was begun here; take it away, or name another --out")
        for one in there:
            one.unlink()
        yield place
    except BlockingIOError:
        raise TransientError(f"another process is building '{folder}'; wait for it") from None
    finally:
        os.close(opened)
