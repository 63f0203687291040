"""An executor on Prefect's task runners. Each shard is a task run, and crashed workers are replaced."""

import os
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any, TypeVar

from prefect import task
from prefect.cache_policies import NO_CACHE
from prefect.client.orchestration import get_client
from prefect.futures import as_completed
from prefect.settings import PREFECT_API_URL, temporary_settings

from flows.progress import Progress
from flows.workers.runners import WorkerPool, assembled, parse_runner
from flows.workers.shards import Setting, ShardsFailed
from newwiki.errors import TerminalError, UsageError
from newwiki.registry import loaded_plugins

_ROUNDS = 3  # each shard of the last round runs alone, so that no other shard can crash its worker

S = TypeVar("S")
R = TypeVar("R")


@contextmanager
def prefect_executor(text: str, progress: Progress) -> Iterator["PrefectExecutor"]:
    """Yield the executor of `--runner`, inside a flow.

    Raises UsageError or TerminalError if the runner is unavailable.
    """
    runner = parse_runner(text)
    if runner.is_elsewhere and not PREFECT_API_URL.value():
        raise UsageError(
            f"the workers of {runner.address} report to a Prefect server, and the one of this process is for this "
            "machine alone; run `DO_NOT_TRACK=1 PREFECT_SERVER_ANALYTICS_ENABLED=false prefect server start "
            "--host 0.0.0.0` and set PREFECT_API_URL to where they reach it"
        )
    # Workers without this address would each start their own server.
    url = {PREFECT_API_URL: str(get_client(sync_client=True).api_url)}
    with temporary_settings(url), assembled(runner) as pool, PrefectExecutor(pool, progress) as hired:
        yield hired


class PrefectExecutor:
    """The implementation of `flows.workers.shards.Executor` on Prefect."""

    def __init__(self, pool: WorkerPool, progress: Progress) -> None:
        self.workers = pool.workers
        plugins = tuple(map(str, loaded_plugins()))
        self.setting = Setting(plugins, socket.gethostname(), os.getpid(), pool.threads)
        self._pool = pool
        self._progress = progress
        self._open = ExitStack()

    def __enter__(self) -> "PrefectExecutor":
        self._runner = self._open.enter_context(self._pool.task_runner())
        return self

    def __exit__(self, *error: object) -> None:
        self._open.close()

    def _replace_the_dead(self) -> None:
        """Restart the task runner, because a process pool is unusable after a crash.

        Other pools replace workers themselves.
        """
        self._open.close()
        self._runner = self._open.enter_context(self._pool.task_runner())

    def run(self, work: Callable[[S], R], shards: Sequence[S], name: Callable[[S], str]) -> Iterator[tuple[S, R]]:
        failed: dict[int, BaseException] = {}
        waiting = list(range(len(shards)))
        for attempt in range(1, _ROUNDS + 1):
            again: dict[int, BaseException] = {}
            groups = [[number] for number in waiting] if attempt == _ROUNDS else [waiting]
            for number, result in self._done(work, shards, groups, name):
                if not isinstance(result, BaseException):
                    yield shards[number], result
                elif isinstance(result, TerminalError) or attempt == _ROUNDS:
                    failed[number] = result
                else:
                    again[number] = result
            waiting = sorted(again)
            if not waiting:
                break
            self._progress.note(f"{len(waiting)} shards are done again: {_message(again[waiting[0]])}")
        if failed:
            lines = [f"{name(shards[number])}: {_message(error)}" for number, error in sorted(failed.items())]
            for line in lines:
                self._progress.note(f"failed for good: {line}")
            raise ShardsFailed(f"{len(failed)} of {len(shards)} shards failed, all others are stored; {lines[0]}")

    def _done(
        self, work: Callable[[S], R], shards: Sequence[S], groups: Sequence[Sequence[int]], name: Callable[[S], str]
    ) -> Iterator[tuple[int, R | BaseException]]:
        """Yield the number of each shard with its result or its exception as it finishes, group by group."""
        for group in groups:
            died = False
            futures = {
                self._runner.submit(_task(work, name(shards[number])), {"shard": shards[number]}): number
                for number in group
            }
            for future in as_completed(list(futures)):
                result = _outcome(future)
                died = died or (isinstance(result, BaseException) and not isinstance(result, TerminalError))
                yield futures[future], result
            if died:
                self._replace_the_dead()


def _task(work: Callable[[S], Any], pages: str) -> Any:
    title = work.__name__.replace("_", " ")
    return task(name=title, task_run_name=f"{title} {pages}", cache_policy=NO_CACHE, persist_result=False)(work)


def _outcome(future: Any) -> Any:
    try:
        return future.result()
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # noqa: BLE001 (a worker may raise anything; the caller reports or raises it)
        return error


def _message(error: BaseException) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split()) if not isinstance(error, TerminalError) else str(error)
