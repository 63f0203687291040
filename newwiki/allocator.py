"""Tune what keeps memory for later: glibc's allocator, and torch's cache of CPU kernels."""

import ctypes
import os
import sys
from collections.abc import Callable

_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8  # of mallopt(3)
_LARGEST = 32 << 20  # bytes; glibc accepts no larger mmap threshold
_KERNELS = "LRU_CACHE_CAPACITY"


def keep_few_kernels() -> None:
    """Let torch keep 32 of the kernels that it builds for shapes on a CPU, not 1,024, unless the user sets the
    variable.

    A kernel keeps its workspace, about a megabyte, and texts come in hundreds of lengths. Call this before torch builds
    its first kernel.
    """
    os.environ.setdefault(_KERNELS, "32")


def share_freed_memory() -> None:
    """Let threads reuse memory that another thread has freed, unless the user sets the variable.

    By default glibc has an arena for each thread, and `keep_freed_memory` applies only to the main one. A thread keeps
    its arena forever, so call this before there are other threads.
    """
    if "MALLOC_ARENA_MAX" not in os.environ and (set_option := _glibc_function("mallopt")):
        set_option(_ARENA_MAX, 1)


def keep_freed_memory() -> None:
    """Let this process reuse memory that it has freed.

    By default glibc returns blocks of megabytes to the system at once and requests them again page by page, which costs
    a small transformer on a CPU much of its time.
    """
    if set_option := _glibc_function("mallopt"):
        set_option(_MMAP_THRESHOLD, _LARGEST)
        set_option(_TRIM_THRESHOLD, 8 * _LARGEST)


def give_back_freed_memory() -> None:
    """Return the holes that glibc keeps to the system."""
    if trim := _glibc_function("malloc_trim"):
        trim(0)


def _glibc_function(name: str) -> Callable[..., int] | None:
    return getattr(ctypes.CDLL(None), name, None) if sys.platform == "linux" else None
