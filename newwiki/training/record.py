"""Store what a checkpoint was trained on in a file next to its weights, which reveals leaks."""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from newwiki.errors import TerminalError
from newwiki.foreign_json import read_object
from newwiki.snapshot import Article

FILE = "newwiki_training.json"
_FORMAT = 1


@dataclass(frozen=True)
class Trained:
    """An article of a training set."""

    wiki: str
    page_id: int
    title: str
    text_sha256: str


@dataclass(frozen=True)
class TrainingRecord:
    """`request` holds everything that decides the weights, `articles` the training set, including those held out for
    validation.

    `model` is the name of the model that the training began with, and `before` that model's own record, if it has one.
    `checked_against` lists the snapshots that were searched for these articles; `facts` holds further information for
    readers. `latest_text` is the day (UTC) of the latest revision among the articles, None in records of older
    versions. `base_cutoff` is the knowledge cutoff of the initial model, None if it was unknown.
    """

    request: Mapping[str, Any]
    articles: Sequence[Trained]
    model: str = ""
    before: "TrainingRecord | None" = None
    checked_against: Sequence[str] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)
    latest_text: date | None = None
    base_cutoff: date | None = None

    @property
    def sha256(self) -> str:
        """The identity of the training: equal requests have equal hashes."""
        return hashlib.sha256(json.dumps(self.request, sort_keys=True).encode()).hexdigest()

    @property
    def everything(self) -> list[Trained]:
        """The articles that this training and all earlier ones have read."""
        return [*self.articles, *(self.before.everything if self.before else ())]

    @property
    def snapshots(self) -> list[str]:
        """The ids of the snapshots of these articles."""
        own = [snapshot["snapshot_id"] for snapshot in self.request["snapshots"]]
        return list(dict.fromkeys([*own, *(self.before.snapshots if self.before else ())]))

    @property
    def read_until(self) -> date | None:
        """The day of the latest text that this training and all earlier ones have read, as far as known. Only the
        initial model can have seen anything later."""
        known = [self.latest_text, self.before.read_until if self.before else None]
        return max((day for day in known if day), default=None)

    @property
    def knowledge_cutoff(self) -> date | None:
        """The last day of what the model can have seen, initially or in training, whichever is later. None if either is
        unknown; `read_until` alone is only a lower bound."""
        if self.latest_text is None or self.base_cutoff is None:
            return None
        return max(self.latest_text, self.base_cutoff)


def set_sha256(articles: Iterable[Trained]) -> str:
    """Return the hash of a training set, from wiki, page id and text hash of each article, in any order."""
    lines = sorted(f"{article.wiki}\0{article.page_id}\0{article.text_sha256}\n" for article in articles)
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def shared(trained: Iterable[Trained], wiki: str, articles: Iterable[Article]) -> list[Article]:
    """Return the articles of a wiki that were trained on: matched by page, by title, or, from any wiki, by text."""
    seen = list(trained)
    pages = {article.page_id for article in seen if article.wiki == wiki}
    titles = {article.title for article in seen if article.wiki == wiki}
    texts = {article.text_sha256 for article in seen}
    return [
        article
        for article in articles
        if article.page_id in pages or article.title in titles or article.text_sha256 in texts
    ]


def write(record: TrainingRecord, folder: Path) -> None:
    """Write the record atomically."""
    part = folder / f"{FILE}.part"
    part.write_text(json.dumps(_written(record), ensure_ascii=False, indent=1) + "\n", "utf-8")
    part.replace(folder / FILE)


def read(folder: Path) -> TrainingRecord | None:
    """Read the record in a checkpoint's folder; None if there is none. Raises TerminalError for a broken one."""
    file = folder / FILE
    if not file.is_file():
        return None
    try:
        return _read(read_object(file.read_bytes(), f"'{file}'"))
    except (TerminalError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise TerminalError(
            f"'{file}' is not a record of `newwiki finetune` ({type(error).__name__}: {error}), so it is unknown what "
            "the model was trained on; restore the original file, or delete it if it does not belong to this model"
        ) from None


def _written(record: TrainingRecord) -> dict[str, Any]:
    return {
        "format": _FORMAT,
        "sha256": record.sha256,
        "model": record.model,
        "request": record.request,
        "checked_against": record.checked_against,
        "facts": record.facts,
        "latest_text": record.latest_text and record.latest_text.isoformat(),
        "base_cutoff": record.base_cutoff and record.base_cutoff.isoformat(),
        "articles": [asdict(article) for article in record.articles],
        "before": _written(record.before) if record.before else None,
    }


def _read(values: dict[str, Any]) -> TrainingRecord:
    if values["format"] != _FORMAT:
        raise ValueError(f"format {values['format']} is not {_FORMAT}")
    record = TrainingRecord(
        values["request"],
        [Trained(**article) for article in values["articles"]],
        values["model"],
        _read(values["before"]) if values["before"] else None,
        values["checked_against"],
        values["facts"],
        _day(values.get("latest_text")),
        _day(values.get("base_cutoff")),
    )
    if record.sha256 != values["sha256"] or set_sha256(record.articles) != record.request["training_set_sha256"]:
        raise ValueError("its hashes do not match its content")
    return record


def _day(written: str | None) -> date | None:
    """Parse a date, which records of older versions lack."""
    return None if written is None else date.fromisoformat(written)
