"""Note about a run whose model folder holds a whole model and an adapter. The stored files do not show this."""

import json

from newwiki.records import Run


def told_of_adapter(run: Run) -> str | None:
    """Return a note if the run's model folder holds both a model and an adapter, and None for every other model."""
    if json.loads(run.versions).get("adapter_base") != run.model:
        return None
    return (
        f"{run.model} holds a whole model and an adapter: it is read as transformers reads it, the adapter put on that "
        "model; where it was merged into those weights already, take adapter_config.json away, and where it belongs to "
        "another model, name that by --model-args base=MODEL"
    )
