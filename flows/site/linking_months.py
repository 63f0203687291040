"""The months of a database that was put together, linked by the experiment, which reads what is there."""

from flows.experiments.answering import answer
from flows.experiments.evaluations import Evaluations
from flows.experiments.linking.experiment import EXPERIMENT
from flows.progress import Progress
from newwiki.errors import NewWikiError
from newwiki.experiment_request import LinkingRequest
from newwiki.settings import Settings
from newwiki.snapshot import Snapshot
from storage.database import Database


def link_months(database: Database, settings: Settings, progress: Progress) -> dict[str, str]:
    """Links those of each wiki that has several with its newest. Gives the wikis of which none can be, and why."""
    months: dict[str, list[str]] = {}
    for one in database.records(Snapshot, "site_snapshots"):  # the newest first
        if one.kind == "new":
            months.setdefault(one.wiki, []).append(one.snapshot_id)
    unlinked = {}
    for wiki, (newest, *earlier) in months.items():
        try:
            if earlier:
                answer(EXPERIMENT, Evaluations(database, settings, progress), LinkingRequest(snapshot=newest))
        except NewWikiError as error:
            unlinked[wiki] = str(error)
    return unlinked
