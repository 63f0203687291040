"""What a snapshot's articles are about: their Wikidata items by the wiki, the items' classes by Wikidata."""

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
    """Asks the wiki at `api`, and Wikidata where the wiki names items, and stores what they say. A snapshot itself does
    not change. Raises TransientError or TerminalError where one of them cannot be asked; then nothing is stored."""
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
    found = [
        Topic(page_id, item, classes.get(item or "", ()), types.get(item or "")) for page_id, item in items.items()
    ]
    topics.store(database, snapshot_id, found)


def look_up_if_reachable(
    database: Database, snapshot_id: str, api: str, contact: str | None, wikidata: str, progress: Progress
) -> None:
    """Like `look_up`, but a snapshot whose topics cannot be had is one with topics unknown, and a note."""
    try:
        look_up(database, snapshot_id, api, contact, wikidata, progress)
    except NewWikiError as error:
        progress.note(
            f"{snapshot_id} is published; its topics are unknown: {error}. "
            f"`newwiki snapshots topics {snapshot_id}` looks them up later"
        )


def usual_address(database: Database, snapshot_id: str) -> str:
    """Where the snapshot's wiki has its API, if it is where MediaWiki puts it."""
    ((permalink,),) = database.rows("one_permalink", snapshot_id)
    place = urlsplit(permalink)
    return f"{place.scheme}://{place.netloc}/w/api.php"
