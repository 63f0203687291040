"""Combine a database, shared folders and bundles in one database from which a site is made."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from flows.admitting.gate import admit
from flows.bundles.check import check
from flows.bundles.keys import trusted_keys
from flows.bundles.opened import ENDING, OpenedBundle, open_bundle
from flows.bundles.receipts import ENDING as ENDING_OF_RECEIPT
from flows.bundles.receipts import checked_here, read
from flows.bundles.receipts import verifications as receipt_rows
from flows.bundles.taking_in import bundle_files, take_in
from flows.comparing import notes
from flows.experiments.linking.link_months import link_months
from flows.progress import Progress, Silent
from flows.scoring.anchor_texts import score_anchors
from flows.scoring.same_evaluators import same_here
from flows.scoring.score_all import score_all
from flows.site.contents import Signers
from newwiki.bundle_requests import CheckRequest
from newwiki.errors import TerminalError, UsageError
from newwiki.request import ScoringRequest
from newwiki.settings import Settings
from newwiki.site_request import SiteRequest
from storage import runs, verifications
from storage.admitted import Admitted
from storage.database import Database
from storage.foreign import foreign
from storage.outputs import is_duckdb
from storage.public_copy import public_copy
from storage.pull import Contradiction, pull
from storage.push import push
from storage.shared import SharedFolder, SharedPart, is_shared
from storage.verifications import Verification


@dataclass(frozen=True)
class Gathered:
    """The combined sources of a site.

    `database` holds everything. `unlinked` gives for wikis the reason why their months have no common scale. `names`
    are the names of the keys of signers and checkers, by fingerprint.
    """

    database: Database
    signers: Signers = field(default_factory=dict)
    unlinked: Mapping[str, str] = field(default_factory=dict)
    names: Mapping[str, str] = field(default_factory=dict)


@contextmanager
def gathered(request: SiteRequest, settings: Settings, progress: Progress) -> Iterator[Gathered]:
    """Combine everything that the site shows.

    The user's own database (`--db`) is read without its private paths, and its months are linked by its own linking
    experiment. Any other source is checked and imported into a temporary database, and its months are linked there,
    because a named database may belong to another person, whose numbers are claims.

    Raises UsageError for an invalid source, and TerminalError for two sources that contradict each other, which it
    names.
    """
    kinds = [(name, kind_of(name)) for name in request.sources or (settings.db,)]
    if len(kinds) == 1 and _is_own(*kinds[0], settings):
        with TemporaryDirectory() as folder:
            yield Gathered(public_copy(Database(settings.db), Path(folder)))
        return
    with TemporaryDirectory() as folder:
        target = Database(Path(folder) / "newwiki.duckdb")
        origins: dict[SharedPart, str] = {}
        for number, (name, kind) in enumerate(kinds):
            if kind != "bundles":
                shared = _shared(name, kind, Path(folder) / f"shared-{number}", progress)
                admitted = admit(shared, "database" if kind == "database" else "pull")
                _pull(target, name, admitted, origins, progress)
        names = [name for name, kind in kinds if kind == "bundles"]
        trusted = trusted_keys(request.key) if request.key else None
        checkers = trusted_keys(request.checker) if request.checker else {}
        signers = _take_in(names, request, settings, target, origins, progress, trusted)
        verifications.add(target, _verified(names, request, checkers, settings, progress))
        if request.recompute and (run_ids := notes.unmeasured(target)):
            score_all(target, ScoringRequest(run=tuple(run_ids), metrics=notes.METRIC), settings, Silent())
        if request.recompute:
            _score_anchors(target, settings, progress)
        for name, kind in kinds:
            if _is_own(name, kind, settings):
                verifications.keep_own(target, Database(name))
        yield Gathered(target, signers, link_months(target, settings, progress), {**(trusted or {}), **checkers})


def _is_own(name: str, kind: str, settings: Settings) -> bool:
    return kind == "database" and Path(name).resolve() == Path(settings.db).resolve()


def kind_of(name: str) -> str:
    """Return `database`, `shared` or `bundles`. Raises UsageError for anything else."""
    path = Path(name)
    if "://" in name or is_shared(path):
        return "shared"
    if path.is_dir():
        if any(path.rglob(f"*{ENDING}")):
            return "bundles"
        raise UsageError(f"'{name}' has no bundles (*{ENDING}), and nothing has been pushed to it; name another folder")
    if is_duckdb(path):
        return "database"
    if path.is_file():
        return "bundles"
    raise UsageError(f"there is no '{name}'; name a database, a folder that `newwiki sync push` writes, or bundles")


def _shared(name: str, kind: str, folder: Path, progress: Progress) -> SharedFolder:
    """Return the shared folder, or a folder with the files that the database would push."""
    if kind == "shared":
        return SharedFolder(name)
    shared = SharedFolder(folder.as_uri())
    push(foreign(Path(name), folder.with_name(f"{folder.name}-database")), shared, progress.note)
    return shared


def _pull(target: Database, name: str, folder: Admitted, origins: dict[SharedPart, str], progress: Progress) -> None:
    try:
        pull(target, folder, progress.note)
    except Contradiction as error:
        part = next((part for part in error.parts if part in origins), None)
        if part is None:  # the source contradicts itself
            raise
        raise TerminalError(
            f"'{origins[part]}' and '{name}' contradict each other: {part.path} is not the same{error.parts[part]}; "
            "remove one of them"
        ) from None
    for part in folder.notes():
        origins.setdefault(part, name)


def _take_in(
    names: Sequence[str], request: SiteRequest, settings: Settings, target: Database,
    origins: Mapping[SharedPart, str], progress: Progress, trusted: Mapping[str, str] | None,
) -> dict[str, Sequence[str]]:  # fmt: skip
    """Import the bundles, and return their signers by run id."""
    origin_paths = {part: Path(name) for part, name in origins.items()}
    signed = take_in(target, _files(names), trusted, origin_paths)
    return {run_id: [str(signer) for signer in by] for run_id, by in signed.items()}


def _files(names: Sequence[str]) -> list[Path]:
    return list(dict.fromkeys(file for name in names for file in bundle_files(Path(name))))


def _verified(
    names: Sequence[str], request: SiteRequest, checkers: Mapping[str, str], settings: Settings, progress: Progress
) -> list[Verification]:
    """Return the verifications of the bundles, by this installation's recomputed scores and by receipts.

    Raises TerminalError if a score differs, and UsageError if a receipt does not exist.
    """
    files, verified = _files(names), list[Verification]()
    if request.recompute:
        for number, file in enumerate(files, 1):
            progress.note(f"recomputing the scores of '{file}' ({number} of {len(files)})")
            verified += checked_here(check(CheckRequest(bundle=file, key=request.key), settings, progress).confirmed)
    if places := _receipts(names, request):
        bundles = {bundle.sha256: bundle for bundle in map(open_bundle, files)}
        for place in places:
            verified += _receipt_verifications(place, bundles, checkers, progress)
    return verified


def _score_anchors(database: Database, settings: Settings, progress: Progress) -> None:
    """Score the anchors by the installed evaluators of the runs' scores; bundles and shared folders hold no anchors."""
    loaded, missing = same_here(database.records(dict[str, Any], "evaluators_of_runs"), "all", settings)
    for name, reason in missing.items():
        progress.note(f"no anchors are scored by {name}: {reason}")
    run_ids, *_ = runs.complete_runs(database)
    with database.read():
        work = [runs.with_articles(database, run_id) for run_id in run_ids]
    for run, articles in work:
        score_anchors(database, run, articles, loaded, progress)


def _receipts(names: Sequence[str], request: SiteRequest) -> list[Path]:
    """Return the named receipts, and the receipts among the bundles."""
    if missing := [receipt for receipt in request.receipt if not receipt.is_file()]:
        raise UsageError(f"there is no receipt '{missing[0]}'; `newwiki bundle check --receipt FILE` writes one")
    folders = [Path(name) for name in names if Path(name).is_dir()]
    among = [file for folder in folders for file in sorted(folder.rglob(f"*{ENDING_OF_RECEIPT}"))]
    return list(dict.fromkeys([*request.receipt, *among]))


def _receipt_verifications(
    place: Path, bundles: Mapping[str, OpenedBundle], checkers: Mapping[str, str], progress: Progress
) -> list[Verification]:
    """Return the verifications of a receipt; if it is not accepted, return an empty list and print a note."""
    try:
        receipt = read(place)
        if receipt.checker not in checkers:
            raise ValueError(f"its key {receipt.checker} is not one of --checker")
        if receipt.head.bundle_sha256 not in bundles:
            raise ValueError(
                f"it belongs to no bundle here, but to one with the hash {receipt.head.bundle_sha256[:12]}…"
            )
        return receipt_rows(receipt, bundles[receipt.head.bundle_sha256])
    except (ValueError, OSError) as error:
        progress.note(f"the receipt '{place}' does not count: {error}")
        return []
