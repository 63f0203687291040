"""Many questions at once, and the answers as they come."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import AbstractAsyncContextManager, suppress
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, Generic, TypeVar

T = TypeVar("T")
R = TypeVar("R")

_SILENCE = 3.0  # seconds without an answer


def side_by_side(
    opened: Callable[[], AbstractAsyncContextManager[Callable[[T], Awaitable[R]]]], questions: Iterable[T], at_once: int
) -> Iterator[R | None]:
    """Asks each question by what `opened` gives, `at_once` of them at a time; answers come in the order they are had.

    None comes after some seconds of silence, once, so that what is there is not kept waiting. The first error of a
    question ends all. Where the iterator is closed, what is under way is dropped at once.
    """
    asking = _Asking(opened, questions, at_once)
    asking.thread.start()
    try:
        yield from asking.answers()
    finally:
        asking.stop()


class _Asking(Generic[T, R]):
    """A loop in a thread of its own, as there may be one already where we are called (in a notebook)."""

    def __init__(
        self,
        opened: Callable[[], AbstractAsyncContextManager[Callable[[T], Awaitable[R]]]],
        questions: Iterable[T],
        at_once: int,
    ) -> None:
        self._opened = opened
        self._left = iter(questions)
        self._at_once = at_once
        self._come: SimpleQueue[tuple[R | None, BaseException | None]] = SimpleQueue()
        self._loop = asyncio.new_event_loop()
        self._task: asyncio.Task[Any] | None = None
        self._stopped = False
        self.thread = Thread(target=self._run, name="newwiki-asking", daemon=True)

    def answers(self) -> Iterator[R | None]:
        silent = True
        while True:
            try:
                answer, error = self._come.get(timeout=None if silent else _SILENCE)
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
        with suppress(RuntimeError):  # the loop has ended by itself
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
                self._come.put((None, None))
            except BaseExceptionGroup as group:
                self._come.put((None, group.exceptions[0]))
            except BaseException as error:  # noqa: BLE001 (it is raised where the answers are waited for)
                self._come.put((None, error))

    async def _ask_all(self) -> None:
        self._task = asyncio.current_task()
        if self._stopped:
            return
        async with self._opened() as ask, asyncio.TaskGroup() as group:
            for _ in range(self._at_once):
                group.create_task(self._ask_on(ask))

    async def _ask_on(self, ask: Callable[[T], Awaitable[R]]) -> None:
        for question in self._left:
            self._come.put((await ask(question), None))
