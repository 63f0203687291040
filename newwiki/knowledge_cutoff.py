"""Find the last day of what a model can have seen, and decide which of several sources counts."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Literal, get_args

from newwiki.errors import TerminalError, UsageError
from newwiki.snapshot import Window
from newwiki.training import record

Origin = Literal["asked", "newwiki.toml", "training", "model card"]
ORIGINS: tuple[Origin, ...] = get_args(Origin)  # in order of precedence
CARD = "README.md"
# The hub's specification of model cards has no field for it; these are common names, ignoring - and case.
_FIELDS = (
    "knowledge_cutoff", "knowledge_cutoff_date", "training_cutoff", "training_cutoff_date", "training_data_cutoff",
    "data_cutoff", "cutoff_date",
)  # fmt: skip


@dataclass(frozen=True)
class KnowledgeCutoff:
    """The last `day` of what a model can have seen, in UTC, and the source of this information."""

    day: date
    origin: Origin

    def __str__(self) -> str:
        return f"{self.day} ({self.origin})"


def last_day(written: object) -> date:
    """Return the last day of the month for `2025-06`; for `2025-06-17`, or a date, that day. Raises ValueError."""
    if type(written) is date:
        return written
    if isinstance(written, str):
        try:
            if re.fullmatch(r"\d{4}-\d\d-\d\d", written):
                return date.fromisoformat(written)
            return Window.month(written).end.date() - timedelta(days=1)
        except (ValueError, UsageError):
            pass
    raise ValueError(f"'{written}' is neither a month nor a day; write it as 2025-06 or 2025-06-30")


def known_cutoff(
    model: str, asked: str | None, configured: Mapping[str, date], folder: Path | None = None
) -> KnowledgeCutoff | None:
    """Return the known cutoff of a model: the day `asked` for it, or `configured` for its name in newwiki.toml, or the
    day in its training record, or in its card; the last two are read from its `folder`, if it has one.

    Returns None if no source has it. Raises UsageError if the model was trained here on later texts than that day, and
    TerminalError for a card that cannot be understood, unless a source with precedence has the day.
    """
    trained = record.read(folder) if folder else None
    cutoff = _stated(model, asked, configured, folder, trained)
    if cutoff and trained and trained.read_until and cutoff.day < trained.read_until:
        raise UsageError(
            f"the knowledge cutoff of '{model}' cannot be {cutoff}: it was trained here on texts up to "
            f"{trained.read_until}; correct the cutoff"
        )
    return cutoff


def of_card(folder: Path) -> date | None:
    """Return the day in the front matter of a checkpoint's README.md; None if it has none. Raises TerminalError."""
    file = folder / CARD
    if not file.is_file():
        return None
    fields = {name: value for name, value in _front_matter(file).items() if _plain(name) in _FIELDS}
    days = set()
    for name, value in fields.items():
        try:
            days.add(last_day(value))
        except ValueError as error:
            raise TerminalError(f"'{file}': {name}: {error}; {_REMEDY}") from None
    if len(days) > 1:
        raise TerminalError(f"'{file}': {', '.join(map(str, fields))} are different days; {_REMEDY}")
    return next(iter(days), None)


_REMEDY = "correct it, or set the right day under [knowledge_cutoffs] in newwiki.toml"


def _stated(
    model: str,
    asked: str | None,
    configured: Mapping[str, date],
    folder: Path | None,
    trained: record.TrainingRecord | None,
) -> KnowledgeCutoff | None:
    if asked:
        return KnowledgeCutoff(last_day(asked), "asked")
    if model in configured:
        return KnowledgeCutoff(configured[model], "newwiki.toml")
    if trained and trained.knowledge_cutoff:
        return KnowledgeCutoff(trained.knowledge_cutoff, "training")
    day = of_card(folder) if folder else None
    return KnowledgeCutoff(day, "model card") if day else None


def _front_matter(file: Path) -> Mapping[object, object]:
    from huggingface_hub.repocard import metadata_load

    try:
        return metadata_load(file) or {}
    except Exception as error:
        reason = " ".join(str(error).split())
        raise TerminalError(
            f"the front matter of '{file}' is not YAML of names and values ({reason}); {_REMEDY}"
        ) from error


def _plain(name: object) -> str:
    return re.sub(r"[-\s]+", "_", str(name).lower())
