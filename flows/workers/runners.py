"""Parse `--runner`, and provide the workers and a Prefect task runner while they are in use."""

import logging
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any

from newwiki.errors import TerminalError, UsageError

_WRITTEN = re.compile(r"(threads|processes|dask|ray)(?::(\d+))?")
_LOOPBACK = re.compile(r"\w+://(localhost|127\.[\d.]+|\[::1\])(:|/|$)")
_SPELLINGS = "threads:N, processes:N, dask:N, dask:tcp://HOST:PORT, ray:N or ray://HOST:PORT"


@dataclass(frozen=True)
class Runner:
    """A kind of runner (threads, processes, dask or ray) with a number of local workers or the address of a cluster."""

    kind: str
    workers: int = 0
    address: str | None = None

    @property
    def is_elsewhere(self) -> bool:
        return self.address is not None and not _LOOPBACK.match(self.address)


@dataclass(frozen=True)
class WorkerPool:
    """The workers of a runner.

    `threads` is the number of threads for each worker, or None if the workers were started with their own setting.
    `task_runner` makes a new task runner, also after a worker's crash.
    """

    workers: int
    threads: int | None
    task_runner: Callable[[], Any]


def parse_runner(text: str) -> Runner:
    """Parse a runner.

    Without a number, it has as many workers as processor cores. Raises UsageError for an invalid text.
    """
    if match := _WRITTEN.fullmatch(text):
        workers = int(match[2]) if match[2] else _cores()
        if workers < 1:
            raise UsageError(f"--runner {text} has no workers; it is {_SPELLINGS}")
        return Runner(match[1], workers)
    if re.fullmatch(r"dask:(tcp|tls)://.+", text):
        return Runner("dask", address=text.removeprefix("dask:"))
    if re.fullmatch(r"ray://.+", text):
        return Runner("ray", address=text)
    raise UsageError(f"there is no runner '{text}'; --runner is {_SPELLINGS}")


@contextmanager
def assembled(runner: Runner) -> Iterator[WorkerPool]:
    """Provide the workers, and stop them at the end. Raises TerminalError if they are unavailable."""
    with _POOLS[runner.kind](runner) as pool:
        yield pool


@contextmanager
def _threads(runner: Runner) -> Iterator[WorkerPool]:
    from prefect.task_runners import ThreadPoolTaskRunner

    yield WorkerPool(runner.workers, _share(runner), lambda: ThreadPoolTaskRunner(max_workers=runner.workers))


@contextmanager
def _processes(runner: Runner) -> Iterator[WorkerPool]:
    from prefect.task_runners import ProcessPoolTaskRunner

    yield WorkerPool(runner.workers, _share(runner), lambda: ProcessPoolTaskRunner(max_workers=runner.workers))


@contextmanager
def _dask(runner: Runner) -> Iterator[WorkerPool]:
    try:
        import distributed
        from prefect_dask import DaskTaskRunner
    except ImportError as error:
        raise TerminalError("Dask is not installed; pip install 'newwiki-eval[dask]'") from error

    logging.getLogger("distributed").setLevel(logging.WARNING)
    if runner.address is None:
        with distributed.LocalCluster(
            n_workers=runner.workers, threads_per_worker=1, host="127.0.0.1", dashboard_address=None
        ) as cluster:
            address = cluster.scheduler_address
            yield WorkerPool(runner.workers, _share(runner), lambda: DaskTaskRunner(address=address))
        return
    try:
        with distributed.Client(runner.address, timeout="20s", set_as_default=False) as client:
            workers = sum(client.nthreads().values())
    except (OSError, ValueError) as error:
        raise TerminalError(f"no Dask scheduler answers at {runner.address}: {error}") from error
    if not workers:
        raise TerminalError(f"the Dask scheduler at {runner.address} has no workers; start some with `dask worker`")
    yield WorkerPool(workers, None, lambda: DaskTaskRunner(address=runner.address))


@contextmanager
def _ray(runner: Runner) -> Iterator[WorkerPool]:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        import ray
        from prefect_ray import RayTaskRunner
        from prefect_ray.context import remote_options
    except ImportError as error:
        raise TerminalError("Ray is not installed; pip install 'newwiki-eval[ray]'") from error

    quiet = {"log_to_driver": False, "logging_level": "warning"}
    try:
        if runner.address is None:
            ray.init(num_cpus=runner.workers, include_dashboard=False, _node_ip_address="127.0.0.1", **quiet)
        else:
            ray.init(runner.address, **quiet)
    except (ConnectionError, ValueError) as error:
        raise TerminalError(
            f"no Ray cluster answers at {runner.address}: {error}; one that asks for a token is reached with "
            "RAY_AUTH_MODE=token and the token in RAY_AUTH_TOKEN or ~/.ray/auth_token"
        ) from error
    try:
        held = ray.cluster_resources()
        gpus = held.get("GPU", 0)
        workers = runner.workers or int(gpus or held.get("CPU", 1))
        # Ray hides the GPUs from tasks that do not request one.
        with remote_options(num_gpus=min(1, gpus / workers)) if gpus else nullcontext():
            yield WorkerPool(workers, _share(runner) if runner.workers else None, RayTaskRunner)
    finally:
        ray.shutdown()


_POOLS = {"threads": _threads, "processes": _processes, "dask": _dask, "ray": _ray}


def _cores() -> int:
    return len(os.sched_getaffinity(0))


def _share(runner: Runner) -> int:
    """Return the number of threads for each local worker. More threads than cores would only wait for each other."""
    return max(1, _cores() // runner.workers)
