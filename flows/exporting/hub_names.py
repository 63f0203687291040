"""Under which name a run's model stands on the Hub, where others' leaderboards look for it."""

from collections.abc import Sequence

from newwiki.errors import UsageError
from newwiki.results_request import is_on_the_hub
from storage.comparison import Contender


def hub_names(runs: Sequence[Contender], told: str | None) -> dict[str, str]:
    """By the model's name in its runs, the name on the Hub: `told`, which can be of one model alone, or its own.

    Raises UsageError where a name cannot be one on the Hub, and where `told` would be of several models.
    """
    models = list(dict.fromkeys(run.model for run in runs))
    if told and len(models) > 1:
        raise UsageError(f"--model-id is of one model, and these runs are of {', '.join(models)}; export one at a time")
    return {model: told or _own(model) for model in models}


def _own(model: str) -> str:
    if not is_on_the_hub(model):
        raise UsageError(f"'{model}' is no name on the Hub, which are ORG/NAME; say which it is with --model-id")
    return model
