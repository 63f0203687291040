"""Find the runs that can link the scores of different months."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from newwiki.decoding.grammar import short_form
from newwiki.protocol import Settings
from storage.database import Database

_UNKNOWN = "unknown"  # the hash of weights that were never read


@dataclass(frozen=True, kw_only=True)
class LinkableRun:
    """A scored run, or the articles of a snapshot, which no model wrote.

    `written_at` is when the run was finished, or when it was started if it is not finished; None if neither is known.
    """

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
        """The sort key by time. Runs of unknown time come first, and the id orders runs of the same time."""
        return self.written_at.timestamp() if self.written_at else 0.0, self.run_id

    @property
    def settings(self) -> Settings | None:
        settings: Settings | None = json.loads(self.settings_json) if self.settings_json else None
        return settings

    @property
    def identified_model(self) -> str:
        """The hash of the model's weights, or the model's name if the weights were never read."""
        return self.model if self.model_sha256 == _UNKNOWN else self.model_sha256

    @property
    def has_known_weights(self) -> bool:
        """Return whether the weights were hashed, so that two models with the same name can be distinguished."""
        return self.model_sha256 != _UNKNOWN

    @property
    def same(self) -> tuple[object, ...]:
        """The properties that the runs of one model share on different snapshots.

        These are the model, the decoder, the dtype, the backend and the hashes in `versions`.
        """
        settings = self.settings or {}
        others = {name: value for name, value in json.loads(self.versions).items() if name.endswith("_sha256")}
        return (
            self.identified_model,
            self.decoder,
            settings.get("dtype"),
            settings.get("backend"),
            json.dumps(others, sort_keys=True),
        )

    @property
    def words(self) -> str:
        return f"{self.model}/{short_form(self.decoder)}"

    def is_called(self, name: str) -> bool:
        """Return whether `MODEL/DECODER` ends with `name`."""
        return any(f"/{whole}".endswith(f"/{name}") for whole in (self.words, f"{self.model}/{self.decoder}"))


def linkable_runs(database: Database, snapshot_ids: Sequence[str]) -> list[LinkableRun]:
    return database.records(LinkableRun, "linkable_runs", list(snapshot_ids))


def share_articles(database: Database, snapshot_a: str, snapshot_b: str) -> int:
    ((shared,),) = database.rows("shared_articles", snapshot_a, snapshot_b)
    return int(shared)
