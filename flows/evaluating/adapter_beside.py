"""An adapter that lies beside a whole model: what a reader must know of the run, as nobody can see it in the files."""

import json

from newwiki.records import Run


def told_of_adapter(run: Run) -> str | None:
    """None of another model."""
    if json.loads(run.versions).get("adapter_base") != run.model:
        return None
    return (
        f"{run.model} holds a whole model and an adapter: it is read as transformers reads it, the adapter put on that "
        "model; where it was merged into those weights already, take adapter_config.json away, and where it belongs to "
        "another model, name that by --model-args base=MODEL"
    )
