"""Look up the topics of a snapshot's articles: the wiki gives the Wikidata items, and Wikidata gives their classes."""

from urllib.parse import urlsplit

from flows.progress import Progress, Silent
from newwiki.errors import NewWikiError
from newwiki.snapshot import Topic
from newwiki.sources.api import Api
from newwiki.sources.wikidata import Wikidata, wikibase_items
from storage import snapshots, topics
from storage.database import Database


def look_up(
    database: Database, snapshot_id: str, api: str, contact: str | None, wikidata: str, progress: Progress | None = None
) -> None:
    """Query the wiki at `api`, and Wikidata if the wiki names items, and store the topics.

    The snapshot does not change. Raises TransientError or TerminalError if a query fails. Nothing is stored in this
    case.
    """
    articles = snapshots.articles(database, snapshot_id)
    say = (progress or Silent()).note
    wiki = Api(api, contact)
    wiki.tell(say)
    items = wikibase_items(wiki, {article.page_id: article.title for article in articles})
    named = {item for item in items.values() if item}
    classes: dict[str, tuple[str, ...]] = {}
    types: dict[str, str | None] = {}
    if named:
        source = Wikidata(wikidata, contact)
        source.tell(say)
        classes = source.instance_of(named)
        types = dict(zip(classes, source.topics(classes.values()), strict=True))
    rows = [Topic(page_id, item, classes.get(item or "", ()), types.get(item or "")) for page_id, item in items.items()]
    topics.store(database, snapshot_id, rows)


def look_up_if_reachable(
    database: Database, snapshot_id: str, api: str, contact: str | None, wikidata: str, progress: Progress
) -> None:
    """Look up the topics. If the lookup fails, add a note and leave the topics unknown."""
    try:
        look_up(database, snapshot_id, api, contact, wikidata, progress)
    except NewWikiError as error:
        progress.note(
            f"{snapshot_id} is published; its topics are unknown: {error}. "
            f"`newwiki snapshots topics {snapshot_id}` looks them up later"
        )


def usual_address(database: Database, snapshot_id: str) -> str:
    """Return the API address of the snapshot's wiki at the usual MediaWiki path, `/w/api.php`."""
    ((permalink,),) = database.rows("one_permalink", snapshot_id)
    place = urlsplit(permalink)
    return f"{place.scheme}://{place.netloc}/w/api.php"
