"""The page that says how to submit a run."""

import shlex
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from evaluators.entities import STAND_IN
from flows.site.contents import Contents
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
        OpenMonth(name, file, _protocol(parts[name]), _command(contents, name)) for name, file in data.snapshots.items()
    ]
    site = f"{address.rstrip('/')}/" if address else "https://ADDRESS-OF-THIS-SITE/"
    writer.page("submit.html", "submit_page.html", months=months, address=site)


def _protocol(parts: SnapshotParts) -> str | None:
    return parts.tables[0].group.words if parts.tables else None


def _command(contents: Contents, snapshot_id: str) -> str:
    """Return the command that evaluates another model under the protocol of most runs, with their entity finder."""
    options = Counter(
        f"--prompts {run.prompts} --samples {run.samples} --keep {run.keep} --max-new-tokens {run.max_new_tokens}"
        for run in contents.on(snapshot_id)
        if run.samples and run.max_new_tokens
    )
    lengths = [options.most_common(1)[0][0]] if options else []
    finders = {evaluator.model for evaluator in contents.evaluators.values() if evaluator.name == "entity_overlap"}
    finder = [f"--entities {STAND_IN}"] if finders == {STAND_IN} else []
    decoder = "newwiki evaluate MODEL --decoder greedy"
    return " ".join(
        [decoder, f"--snapshot {shlex.quote(snapshot_id)}", *lengths, *finder, "--knowledge-cutoff YYYY-MM"]
    )
