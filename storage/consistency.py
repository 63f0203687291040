"""Check a published snapshot for contradictions.

The checks cover its counts, funnel, sample, window, parameters and permanent links.
"""

import json

from newwiki.selection import draw
from newwiki.snapshot import Selection, Snapshot
from storage.database import Database


def inconsistencies(database: Database, snapshot: Snapshot) -> list[str]:
    """Return a sentence for each contradiction; an empty list if there is none."""
    return [sentence for (sentence,) in database.rows("inconsistencies", snapshot.snapshot_id)] + _sample(
        database, snapshot
    )


def _sample(database: Database, snapshot: Snapshot) -> list[str]:
    """Draw the sample again from all pages that passed, and report differences.

    A rebuilt snapshot has only its articles.
    """
    parameters = json.loads(snapshot.parameters)
    verdicts = dict(database.rows("passed", snapshot.snapshot_id))
    selection = Selection(sample=parameters.get("sample", len(verdicts)), seed=parameters.get("seed", 0))
    drawn = draw(verdicts, selection)
    return [
        f"'{title}' is {verdict}, and the sample says otherwise"
        for title, verdict in verdicts.items()
        if (verdict == "selected") != (title in drawn)
    ]
