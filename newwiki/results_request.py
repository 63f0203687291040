"""The requests that export results to other leaderboards (see `newwiki.request`)."""

import re
from dataclasses import dataclass
from typing import Literal

from newwiki.comparison_requests import SNAPSHOT_OF_RUNS
from newwiki.errors import UsageError
from newwiki.fields import field
from newwiki.request import Request

Relationship = Literal["first_party", "third_party", "collaborative", "other"]

_NAME = r"\w(?:[\w.-]*\w)?"
_LONGEST = 96  # of a repository on the Hub
_ON_THE_HUB = re.compile(f"{_NAME}/{_NAME}", re.ASCII)


@dataclass(frozen=True, kw_only=True)
class EveryEvalEverRequest(Request):
    """The runs to export to Every Eval Ever, the evaluating organization, and the model's name."""

    runs: tuple[str, ...] = field(help="Run to export, named as for `newwiki compare`.", metavar="RUN", argument=True)
    snapshot: str | None = field(None, SNAPSHOT_OF_RUNS, metavar="ID")
    organization: str = field(help="Organization that ran the evaluation.", metavar="NAME")
    relationship: Relationship = field(help="Relationship of the organization to the developer of the model.")
    model_id: str | None = field(
        None, "Name of the model on the Hub, if it differs from the run's.", metavar="ORG/NAME"
    )
    instances: bool = field(False, "Export the score of each text as well, with prompt, article and text.")

    def __post_init__(self) -> None:
        super().__post_init__()
        check_on_the_hub("--model-id", self.model_id)


@dataclass(frozen=True, kw_only=True)
class HubResultsRequest(Request):
    """The runs to export for the Hugging Face Hub, the benchmark dataset, and the metrics."""

    runs: tuple[str, ...] = field(help="Run to export, named as for `newwiki compare`.", metavar="RUN", argument=True)
    snapshot: str | None = field(None, SNAPSHOT_OF_RUNS, metavar="ID")
    dataset: str = field(help="Dataset of the benchmark on the Hub.", metavar="ORG/NAME")
    revision: str | None = field(None, "Commit of the dataset.", metavar="HASH")
    metrics: str = field(
        "all", "Metrics to export; all means every metric with a better direction.", metavar="all|NAME,…", names=True
    )
    model_id: str | None = field(
        None, "Name of the model on the Hub, if it differs from the run's.", metavar="ORG/NAME"
    )
    source: str | None = field(None, "Address where others find the run.", metavar="URL")

    def __post_init__(self) -> None:
        super().__post_init__()
        check_on_the_hub("--dataset", self.dataset)
        check_on_the_hub("--model-id", self.model_id)


def check_on_the_hub(what: str, name: str | None) -> None:
    """Raise UsageError for a name that is not valid on the Hub."""
    if name is not None and not is_on_the_hub(name):
        raise UsageError(f"{what} '{name}' is not a valid name on the Hub: write it as ORG/NAME")


def is_on_the_hub(name: str) -> bool:
    """Return whether the name is valid: two parts of letters, digits, `-`, `_` and `.`, at most 96 characters.

    No part begins or ends with `-` or `.`.
    """
    return len(name) <= _LONGEST and _ON_THE_HUB.fullmatch(name) is not None
