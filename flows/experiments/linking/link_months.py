"""Put the months of every wiki on the scale of its newest month."""

from flows.experiments.answering import answer
from flows.experiments.evaluations import Evaluations
from flows.experiments.linking.request import EXPERIMENT, LinkingRequest
from flows.progress import Progress
from newwiki.errors import NewWikiError
from newwiki.settings import Settings
from newwiki.snapshot import Snapshot
from storage.database import Database


def link_months(
    database: Database, settings: Settings, progress: Progress, anchor: tuple[str, ...] = ()
) -> dict[str, str]:
    """Link the months of each wiki with its newest; return the wikis without a link, with the reason."""
    months: dict[str, list[str]] = {}
    for snapshot in database.records(Snapshot, "site_snapshots"):  # sorted, the newest first
        if snapshot.kind == "new":
            months.setdefault(snapshot.wiki, []).append(snapshot.snapshot_id)
    unlinked = {}
    for wiki, (newest, *earlier) in months.items():
        try:
            if earlier:
                answer(
                    EXPERIMENT,
                    Evaluations(database, settings, progress),
                    LinkingRequest(snapshot=newest, anchor=anchor),
                )
        except NewWikiError as error:
            unlinked[wiki] = str(error)
    return unlinked
