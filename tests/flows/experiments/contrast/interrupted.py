"""An experiment that somebody stops, and models that say how much they were asked for."""

from collections.abc import Sequence
from typing import Any, cast

from flows.evaluating.evaluate_all import RunSteps
from flows.experiments.evaluations import LastModel
from newwiki.models.backend import Backend


class Interrupted(RunSteps):
    """Somebody stops it after so many scorings."""

    def __init__(self, after: int) -> None:
        self.left = after

    def score(self, *given: Any) -> None:
        if not self.left:
            raise KeyboardInterrupt
        self.left -= 1
        super().score(*given)


class Counted(LastModel):
    """Counts the completions that models are asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = 0

    def __call__(self, *given: Any) -> Backend:
        backend: Any = super().__call__(*given)
        complete = backend.complete

        def counted(requests: Sequence[Any], *rest: Any) -> Any:
            self.asked += len(requests)
            return complete(requests, *rest)

        backend.complete = counted
        return cast(Backend, backend)
