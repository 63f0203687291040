"""Check a bundle without trust in its content, and report each check with its scope and result."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from flows.admitting.gate import admit
from flows.bundles.checked import Checked, Confirmed
from flows.bundles.consistent import require_consistent
from flows.bundles.drawing import draw, new_number, passes
from flows.bundles.keys import public_path, read_private, trusted_keys
from flows.bundles.opened import OpenedBundle, open_bundle
from flows.bundles.receipts import written
from flows.bundles.replay import SpotCheck
from flows.bundles.replay_kinds import installed_reading_evaluators
from flows.bundles.replay_runs import replay_runs
from flows.bundles.scoring_again import score_again
from flows.progress import Progress
from newwiki.bundle_requests import CheckRequest
from newwiki.errors import NewWikiError, TerminalError, UsageError
from newwiki.foreign_json import read_object
from newwiki.levels import REPLAYED
from newwiki.records import Run
from newwiki.settings import Settings
from storage import export_snapshot, snapshots
from storage.database import Database
from storage.folders import whole
from storage.outputs import safe
from storage.pull import pull
from storage.push import SNAPSHOT_TABLES

_SHARES = (0.01, 0.05, 0.1, 0.2)


@dataclass(frozen=True)
class Check:
    """The result of a check.

    `spot` describes the replayed completions, and how likely the replay missed changed completions. `confirmed` holds
    the result by run and evaluator. `bundle_sha256` identifies the checked bundle.
    """

    lines: list[Checked]
    spot: SpotCheck | None
    confirmed: Sequence[Confirmed] = ()
    bundle_sha256: str = ""

    @property
    def sentences(self) -> list[str]:
        """The sentences below the table for people."""
        if self.spot is None:
            return ["no completion was replayed: --spot 20 --model FOLDER replays 20 of every run"]
        drawn = [f"drawn by the number {self.spot.number}; --number {self.spot.number} draws the same again"]
        fewest = self.spot.fewest
        if not fewest:
            return [*drawn, "no completion was confirmed: what the runs say is as claimed"]
        numbers = ", ".join(f"{share:.0%} with {passes(share, fewest):.2g}" for share in _SHARES)
        return [
            *drawn,
            f"a run with a share p of forged completions passes with probability (1 − p)^{fewest}, or less: {numbers}",
        ]


def check(request: CheckRequest, settings: Settings, progress: Progress) -> Check:
    """Check a bundle. Raises TerminalError, with the place and the problem, for any invalid content."""
    trusted = trusted_keys(request.key) if request.key else None
    bundle = open_bundle(request.bundle, trusted)
    named = require_consistent(bundle)
    with TemporaryDirectory() as folder:
        apart = Database(Path(folder) / "bundle.duckdb")
        _take_in(bundle, apart)
        lines = [*_held(bundle, trusted), *_snapshots(bundle, apart, Database(settings.db)), *_runs(bundle, named)]
        scores, confirmed = score_again(bundle, apart, request.metrics, settings, progress)
        lines += scores
    if not request.spot:
        return Check(lines, None, confirmed, bundle.sha256)
    number = new_number() if request.number is None else request.number
    spot = replay_runs(bundle, request, number, progress)
    return Check([*lines, *spot.lines], spot, [*confirmed, *_replayed(bundle, spot)], bundle.sha256)


def _replayed(bundle: OpenedBundle, spot: SpotCheck) -> Iterator[Confirmed]:
    """Yield what the replay confirmed: tokens of drawn completions, and scores of drawn articles in likelihood runs.

    A plausibility check confirms nothing. Neither does a second generation in half precision, which has to match only
    the beginnings of the texts.
    """
    for replayed in spot.runs:
        run = bundle.runs[replayed.run_id]
        if (
            not replayed.passed
            or replayed.kind == "plausibility"
            or (replayed.kind == "anew" and run.dtype != "float32")
        ):
            continue
        if replayed.kind == "reading":
            yield from _read_again(bundle, run, spot)
            continue
        rows = bundle.entries("completions", run.snapshot_id, run.run_id)
        keys = [(run.run_id, row["page_id"], row["sample"]) for row in rows]
        drawn = draw(keys, spot.each, spot.number, bundle.sha256)
        yield Confirmed(
            run_id=run.run_id,
            level=REPLAYED,
            confirmed=replayed.confirmed,
            checked=replayed.looked_at,
            total=replayed.of,
            texts=tuple((page_id, sample) for _, page_id, sample in drawn),
        )


def _read_again(bundle: OpenedBundle, run: Run, spot: SpotCheck) -> Iterator[Confirmed]:
    """Yield the confirmed scores of the drawn articles for each installed evaluator."""
    articles = [(run.run_id, article.page_id, 0) for article in bundle.prompted_articles(run)]
    pages = {page_id for _, page_id, _ in draw(articles, spot.each, spot.number, bundle.sha256)}
    for evaluator_id in sorted(installed_reading_evaluators()):
        rows = bundle.entries("scores", run.snapshot_id, run.run_id, evaluator_id)
        if count := sum(row["page_id"] in pages for row in rows):
            yield Confirmed(
                run_id=run.run_id,
                evaluator_id=evaluator_id,
                level=REPLAYED,
                confirmed=count,
                checked=count,
                total=len(rows),
            )


def check_with_receipt(request: CheckRequest, settings: Settings, progress: Progress, receipt: Path | None) -> Check:
    """Check a bundle, and write a receipt to `receipt`, signed with the key of the request, if a path is given.

    Raises UsageError before the check if only the path or only the key is given.
    """
    if (receipt is None) != (request.sign is None):
        raise UsageError("a receipt has a file and a key: give both --receipt FILE and --sign KEY")
    if receipt is None or request.sign is None:
        return check(request, settings, progress)
    key, path = read_private(request.sign), safe(receipt, Path(settings.db))
    if path.resolve() in (request.bundle.resolve(), request.sign.resolve(), public_path(request.sign).resolve()):
        raise UsageError(f"'{path}' is the bundle or the key itself; name another file with --receipt")
    result = check(request, settings, progress)
    number = result.spot.number if result.spot else None
    with whole(path) as part:
        part.write_bytes(written(result.bundle_sha256, result.confirmed, key, number, is_drawn=request.number is None))
    return result


def _take_in(bundle: OpenedBundle, apart: Database) -> None:
    """Import the snapshots and runs of a bundle without its scores. Raises TerminalError if they are inconsistent."""
    parts = bundle.parts.only({*SNAPSHOT_TABLES, "runs", "completions"})
    with apart.write():
        pull(apart, admit(parts, "bundle", bundle.signer), lambda text: None)
    for manifest in bundle.contents.manifests:
        if problems := snapshots.verify(apart, manifest.snapshot_id):
            raise bundle.refuse(f"snapshot {manifest.snapshot_id}: {problems[0]}")


def _held(bundle: OpenedBundle, trusted: Mapping[str, str] | None) -> list[Checked]:
    note = f"by {bundle.signer}"
    note += f", the key of {trusted[bundle.signer]}" if trusted else "; --key FILE.pub says whether it is one you trust"
    texts = sum(len(run.texts) for run in bundle.contents.runs)
    return [
        Checked("signature", 1, 1, note),
        Checked("files", len(bundle.contents.files), len(bundle.contents.files), "as they were signed, and no others"),
        Checked("texts", texts, texts, "as they were signed; lengths, words and samples can be so"),
    ]


def _snapshots(bundle: OpenedBundle, apart: Database, own: Database) -> list[Checked]:
    lines = []
    for manifest in bundle.contents.manifests:
        name = manifest.snapshot_id
        if not _is_manifest(bundle.manifests[name], export_snapshot.manifest(apart, name).to_json()):
            raise bundle.refuse(f"the manifest of snapshot {name} is not that of its articles")
        here = _own_hash(own, name)
        if here not in (None, manifest.content_sha256):
            raise bundle.refuse(f"'{own.path}' has another snapshot {name}, whose content hash is {here}")
        count = len(bundle.articles[name])
        note = f"the same as in '{own.path}'" if here else f"whole; '{own.path}' has none of this name to compare with"
        lines.append(Checked(f"articles of {name}", count, count, note))
    return lines


def _is_manifest(content: bytes, computed: str) -> bool:
    """Return whether the stored manifest equals the computed manifest, regardless of the newwiki version."""
    with suppress(TerminalError):
        stored, wanted = read_object(content, "the manifest"), json.loads(computed)
        return {**stored, "newwiki_version": None} == {**wanted, "newwiki_version": None}
    return False


def _own_hash(own: Database, name: str) -> str | None:
    try:
        snapshot = snapshots.find(own, name)
    except NewWikiError as error:
        raise TerminalError(f"the snapshot cannot be compared: {error}") from error
    return snapshot.content_sha256 if snapshot else None


def _runs(bundle: OpenedBundle, named: list[str]) -> list[Checked]:
    note = "each is the hash of what the run says it is"
    if strange := [run_id for run_id in bundle.runs if run_id not in named]:
        note = f"not made again, as backend or decoder is none of ours: {', '.join(strange)}"
    return [Checked("run ids", len(named), len(bundle.runs), note)]
