"""Note about a run whose model folder holds a whole model and an adapter. The stored files do not show this."""

import json

from newwiki.records import Run


def told_of_adapter(run: Run) -> str | None:
    """Return a note if the run's model folder holds both a model and an adapter, and None for every other model."""
    if json.loads(run.versions).get("adapter_base") != run.model:
        return None
    return (
        f"{run.model} holds a whole model and an adapter; newwiki applies the adapter to that model, as transformers "
        "does. If the adapter is already merged into the weights, remove adapter_config.json; if it belongs to another "
        "model, pass --model-args base=MODEL"
    )
