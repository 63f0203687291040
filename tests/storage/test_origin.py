"""What is said of a page beside its text, and what the content hash makes of it."""

import json
from collections.abc import Callable

from newwiki.novelty import PARAMETERS
from newwiki.snapshot import Judged, Selection, Snapshot, Window
from storage.database import Database
from storage.snapshots import parameters_json


def test_the_origin_of_every_page_is_stored_and_leaves_the_content_hash_alone(
    published: Callable[..., Snapshot], database: Database, selected: Callable[..., Judged]
) -> None:
    """A dump cannot always tell it, and gives the same content as the wiki."""
    one = published(selected(7), selected(8, origin="split"))
    other = published(selected(7, origin="translation"), selected(8), name="again")
    assert one.content_sha256 == other.content_sha256
    with database.read() as connection:
        rows = connection.execute("select snapshot_id, page_id, origin from candidates order by all").fetchall()
    assert rows == [
        ("again", 7, "translation"),
        ("again", 8, "original"),
        ("testwiki-2026-09", 7, "original"),
        ("testwiki-2026-09", 8, "split"),
    ]


def test_what_counts_as_a_near_duplicate_is_among_the_parameters() -> None:
    asked = json.loads(parameters_json(Window.month("2026-09"), Selection(), "new"))
    assert asked["novelty"] == PARAMETERS == {"version": 2, "words": 5, "near_duplicate": 0.7}
    assert asked["rules"] == 3
