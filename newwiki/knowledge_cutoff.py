"""The last day of what a model can have seen: who says so, and whom to believe where several do."""

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
ORIGINS: tuple[Origin, ...] = get_args(Origin)  # what stands first goes before the others
CARD = "README.md"
# The hub's specification of model cards has no field for it; these are what people call it, - and capitals aside.
_FIELDS = (
    "knowledge_cutoff", "knowledge_cutoff_date", "training_cutoff", "training_cutoff_date", "training_data_cutoff",
    "data_cutoff", "cutoff_date",
)  # fmt: skip


@dataclass(frozen=True)
class KnowledgeCutoff:
    """The last `day` of what a model can have seen, in UTC, and who says so."""

    day: date
    origin: Origin

    def __str__(self) -> str:
        return f"{self.day} ({self.origin})"


def last_day(said: object) -> date:
    """The last day of the month for `2025-06`; for `2025-06-17`, or a date, that day. Raises ValueError."""
    if type(said) is date:
        return said
    if isinstance(said, str):
        try:
            if re.fullmatch(r"\d{4}-\d\d-\d\d", said):
                return date.fromisoformat(said)
            return Window.month(said).end.date() - timedelta(days=1)
        except (ValueError, UsageError):
            pass
    raise ValueError(f"'{said}' is neither a month nor a day; write it as 2025-06 or 2025-06-30")


def known_cutoff(
    model: str, asked: str | None, configured: Mapping[str, date], folder: Path | None = None
) -> KnowledgeCutoff | None:
    """What is known of a model: what is `asked` for it, or what newwiki.toml has `configured` for its name, or what the
    record of its training says, or its card; the last two are read in its `folder`, where it has one.

    None where nobody says. Raises UsageError for a model that was trained here on later texts than is said of it, and
    TerminalError for a card that cannot be understood, unless something goes before it.
    """
    made = record.read(folder) if folder else None
    found = _said(model, asked, configured, folder, made)
    if found and made and made.read_until and found.day < made.read_until:
        raise UsageError(
            f"the knowledge cutoff of '{model}' cannot be {found}: it was trained here on texts of {made.read_until}"
        )
    return found


def of_card(folder: Path) -> date | None:
    """What the front matter of a checkpoint's README.md says; None where it says nothing. Raises TerminalError."""
    file = folder / CARD
    if not file.is_file():
        return None
    said = {name: value for name, value in _front_matter(file).items() if _plain(name) in _FIELDS}
    days = set()
    for name, value in said.items():
        try:
            days.add(last_day(value))
        except ValueError as error:
            raise TerminalError(f"'{file}': {name}: {error}; {_REMEDY}") from None
    if len(days) > 1:
        raise TerminalError(f"'{file}': {', '.join(map(str, said))} are different days; {_REMEDY}")
    return next(iter(days), None)


_REMEDY = "mend it, or say what holds under [knowledge_cutoffs] in newwiki.toml"


def _said(
    model: str,
    asked: str | None,
    configured: Mapping[str, date],
    folder: Path | None,
    made: record.TrainingRecord | None,
) -> KnowledgeCutoff | None:
    if asked:
        return KnowledgeCutoff(last_day(asked), "asked")
    if model in configured:
        return KnowledgeCutoff(configured[model], "newwiki.toml")
    if made and made.knowledge_cutoff:
        return KnowledgeCutoff(made.knowledge_cutoff, "training")
    day = of_card(folder) if folder else None
    return KnowledgeCutoff(day, "model card") if day else None


def _front_matter(file: Path) -> Mapping[object, object]:
    from huggingface_hub.repocard import metadata_load

    try:
        return metadata_load(file) or {}
    except Exception as error:
        said = " ".join(str(error).split())
        raise TerminalError(
            f"the front matter of '{file}' is not YAML of names and values ({said}); {_REMEDY}"
        ) from error


def _plain(name: object) -> str:
    return re.sub(r"[-\s]+", "_", str(name).lower())
