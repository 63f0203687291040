"""Run many requests in parallel, and yield the answers as they arrive."""

import asyncio
from collections.abc import Awaitable, Callable, Generator, Iterable, Iterator
from contextlib import AbstractAsyncContextManager, suppress
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, Generic, TypeVar

T = TypeVar("T")
R = TypeVar("R")

_SILENCE = 3.0  # seconds without an answer


def side_by_side(
    opened: Callable[[], AbstractAsyncContextManager[Callable[[T], Awaitable[R]]]], questions: Iterable[T], at_once: int
) -> Generator[R | None, None, None]:
    """Send each question through the function that `opened` yields, `at_once` at a time; answers come as they arrive.

    None comes once after some seconds of silence, so that finished answers do not have to wait. After an error no
    further question is sent, and the first error is raised once the questions on their way are answered. If the
    iterator is closed, pending requests are dropped at once.
    """
    asking = _Asking(opened, questions, at_once)
    asking.thread.start()
    try:
        yield from asking.answers()
    finally:
        asking.stop()


class _Asking(Generic[T, R]):
    """An event loop in a thread of its own, because the caller's thread may already run one (in a notebook)."""

    def __init__(
        self,
        opened: Callable[[], AbstractAsyncContextManager[Callable[[T], Awaitable[R]]]],
        questions: Iterable[T],
        at_once: int,
    ) -> None:
        self._opened = opened
        self._left = iter(questions)
        self._at_once = at_once
        self._results: SimpleQueue[tuple[R | None, BaseException | None]] = SimpleQueue()
        self._loop = asyncio.new_event_loop()
        self._task: asyncio.Task[Any] | None = None
        self._stopped = False
        self._error: Exception | None = None
        self.thread = Thread(target=self._run, name="newwiki-asking", daemon=True)

    def answers(self) -> Iterator[R | None]:
        silent = True
        while True:
            try:
                answer, error = self._results.get(timeout=None if silent else _SILENCE)
            except Empty:
                silent = True
                yield None
                continue
            if error:
                raise error
            if answer is None:
                return
            silent = False
            yield answer

    def stop(self) -> None:
        with suppress(RuntimeError):  # the loop has already ended
            self._loop.call_soon_threadsafe(self._cancel)
        self.thread.join()

    def _cancel(self) -> None:
        self._stopped = True
        if self._task:
            self._task.cancel()

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            try:
                runner.run(self._ask_all())
                self._results.put((None, None))
            except BaseExceptionGroup as group:
                self._results.put((None, group.exceptions[0]))
            except BaseException as error:  # noqa: BLE001 (it is raised again where the answers are consumed)
                self._results.put((None, error))

    async def _ask_all(self) -> None:
        self._task = asyncio.current_task()
        if self._stopped:
            return
        async with self._opened() as ask, asyncio.TaskGroup() as group:
            for _ in range(self._at_once):
                group.create_task(self._ask_on(ask))
        if self._error:
            raise self._error

    async def _ask_on(self, ask: Callable[[T], Awaitable[R]]) -> None:
        while not self._error:
            try:
                question = next(self._left)
            except StopIteration:
                return
            try:
                self._results.put((await ask(question), None))
            except Exception as error:  # noqa: BLE001 (it is raised again where the answers are consumed)
                self._error = self._error or error
