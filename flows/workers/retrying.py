"""The retry policy of tasks: retry only after transient errors."""

from typing import Any

from prefect.tasks import exponential_backoff

from newwiki.errors import TransientError


def _is_transient(task: Any, run: Any, state: Any) -> bool:
    error = state.result(raise_on_failure=False)
    return isinstance(error, TransientError)


RETRIES: dict[str, Any] = {
    "retries": 3,
    "retry_delay_seconds": exponential_backoff(backoff_factor=10),
    "retry_jitter_factor": 0.5,
    "retry_condition_fn": _is_transient,
}
