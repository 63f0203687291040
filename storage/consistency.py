"""Whether a published snapshot agrees with itself: counts, funnel, sample, window, parameters and permanent links."""

import json

from newwiki.selection import draw
from newwiki.snapshot import Selection, Snapshot
from storage.database import Database


def inconsistencies(database: Database, snapshot: Snapshot) -> list[str]:
    """A sentence for each disagreement; empty where there is none."""
    return [sentence for (sentence,) in database.rows("inconsistencies", snapshot.snapshot_id)] + _sample(
        database, snapshot
    )


def _sample(database: Database, snapshot: Snapshot) -> list[str]:
    """The sample is drawn again from all that passed. In a rebuilt snapshot these are the articles alone."""
    asked = json.loads(snapshot.parameters)
    verdicts = dict(database.rows("passed", snapshot.snapshot_id))
    selection = Selection(sample=asked.get("sample", len(verdicts)), seed=asked.get("seed", 0))
    drawn = draw(verdicts, selection)
    return [
        f"'{title}' is {verdict}, and the sample says otherwise"
        for title, verdict in verdicts.items()
        if (verdict == "selected") != (title in drawn)
    ]
