"""What a user may ask of results that go to others' leaderboards (see `newwiki.request`)."""

import re
from dataclasses import dataclass
from typing import Literal

from newwiki.errors import UsageError
from newwiki.fields import asked
from newwiki.request import Request

Relationship = Literal["first_party", "third_party", "collaborative", "other"]

_NAME = r"\w(?:[\w.-]*\w)?"
_LONGEST = 96  # of a repository on the Hub
_ON_THE_HUB = re.compile(f"{_NAME}/{_NAME}", re.ASCII)


@dataclass(frozen=True, kw_only=True)
class EveryEvalEverRequest(Request):
    """Results as records of Every Eval Ever: who vouches for them, and of which model."""

    runs: tuple[str, ...] = asked(help="As for `newwiki compare`.", metavar="RUN", argument=True)
    organization: str = asked(help="Who ran the evaluation.", metavar="NAME")
    relationship: Relationship = asked(help="Of whoever ran it to the model's maker.")
    model_id: str | None = asked(None, "The model's name on the Hub, if the run has another.", metavar="ORG/NAME")
    instances: bool = asked(False, "Also each text's score, with prompt, article and text.")

    def __post_init__(self) -> None:
        super().__post_init__()
        check_on_the_hub("--model-id", self.model_id)


@dataclass(frozen=True, kw_only=True)
class HubResultsRequest(Request):
    """Results as Hugging Face's Hub reads them beside a model: on which benchmark, and by which metrics."""

    runs: tuple[str, ...] = asked(help="As for `newwiki compare`.", metavar="RUN", argument=True)
    dataset: str = asked(help="The benchmark's dataset on the Hub.", metavar="ORG/NAME")
    revision: str | None = asked(None, "The dataset's commit.", metavar="HASH")
    metrics: str = asked("all", "Of which; all are those with a direction.", metavar="all|NAME,…", names=True)
    model_id: str | None = asked(None, "The model's name on the Hub, if the run has another.", metavar="ORG/NAME")
    source: str | None = asked(None, "Where others find the run itself.", metavar="URL")

    def __post_init__(self) -> None:
        super().__post_init__()
        check_on_the_hub("--dataset", self.dataset)
        check_on_the_hub("--model-id", self.model_id)


def check_on_the_hub(what: str, name: str | None) -> None:
    """Raises UsageError for a name that cannot be one on the Hub."""
    if name is not None and not is_on_the_hub(name):
        raise UsageError(f"{what} '{name}' is no name on the Hub, which are ORG/NAME")


def is_on_the_hub(name: str) -> bool:
    """Whether it can be: two parts of letters, digits, `-`, `_` and `.`, with none of `-` and `.` at their ends, and at
    most 96 letters."""
    return len(name) <= _LONGEST and _ON_THE_HUB.fullmatch(name) is not None
