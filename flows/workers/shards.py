"""Work that is cut into shards for several workers: what a shard may be, and how much of a run is one."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Protocol, TypeVar

from newwiki.errors import TerminalError

A_SHARD = 512  # completions or texts, at most: what is lost where the coordinator is killed
_A_WORKER = 4  # shards, so that those who are done early have something left to do

S = TypeVar("S")
R = TypeVar("R")
T = TypeVar("T")


class ShardsFailed(TerminalError):
    """Some shards failed for good. All others are done, and stored."""


@dataclass(frozen=True)
class Setting:
    """What a worker has to know of the process that sends it work: the files of the user's own pieces, machine and
    number of the process, and how many threads torch may use; None leaves that to whoever started the worker."""

    plugins: tuple[str, ...]
    machine: str
    process: int
    threads: int | None


class Executor(Protocol):
    """Several workers, in this process, on this machine or on others."""

    workers: int
    setting: Setting

    def run(self, work: Callable[[S], R], shards: Sequence[S], name: Callable[[S], str]) -> Iterator[tuple[S, R]]:
        """What `work` (a function of a module) makes of each shard, as it is done.

        A worker that dies is replaced, and its shard done again. Raises ShardsFailed in the end, once all others are
        done, with the `name` of each shard that could not be done and why.
        """
        ...


def shard_size(items: int, workers: int, most: int) -> int:
    """How many items make a shard full."""
    return min(most, math.ceil(items / (workers * _A_WORKER)))


def cut(items: Sequence[T], page: Callable[[T], int], workers: int, most: int) -> list[list[T]]:
    """Shards of whole pages, which lie one after the other: several for each worker, of not much over `most` items."""
    size = shard_size(len(items), workers, most)
    shards: list[list[T]] = []
    for _, of_page in groupby(items, key=page):
        if not shards or len(shards[-1]) >= size:
            shards.append([])
        shards[-1] += of_page
    return shards


def pages_of(page_ids: Sequence[int]) -> str:
    """`page 7`, or `pages 7 … 9 (3)`: how a person is told which pages a shard has."""
    pages = list(dict.fromkeys(page_ids))
    return f"page {pages[0]}" if len(pages) == 1 else f"pages {pages[0]} … {pages[-1]} ({len(pages)})"
