"""What a database holds of a part of a shared folder."""

import pyarrow as pa

from storage.database import Database
from storage.keys import KEYS
from storage.shared import SharedPart


def held(database: Database, part: SharedPart) -> pa.Table:
    """The part's rows here, in the order of their key."""
    key = KEYS[part.table]
    named = {name: value for name, value in part.keys if name in key}
    where = " and ".join(f"{name} = ?" for name in named)
    return database.table("part_rows", *named.values(), table=part.table, part=where, key=", ".join(key))
