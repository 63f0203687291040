"""Where a site comes from: one database as it is, or databases, shared folders and bundles put together in another."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from flows.admitting.gate import admit
from flows.bundles.check import check
from flows.bundles.keys import trusted_keys
from flows.bundles.opened import ENDING
from flows.bundles.taking_in import bundle_files, take_in
from flows.progress import Progress
from flows.site.contents import Signers
from flows.site.linking_months import link_months
from newwiki.bundle_requests import CheckRequest
from newwiki.errors import TerminalError, UsageError
from newwiki.settings import Settings
from newwiki.site_request import SiteRequest
from storage.admitted import Admitted
from storage.database import Database
from storage.foreign import foreign
from storage.outputs import is_duckdb
from storage.pull import Contradiction, pull
from storage.push import push
from storage.shared import SharedFolder, SharedPart

_CATALOGUE = "catalogue"  # what a shared folder is known by


@dataclass(frozen=True)
class Gathered:
    """`database` holds everything; `unlinked` says of wikis why their months are on no one scale."""

    database: Database
    signers: Signers = field(default_factory=dict)
    unlinked: Mapping[str, str] = field(default_factory=dict)


@contextmanager
def gathered(request: SiteRequest, settings: Settings, progress: Progress) -> Iterator[Gathered]:
    """Everything that the site is of. One database is read as it is, and its months are linked as an experiment in it
    says; of several sources another database is made, which is gone afterwards, and its months are linked there. A
    database that is named may be somebody else's: no view or macro of it is carried out, and it is not written to.

    Raises UsageError for what is no source, TerminalError for two that contradict each other, which it names.
    """
    kinds = [(name, kind_of(name)) for name in request.sources or (settings.db,)]
    if not request.sources and kinds[0][1] == "database":
        yield Gathered(Database(settings.db))
        return
    with TemporaryDirectory() as folder:
        if [kind for _, kind in kinds] == ["database"]:
            yield Gathered(foreign(Path(kinds[0][0]), Path(folder)))
            return
        target = Database(Path(folder) / "newwiki.duckdb")
        origins: dict[SharedPart, str] = {}
        for number, (name, kind) in enumerate(kinds):
            if kind != "bundles":
                shared = _shared(name, kind, Path(folder) / f"shared-{number}", progress)
                admitted = admit(shared, "database" if kind == "database" else "pull")
                _pull(target, name, admitted, origins, progress)
        signers = _take_in(
            [name for name, kind in kinds if kind == "bundles"], request, settings, target, origins, progress
        )
        yield Gathered(target, signers, link_months(target, settings, progress))


def kind_of(name: str) -> str:
    """`database`, `shared` or `bundles`. Raises UsageError for anything else."""
    path = Path(name)
    if "://" in name or (path / _CATALOGUE).is_dir():
        return "shared"
    if path.is_dir():
        if any(path.rglob(f"*{ENDING}")):
            return "bundles"
        raise UsageError(f"'{name}' has no bundles (*{ENDING}), and nothing has been pushed to it; name another folder")
    if is_duckdb(path):
        return "database"
    if path.is_file():
        return "bundles"
    raise UsageError(f"there is no '{name}'; name a database, a folder that `newwiki push` writes, or bundles")


def _shared(name: str, kind: str, folder: Path, progress: Progress) -> SharedFolder:
    """The shared folder, or what a database would push into one."""
    if kind == "shared":
        return SharedFolder(name)
    made = SharedFolder(folder.as_uri())
    push(foreign(Path(name), folder.with_name(f"{folder.name}-database")), made, progress.note)
    return made


def _pull(target: Database, name: str, folder: Admitted, origins: dict[SharedPart, str], progress: Progress) -> None:
    try:
        pull(target, folder, progress.note)
    except Contradiction as error:
        part = next((part for part in error.parts if part in origins), None)
        if part is None:  # it contradicts itself
            raise
        raise TerminalError(
            f"'{origins[part]}' and '{name}' contradict each other: {part.path} is not the same{error.parts[part]}; "
            "take one away"
        ) from None
    for part in folder.notes():
        origins.setdefault(part, name)


def _take_in(
    names: Sequence[str], request: SiteRequest, settings: Settings, target: Database,
    origins: Mapping[SharedPart, str], progress: Progress,
) -> dict[str, Sequence[str]]:  # fmt: skip
    """Gives by run id who has signed it."""
    files = list(dict.fromkeys(file for name in names for file in bundle_files(Path(name))))
    if not files:
        return {}
    trusted = trusted_keys(request.key) if request.key else None
    if request.recompute:
        for number, file in enumerate(files, 1):
            progress.note(f"computing the scores of '{file}' again ({number} of {len(files)})")
            check(CheckRequest(bundle=file, key=request.key), settings, progress)
    there = {part: Path(name) for part, name in origins.items()}
    signed = take_in(target, files, trusted, there)
    return {run_id: [str(one) for one in by] for run_id, by in signed.items()}
