"""The records of a snapshot, from a window to its articles: frozen, with all times in UTC."""

import hashlib
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
    "many_holes",
    "one_sentence",
    "copyright_tag",
    "deletion_tag",
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
        """Return the calendar month `YYYY-MM`. Raises UsageError for anything else."""
        if not re.fullmatch(r"\d{4}-(0[1-9]|1[0-2])", text) or text[:4] in ("0000", "9999"):
            raise UsageError(f"'{text}' is not a month; write it as 2026-10")
        year, month = int(text[:4]), int(text[5:])
        return cls(datetime(year, month, 1, tzinfo=UTC), datetime(year + month // 12, month % 12 + 1, 1, tzinfo=UTC))

    @classmethod
    def days(cls, first: date, last: date) -> Self:
        """Return the span from the start of day `first` to the end of day `last`."""
        if last == date.max:
            raise UsageError(f"{last} is the last day that dates can represent; name an earlier one")
        ordinal = last.toordinal() + 1
        return cls(
            datetime(first.year, first.month, first.day, tzinfo=UTC),
            datetime.combine(date.fromordinal(ordinal), datetime.min.time(), tzinfo=UTC),
        )

    @classmethod
    def before(cls, day: date) -> Self:
        """Return the span before `day`: it starts at the epoch (1970), before there were wikis."""
        return cls(_EPOCH, datetime(day.year, day.month, day.day, tzinfo=UTC))

    @property
    def is_old(self) -> bool:
        """Whether it starts at the epoch, as only `before` makes it."""
        return self.start == _EPOCH

    @property
    def label(self) -> str:
        """`2026-10` for a calendar month, `old-before-2020-01-01` for everything before a day, `20261001-20261015`
        (both days included) for anything else."""
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
    """The conditions for a page to enter a snapshot (paper 003, New-Wiki Dataset), and the sample size.

    With `limit`, only the first `limit` pages by creation are considered. With `max_holes`, a page is dropped if more
    than `max_holes` templates in its prose have no text.
    """

    min_revisions: int = 10
    min_words: int = 500
    sample: int = 3000
    seed: int = 0
    limit: int | None = None
    max_holes: int | None = None


# The selection of old articles that accompany new ones (paper 003, experiment 3)
OLD_SELECTION = Selection(min_words=400, sample=2000)


@dataclass(frozen=True)
class Site:
    """A wiki by its own description: its database name, the language of its content, the address of its pages, and the
    license of its texts with an address; a dump has no license."""

    wiki: str
    language: str
    base_url: str
    licence: str | None = None
    licence_url: str | None = None

    def __post_init__(self) -> None:
        if not re.fullmatch(r"\w[\w-]*", self.wiki):
            raise TerminalError(
                f"the wiki's database is named '{self.wiki[:60]}', which cannot be part of a snapshot id; only "
                "letters, digits, _ and - are allowed"
            )


@dataclass(frozen=True)
class Page:
    """A page from a source: its wikitext at the cutoff, or the reason why there is none.

    `revisions` counts those up to the cutoff, but never beyond the requested maximum; None if the source has not
    counted them yet. `summary` and `tags` are those of the edit that created the page; a dump has no tags.
    `stepped_over` explains why it is not the revision at the cutoff, if it is another.
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
    """A page and its verdict: the row of a candidate, and its text if it passed.

    `sha1` is that of its wikitext, in hexadecimal digits; None if the wikitext is not available. `structure` is its
    `newwiki.text.structure.Structure` in JSON; None if it has not passed, and if the structure was not read.
    `templates` is a JSON list of the titles of the templates whose sources its text rests on; None for no such titles.
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
    templates: str | None = None


@dataclass(frozen=True)
class WaitingPage:
    """A page whose text needs templates, and their titles without the namespace."""

    page: Page
    templates: frozenset[str]


@dataclass(frozen=True)
class TemplateSource:
    """A template as of the cutoff: its title without the namespace, its revision and its wikitext, both None if there
    was no such template or its text is hidden."""

    title: str
    rev_id: int | None = None
    wikitext: str | None = None

    @property
    def sha1(self) -> str:
        """The SHA-1 of the wikitext in hexadecimal digits, as MediaWiki's."""
        return hashlib.sha1((self.wikitext or "").encode(), usedforsecurity=False).hexdigest()


def language_code(language: str | None, wiki: str) -> str:
    """Return a wiki's language as the wiki named it, or else as its database name says."""
    return language or wiki.removesuffix("wiki").replace("_", "-")


@dataclass(frozen=True, kw_only=True)
class Snapshot:
    """A published test set: what was requested, its cutoff, and the hash of its content.

    Language and license are as the wiki named them; None if it was not asked, or did not say.
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

    @property
    def language_code(self) -> str:
        """The code of the articles' language."""
        return language_code(self.language, self.wiki)


@dataclass(frozen=True, kw_only=True)
class Article:
    """A page of a snapshot: its content at the cutoff, split into prompt and completion.

    `sha1` is that of the revision's wikitext, in hexadecimal digits, and MediaWiki's own; None in a snapshot published
    before it was stored. `headings` is a JSON list of [level, title, offset], where offset is the position in the prose
    of the text below the heading.
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
    """The earlier text that an article is most similar to (Jaccard index, 0 … 1), or None if there is none."""

    page_id: int
    nearest_title: str | None = None
    nearest_snapshot_id: str | None = None
    similarity: float | None = None


@dataclass(frozen=True)
class Topic:
    """An article's topic: its Wikidata item, the item's classes (instance of), and the coarse type of those."""

    page_id: int
    wikibase_item: str | None
    instance_of: tuple[str, ...]
    topic: str | None


@dataclass(frozen=True, kw_only=True)
class Deletion:
    """What the deletion log says of a page that no longer exists: the time of its last deletion, the comment, and how
    and why it was deleted as far as the comment says so (`newwiki.text.deletion_log.Reason`).

    `status` is `ok`, or why the time or the comment is unknown; then it is None.
    """

    page_id: int
    deleted_at: datetime | None = None
    comment: str | None = None
    route: str | None = None
    criterion: str | None = None
    kinds: tuple[str, ...] | None = None
    status: str = "ok"


@dataclass(frozen=True)
class Requests:
    """Requests of one kind to a wiki: all requests, how many of them were retries, the bytes received (compressed), and
    the seconds until the answers arrived, including waits."""

    kind: str
    requests: int
    retries: int
    bytes: int
    seconds: float
