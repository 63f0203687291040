"""Notes on models that have several names and the same weights."""

from storage.database import Database


def same_weights(database: Database) -> list[str]:
    """Return a sentence for each hash of weights that complete runs give to models of several names."""
    return [
        f"{' and '.join(names)} have the same weights ({sha256[:12]}), so they are one model"
        for sha256, names in database.rows("shared_weights")
    ]
