"""The page that says how to submit a run."""

import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from flows.site.contents import Contents, SiteRun
from flows.site.data_files import DataFile, DataFiles
from flows.site.snapshot_parts import SnapshotParts
from flows.site.writing import Writer


@dataclass(frozen=True)
class OpenMonth:
    """The newest month of a wiki: its file, the protocol of most runs on it, and the command that follows it."""

    snapshot_id: str
    file: DataFile
    protocol: str | None
    command: str


def write_submit_page(
    writer: Writer, contents: Contents, parts: Mapping[str, SnapshotParts], data: DataFiles, address: str | None
) -> None:
    months = [
        OpenMonth(name, file, _protocol(parts[name]), _command(name, contents.on(name)))
        for name, file in data.snapshots.items()
    ]
    site = f"{address.rstrip('/')}/" if address else "https://ADDRESS-OF-THIS-SITE/"
    writer.page("submit.html", "submit_page.html", months=months, address=site)


def _protocol(parts: SnapshotParts) -> str | None:
    return parts.tables[0].group.words if parts.tables else None


def _command(snapshot_id: str, runs: Sequence[SiteRun]) -> str:
    """Return the command that evaluates another model under the protocol of most runs."""
    options = Counter(
        f"--prompts {run.prompts} --samples {run.samples} --keep {run.keep} --max-new-tokens {run.max_new_tokens}"
        for run in runs
        if run.samples and run.max_new_tokens
    )
    lengths = [options.most_common(1)[0][0]] if options else []
    return " ".join(["newwiki evaluate MODEL --decoder greedy", f"--snapshot {shlex.quote(snapshot_id)}", *lengths])
