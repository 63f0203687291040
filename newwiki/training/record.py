"""What a checkpoint was fitted to: a file beside its weights, by which a leak can be seen."""

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
    """`request` is all that decides the weights, `articles` the training set, those held out for validation among them.

    `model` is what the training began with by name, and `before` that model's own record, if it has one;
    `checked_against` are the snapshots that were looked through for these articles; `facts` are what a reader wants to
    know beside it. `latest_text` is the day (UTC) of the latest revision among the articles, None in records of older
    versions; `base_cutoff` the knowledge cutoff of what the training began with, None where nobody knew it.
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
        """The name of the training: the same request has the same."""
        return hashlib.sha256(json.dumps(self.request, sort_keys=True).encode()).hexdigest()

    @property
    def everything(self) -> list[Trained]:
        """The articles that any training up to here has read."""
        return [*self.articles, *(self.before.everything if self.before else ())]

    @property
    def snapshots(self) -> list[str]:
        """The ids of the snapshots that they come from."""
        own = [one["snapshot_id"] for one in self.request["snapshots"]]
        return list(dict.fromkeys([*own, *(self.before.snapshots if self.before else ())]))

    @property
    def read_until(self) -> date | None:
        """The day of the latest text that any training up to here has read, as far as is known. The model can have seen
        what is later than that only in what all of it began with."""
        known = [self.latest_text, self.before.read_until if self.before else None]
        return max((day for day in known if day), default=None)

    @property
    def knowledge_cutoff(self) -> date | None:
        """The last day of what the model can have seen: of what it began with or of what it has read here, whichever
        is later. None where either is not known: `read_until` alone is only a day that it cannot be before."""
        if self.latest_text is None or self.base_cutoff is None:
            return None
        return max(self.latest_text, self.base_cutoff)


def set_sha256(articles: Iterable[Trained]) -> str:
    """The hash of a training set: wiki, page id and the hash of the text of each article, in whatever order."""
    lines = sorted(f"{one.wiki}\0{one.page_id}\0{one.text_sha256}\n" for one in articles)
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def shared(trained: Iterable[Trained], wiki: str, articles: Iterable[Article]) -> list[Article]:
    """Those of a wiki's articles that were trained on: by page, by title, or, from whatever wiki, by the very text."""
    seen = list(trained)
    pages = {one.page_id for one in seen if one.wiki == wiki}
    titles = {one.title for one in seen if one.wiki == wiki}
    texts = {one.text_sha256 for one in seen}
    return [one for one in articles if one.page_id in pages or one.title in titles or one.text_sha256 in texts]


def write(record: TrainingRecord, folder: Path) -> None:
    """The file appears whole or not at all."""
    part = folder / f"{FILE}.part"
    part.write_text(json.dumps(_written(record), ensure_ascii=False, indent=1) + "\n", "utf-8")
    part.replace(folder / FILE)


def read(folder: Path) -> TrainingRecord | None:
    """The record in a checkpoint's folder; None where there is none. Raises TerminalError for one that is broken."""
    file = folder / FILE
    if not file.is_file():
        return None
    try:
        return _read(read_object(file.read_bytes(), f"'{file}'"))
    except (TerminalError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise TerminalError(
            f"'{file}' is not what `newwiki finetune` writes ({type(error).__name__}: {error}), so nobody can tell "
            "what the model was trained on; put the true one in its place, or take it away if it is not yours"
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
        "articles": [asdict(one) for one in record.articles],
        "before": _written(record.before) if record.before else None,
    }


def _read(values: dict[str, Any]) -> TrainingRecord:
    if values["format"] != _FORMAT:
        raise ValueError(f"format {values['format']} is not {_FORMAT}")
    record = TrainingRecord(
        values["request"],
        [Trained(**one) for one in values["articles"]],
        values["model"],
        _read(values["before"]) if values["before"] else None,
        values["checked_against"],
        values["facts"],
        _day(values.get("latest_text")),
        _day(values.get("base_cutoff")),
    )
    if record.sha256 != values["sha256"] or set_sha256(record.articles) != record.request["training_set_sha256"]:
        raise ValueError("its hashes do not fit")
    return record


def _day(written: str | None) -> date | None:
    """Records of older versions have none."""
    return None if written is None else date.fromisoformat(written)
