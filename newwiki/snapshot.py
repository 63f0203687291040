"""What a snapshot is made of, from a window to its articles: frozen records, all times in UTC."""

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Literal, Self

from newwiki.errors import TerminalError, UsageError

Verdict = Literal[
    "selected",
    "not_sampled",
    "near_duplicate",
    "redirect",
    "disambiguation",
    "few_words",
    "no_sentence",
    "mostly_lists",
    "one_sentence",
    "few_revisions",
    "hidden",
    "missing",
    "moved",
]
Origin = Literal["original", "translation", "split"]
Absence = Literal["hidden", "missing", "moved", "redirect"]
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Window:
    """The half-open span of creation times `start <= t < end`."""

    start: datetime
    end: datetime

    def __post_init__(self) -> None:
        if self.start >= self.end:
            raise UsageError(
                f"the window is empty: it starts {self.start:%Y-%m-%d} and ends {self.end:%Y-%m-%d}; swap them"
            )

    @classmethod
    def month(cls, text: str) -> Self:
        """The calendar month `YYYY-MM`. Raises UsageError for anything else."""
        if not re.fullmatch(r"\d{4}-(0[1-9]|1[0-2])", text) or text[:4] in ("0000", "9999"):
            raise UsageError(f"'{text}' is not a month; write it as 2026-10")
        year, month = int(text[:4]), int(text[5:])
        return cls(datetime(year, month, 1, tzinfo=UTC), datetime(year + month // 12, month % 12 + 1, 1, tzinfo=UTC))

    @classmethod
    def days(cls, first: date, last: date) -> Self:
        """From the start of day `first` to the end of day `last`, both counted in."""
        if last == date.max:
            raise UsageError(f"{last} is the last day that there is here; name an earlier one")
        ordinal = last.toordinal() + 1
        return cls(
            datetime(first.year, first.month, first.day, tzinfo=UTC),
            datetime.combine(date.fromordinal(ordinal), datetime.min.time(), tzinfo=UTC),
        )

    @classmethod
    def before(cls, day: date) -> Self:
        """All that was created before `day`: it starts at the epoch (1970), when there was no wiki yet."""
        return cls(_EPOCH, datetime(day.year, day.month, day.day, tzinfo=UTC))

    @property
    def is_old(self) -> bool:
        """Whether it reaches back to the epoch, as only `before` makes it."""
        return self.start == _EPOCH

    @property
    def label(self) -> str:
        """`2026-10` for a calendar month, `old-before-2020-01-01` for all before a day, `20261001-20261015` (both days
        counted in) for anything else."""
        if self.is_old:
            return f"old-before-{self.end:%Y-%m-%d}"
        if self == self.month(f"{self.start:%Y-%m}"):
            return f"{self.start:%Y-%m}"
        last = date.fromordinal(self.end.date().toordinal() - 1)
        return f"{self.start:%Y%m%d}-{last:%Y%m%d}"

    def __contains__(self, moment: datetime) -> bool:
        return self.start <= moment < self.end


@dataclass(frozen=True)
class Selection:
    """What a page must be to enter a snapshot (paper 003, New-Wiki Dataset), and how many are drawn.

    With `limit` only the so many pages that were created first are looked at.
    """

    min_revisions: int = 10
    min_words: int = 500
    sample: int = 3000
    seed: int = 0
    limit: int | None = None


# The old articles beside the new ones (paper 003, experiment 3)
OLD_SELECTION = Selection(min_words=400, sample=2000)


@dataclass(frozen=True)
class Site:
    """A wiki as it names itself: its database name, the language of its content, the address of its pages, and the
    licence of its texts in its own words with an address; a dump knows of no licence."""

    wiki: str
    language: str
    base_url: str
    licence: str | None = None
    licence_url: str | None = None

    def __post_init__(self) -> None:
        if not re.fullmatch(r"\w[\w-]*", self.wiki):
            raise TerminalError(
                f"the wiki calls its database '{self.wiki[:60]}', which cannot be part of a snapshot's name; letters, "
                "digits, _ and - can"
            )


@dataclass(frozen=True)
class Page:
    """A page as a source gives it: its wikitext at the cutoff, or why there is none.

    `revisions` counts those up to the cutoff, but never beyond the number that was asked for; None where the source
    has not been asked yet. `summary` and `tags` are those of the edit that created the page; a dump has no tags.
    `stepped_over` says why it is not the revision at the cutoff, where it is another.
    """

    page_id: int
    title: str
    created_at: datetime
    rev_id: int | None = None
    revised_at: datetime | None = None
    revisions: int | None = None
    wikitext: str | None = None
    absent: Absence | None = None
    summary: str = ""
    tags: tuple[str, ...] = ()
    stepped_over: str = ""


@dataclass(frozen=True, kw_only=True)
class Judged:
    """A page and what became of it: the row that a candidate gets, and its text where it passed.

    `sha1` is that of its wikitext, in hexadecimal digits; None where there is no wikitext to be had. `structure` is its
    `newwiki.text.structure.Structure` in JSON; None where it has not passed, and where that was not read.
    """

    page_id: int
    title: str
    created_at: datetime
    verdict: Verdict
    detail: str | None = None
    rev_id: int | None = None
    revised_at: datetime | None = None
    revisions: int | None = None
    words: int | None = None
    first_sentence: str | None = None
    completion: str | None = None
    sha1: str | None = None
    origin: Origin = "original"
    headings: str | None = None
    structure: str | None = None


@dataclass(frozen=True, kw_only=True)
class Snapshot:
    """A published test set: what was asked for, when it was cut, and the hash of what it holds.

    Language and licence are as the wiki named them; None where it was not asked, or said nothing.
    """

    snapshot_id: str
    wiki: str
    kind: str
    window_start: datetime
    window_end: datetime
    cutoff: datetime
    parameters: str
    extractor_version: str
    candidates: int
    articles: int
    content_sha256: str
    published_at: datetime
    language: str | None = None
    licence: str | None = None
    licence_url: str | None = None


@dataclass(frozen=True, kw_only=True)
class Article:
    """A page of a snapshot: what stood there at the cutoff, split into prompt and completion.

    `sha1` is that of the revision's wikitext, in hexadecimal digits, and MediaWiki's own; None in a snapshot that was
    published before it was kept. `headings` is a JSON list of [level, title, offset]: where in the prose the text below
    a heading begins.
    """

    page_id: int
    rev_id: int
    title: str
    created_at: datetime
    revised_at: datetime
    revisions: int
    words: int
    first_sentence: str
    completion: str
    text_sha256: str
    sha1: str | None = None
    headings: str = "[]"


@dataclass(frozen=True)
class Nearest:
    """The earlier text that an article is most similar to (Jaccard index, 0 … 1), or None where there is none."""

    page_id: int
    nearest_title: str | None = None
    nearest_snapshot_id: str | None = None
    similarity: float | None = None


@dataclass(frozen=True)
class Topic:
    """What an article is about: its Wikidata item, the classes that is an instance of, and the coarse type of those."""

    page_id: int
    wikibase_item: str | None
    instance_of: tuple[str, ...]
    topic: str | None


@dataclass(frozen=True)
class Requests:
    """What a wiki was asked for, of one kind: all requests, how many of them were repetitions, the bytes that came
    (as they came, compressed), and the seconds until the answers were there, waits included."""

    kind: str
    requests: int
    retries: int
    bytes: int
    seconds: float
