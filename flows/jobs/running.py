"""The options that decide who runs a job: this process, Prefect, or workers."""

from typing import Any

from newwiki.fields import field

_EXECUTION = "Execution options"

PREFECT: Any = field(
    False,
    "Run as a Prefect flow (default where PREFECT_API_URL is set).",
    group=_EXECUTION,
    set_by="PREFECT_API_URL",
    shell_only=True,
)
RUNNER: Any = field(
    None,
    "Workers that do the work, through Prefect: threads:N, processes:N, dask:N, dask:tcp://…, ray:N or ray://….",
    metavar="KIND",
    group=_EXECUTION,
)


def check_runner(runner: str | None) -> None:
    """Raise UsageError for a runner that does not exist."""
    if runner:
        from flows.workers.runners import parse_runner

        parse_runner(runner)
