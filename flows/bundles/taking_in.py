"""Import bundles into a database, each as a whole or not at all, and refuse contradictions between them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from flows.admitting.gate import admit, known_metrics, require_same_metric
from flows.bundles.consistent import require_consistent
from flows.bundles.opened import ENDING, OpenedBundle, open_bundle
from newwiki.errors import TerminalError, UsageError
from storage import runs, snapshots
from storage.database import Database
from storage.pull import Contradiction, pull
from storage.shared import SharedPart, is_shared

_WHAT = {"snapshots": "snapshot {snapshot_id}", "runs": "run {run_id}"}
_SCORES = "the scores of run {run_id} by evaluator {evaluator_id}"


@dataclass(frozen=True)
class Signed:
    """The signer of a run: the fingerprint of the key, and the name of a trusted key."""

    fingerprint: str
    name: str | None

    def __str__(self) -> str:
        return self.name or self.fingerprint


def bundle_files(place: Path) -> list[Path]:
    """Return the bundle, or the bundles of a folder sorted by path. Raises UsageError if there are none."""
    files = sorted(place.rglob(f"*{ENDING}")) if place.is_dir() else [place]
    if not files or not files[0].exists():
        raise UsageError(f"there is no bundle '{place}'; a folder of them has files *{ENDING}")
    return files


def waits_for_bundles(folder: Path) -> bool:
    """Return whether this is a folder to which nobody has submitted a bundle yet."""
    return folder.is_dir() and not is_shared(folder) and not any(folder.rglob(f"*{ENDING}"))


def take_in(
    database: Database,
    files: Iterable[Path],
    trusted: Mapping[str, str] | None = None,
    stored_files: Mapping[SharedPart, Path] = MappingProxyType({}),
) -> dict[str, tuple[Signed, ...]]:
    """Import bundles in sequence, each in one transaction, and return the signers of each run by run id.

    `trusted` maps fingerprints to key names, and other keys are refused; None accepts any key. `stored_files` names the
    origin of parts that are already in the database. Raises TerminalError for an invalid bundle or signature. Also
    raises it, with both names, if two bundles contradict each other about a snapshot, run, scoring or metric.
    """
    with database.write():  # an empty transaction creates the database
        pass
    intake = _Taken(database, stored_files)
    for file in files:
        intake.take(open_bundle(file, trusted), trusted or {})
    return intake.signed


class _Taken:
    """The imported parts and their files."""

    def __init__(self, database: Database, stored_files: Mapping[SharedPart, Path]) -> None:
        self._database = database
        self._files = dict(stored_files)
        self.signed: dict[str, tuple[Signed, ...]] = {}

    def take(self, bundle: OpenedBundle, names: Mapping[str, str]) -> None:
        require_consistent(bundle)
        new = [manifest.snapshot_id for manifest in bundle.contents.manifests if not self._has(manifest.snapshot_id)]
        with self._database.write():
            self._require_same_metrics(bundle)
            runs.register(self._database, [], [metric for metric in known_metrics() if metric.name in _metrics(bundle)])
            try:
                pull(self._database, admit(bundle.parts, "bundle", bundle.signer), lambda text: None)
            except Contradiction as error:
                [part, *_] = error.parts
                raise self._contradiction(bundle, part, error.parts[part]) from None
            for name in new:
                if problems := snapshots.verify(self._database, name):
                    raise bundle.refuse(f"snapshot {name}: {problems[0]}")
        for part in bundle.parts.held:
            self._files.setdefault(part, bundle.path)
        signer = Signed(bundle.signer, names.get(bundle.signer))
        for run_id in bundle.runs:
            others = self.signed.get(run_id, ())
            self.signed[run_id] = (*others, *([] if signer in others else [signer]))

    def _has(self, snapshot_id: str) -> bool:
        return snapshots.find(self._database, snapshot_id) is not None

    def _require_same_metrics(self, bundle: OpenedBundle) -> None:
        """Raise TerminalError for a metric that differs from a known metric in its definition or only in capitals."""
        here = self._database.records(dict[str, Any], "metric_rows")
        for name in _metrics(bundle):
            [row] = bundle.entries("metrics", name)
            try:
                require_same_metric(row, here)
            except ValueError as error:
                part = SharedPart("metrics", (("metric", name),))
                raise TerminalError(f"{self._both(bundle, part)}: {error}") from None

    def _contradiction(self, bundle: OpenedBundle, part: SharedPart, where: str) -> TerminalError:
        what = _WHAT.get(part.table, _SCORES).format(**dict(part.keys))
        return TerminalError(f"{self._both(bundle, part)}: {what} is not the same{where}; take one of them away")

    def _both(self, bundle: OpenedBundle, part: SharedPart) -> str:
        other = self._files.get(part, self._database.path)
        return f"'{other}' and '{bundle.path}' contradict each other"


def _metrics(bundle: OpenedBundle) -> list[str]:
    return sorted(part["metric"] for part, _ in bundle.of("metrics"))
