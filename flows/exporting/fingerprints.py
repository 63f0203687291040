"""Who made numbers, as files for others say it."""

import json
from collections.abc import Sequence
from typing import Any

from storage.database import Database
from storage.public_rows import public_row


def fingerprints(database: Database, evaluator_ids: Sequence[str]) -> dict[str, dict[str, Any]]:
    """By id, what an evaluator is: name, version, model and weights, parameters, dependencies, dtype, backend."""
    return {
        one["evaluator_id"]: one
        | {"parameters": json.loads(one["parameters"]), "dependencies": json.loads(one["dependencies"])}
        for one in map(public_row, database.records(dict[str, Any], "evaluators_described", list(evaluator_ids)))
    }
