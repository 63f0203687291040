"""Build the notice of a month: the snapshot, the results and the failures."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from flows.comparing.board import Board, board
from flows.comparing.bounds import GateResult
from flows.presenting.tables import plain_record
from flows.schedule.due import Month
from newwiki.decoding.grammar import short_form
from newwiki.levels import VERIFIED
from newwiki.private_places import public_name
from newwiki.snapshot import Snapshot
from storage.database import Database
from storage.public_rows import public_row


@dataclass(frozen=True)
class MonthGate:
    """A bound of a registered gate, judged on the month's runs."""

    baseline: str
    candidate: str
    result: GateResult
    is_closed: bool

    def __str__(self) -> str:
        names = f"{public_name(self.candidate)} against {public_name(self.baseline)}"
        return f"{names}: {self.result.bound} {self.result.outcome}"


@dataclass(frozen=True)
class MonthEnding:
    """The outcome of a month.

    `failures` maps each failed step to its reason; a failed gate is a result, not a failure.
    """

    month: Month
    snapshot: Snapshot | None
    report: Path | None
    site: Path | None
    gates: tuple[MonthGate, ...]
    failures: dict[str, str]
    held_up: bool = False

    @property
    def complete(self) -> bool:
        return not self.failures

    @property
    def key(self) -> str:
        """A hash that is the same for the same ending, independent of the wording of errors."""
        snapshot = self.snapshot.content_sha256 if self.snapshot else None
        facts = [str(self.month), self.month.registered_sha256, snapshot, sorted(self.failures)]
        return hashlib.sha256(json.dumps(facts).encode()).hexdigest()[:32]

    @property
    def site_address(self) -> str | None:
        """The public address of the site, or its folder if no address is registered; None without a site."""
        registered = self.month.registered.site
        return ((registered.address if registered else None) or str(self.site)) if self.site else None

    @property
    def trouble(self) -> str:
        """A one-line description of all failures and failed gates, or an empty string."""
        parts = [f"{what}: {why}" for what, why in self.failures.items()]
        parts += [f"the gate is closed: {gate}" for gate in self.gates if gate.is_closed]
        return "; ".join(parts)

    def __str__(self) -> str:
        published = (
            f"{self.snapshot.snapshot_id}, {self.snapshot.articles} articles" if self.snapshot else "not published"
        )
        return f"{self.month}: {'; '.join(filter(None, [published, self.trouble]))}"


def notice(database: Database, ending: MonthEnding) -> dict[str, Any]:
    """Return the ending as JSON, with public model names.

    `text` summarizes it in one line, for chats that show only that key.
    """
    snapshot = ending.snapshot
    return {
        "text": str(ending),
        "key": ending.key,
        "wiki": ending.month.wiki.name,
        "month": ending.month.label,
        "complete": ending.complete,
        "snapshot": {name: _plain(value) for name, value in asdict(snapshot).items()} if snapshot else None,
        "funnel": {verdict: pages for verdict, pages, *_ in database.rows("funnel", snapshot.snapshot_id)}
        if snapshot
        else {},
        "leaderboard": _rows(database, snapshot) if snapshot else [],
        "report": str(ending.report) if ending.report else None,
        "site": ending.site_address,
        "gates": [_gate(gate) for gate in ending.gates],
        "failures": [{"what": what, "why": why} for what, why in ending.failures.items()],
    }


def _rows(database: Database, snapshot: Snapshot) -> list[dict[str, Any]]:
    shown = board(database, snapshot.snapshot_id, prefer=())
    about = tuple(name for name in shown.about if name not in ("decoder", "snapshot_id"))
    return [
        public_row(plain_record(record, about) | {"decoder": short_form(record["decoder"])})
        | {"means": {column.name: record[column.name] for column in shown.columns if record[column.name] is not None}}
        | {"fewer_texts": _other_than(record, shown, "_status", "ok")}
        | {"levels": _other_than(record, shown, "_level", VERIFIED)}
        for record in shown.records
    ]


def _other_than(record: Mapping[str, Any], shown: Board, part: str, usual: str) -> dict[str, str]:
    """Return this part of each column by column name, if its value differs from `usual`."""
    values = {column.name: record[column.name + part] for column in shown.columns}
    return {name: value for name, value in values.items() if value not in (None, usual)}


def _gate(gate: MonthGate) -> dict[str, Any]:
    difference = gate.result.difference
    return {
        "baseline": public_name(gate.baseline),
        "candidate": public_name(gate.candidate),
        "fails_if": str(gate.result.bound),
        "difference": [difference.difference, difference.low, difference.high],
        "no_interval": difference.no_interval,
        "outcome": gate.result.outcome,
    }


def _plain(value: object) -> object:
    return value if isinstance(value, str | int) else str(value)
