"""Read the rows of this database that correspond to a part of a shared folder."""

import pyarrow as pa

from newwiki.errors import TerminalError
from newwiki.registry import shown
from storage.database import Database
from storage.keys import KEYS
from storage.shared import SharedPart


def held(database: Database, part: SharedPart) -> pa.Table:
    """Return the stored rows of the part, in the order of their key.

    Raises TerminalError if the part has no table of ours.
    """
    key = KEYS.get(part.table, ())
    named = {name: value for name, value in part.keys if name in key}
    if not named:
        raise TerminalError(f"no table is shared as {shown(part.path)}; push again from where it was made")
    where = " and ".join(f"{name} = ?" for name in named)
    return database.table("part_rows", *named.values(), table=part.table, part=where, key=", ".join(key))
