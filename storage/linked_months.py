"""The runs that months can be linked by."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from newwiki.decoding.grammar import short_form
from newwiki.protocol import Settings
from storage.database import Database

_UNKNOWN = "unknown"  # the hash of weights that nobody has seen


@dataclass(frozen=True, kw_only=True)
class LinkableRun:
    """A scored run, or a snapshot's articles, which nobody was asked for. `written_at` is when the run was finished, or
    begun where it is not; None where nobody knows."""

    run_id: str
    model: str
    model_sha256: str
    decoder: str
    snapshot_id: str
    versions: str
    settings_json: str | None
    written_at: datetime | None

    @property
    def latest(self) -> tuple[float, str]:
        """Sorts runs by time, those of unknown time first. The id only decides between runs of the same time."""
        return self.written_at.timestamp() if self.written_at else 0.0, self.run_id

    @property
    def settings(self) -> Settings | None:
        found: Settings | None = json.loads(self.settings_json) if self.settings_json else None
        return found

    @property
    def identified_model(self) -> str:
        """Its weights' hash; of texts from elsewhere, whose model nobody has seen, its name."""
        return self.model if self.model_sha256 == _UNKNOWN else self.model_sha256

    @property
    def has_known_weights(self) -> bool:
        """Whether its weights were hashed, so that another model of the same name is told apart."""
        return self.model_sha256 != _UNKNOWN

    @property
    def same(self) -> tuple[object, ...]:
        """What it shares with the runs of the same model, decoder, dtype and backend on other snapshots."""
        asked = self.settings or {}
        others = {name: value for name, value in json.loads(self.versions).items() if name.endswith("_sha256")}
        return (
            self.identified_model,
            self.decoder,
            asked.get("dtype"),
            asked.get("backend"),
            json.dumps(others, sort_keys=True),
        )

    @property
    def words(self) -> str:
        return f"{self.model}/{short_form(self.decoder)}"

    def is_called(self, name: str) -> bool:
        """Whether `MODEL/DECODER` ends so."""
        return any(f"/{whole}".endswith(f"/{name}") for whole in (self.words, f"{self.model}/{self.decoder}"))


def linkable_runs(database: Database, snapshot_ids: Sequence[str]) -> list[LinkableRun]:
    return database.records(LinkableRun, "linkable_runs", list(snapshot_ids))


def share_articles(database: Database, one: str, other: str) -> int:
    ((shared,),) = database.rows("shared_articles", one, other)
    return int(shared)
