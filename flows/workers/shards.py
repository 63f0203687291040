"""Divide work into shards for several workers."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Protocol, TypeVar

from newwiki.errors import TerminalError

A_SHARD = 512  # maximum completions or texts per shard, which are lost if the coordinator is killed
_A_WORKER = 4  # shards per worker, so that fast workers have more work

S = TypeVar("S")
R = TypeVar("R")
T = TypeVar("T")


class ShardsFailed(TerminalError):
    """Some shards failed for good. All other shards are done and stored."""


@dataclass(frozen=True)
class Setting:
    """The settings that a worker copies from the coordinating process.

    `plugins` are the files of the user's own components, `machine` and `process` identify the process, and `threads` is
    the number of torch threads. None leaves this number to the worker.
    """

    plugins: tuple[str, ...]
    machine: str
    process: int
    threads: int | None


class Executor(Protocol):
    """Several workers, in this process, on this machine or on other machines."""

    workers: int
    setting: Setting

    def run(self, work: Callable[[S], R], shards: Sequence[S], name: Callable[[S], str]) -> Iterator[tuple[S, R]]:
        """Yield each shard with the result of `work`, a module-level function, as it finishes.

        A crashed worker is replaced, and its shard runs again. Raises ShardsFailed after all other shards are done,
        with the `name` and the error of each failed shard.
        """
        ...


def shard_size(items: int, workers: int, most: int) -> int:
    """Return the number of items in a full shard."""
    return min(most, math.ceil(items / (workers * _A_WORKER)))


def cut(items: Sequence[T], page: Callable[[T], int], workers: int, most: int) -> list[list[T]]:
    """Divide the items into shards of whole, consecutive pages: several per worker, with about `most` items at most."""
    size = shard_size(len(items), workers, most)
    shards: list[list[T]] = []
    for _, page_items in groupby(items, key=page):
        if not shards or len(shards[-1]) >= size:
            shards.append([])
        shards[-1] += page_items
    return shards


def pages_of(page_ids: Sequence[int]) -> str:
    """Return the pages of a shard for people, such as `page 7` or `pages 7 … 9 (3)`."""
    pages = list(dict.fromkeys(page_ids))
    return f"page {pages[0]}" if len(pages) == 1 else f"pages {pages[0]} … {pages[-1]} ({len(pages)})"
