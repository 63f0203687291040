"""What is told to those who keep memory for later: glibc's allocator, and torch's cache of CPU kernels."""

import ctypes
import os
import sys
from collections.abc import Callable

_TRIM_THRESHOLD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -3, -8  # of mallopt(3)
_LARGEST = 32 << 20  # bytes; glibc takes no more for the second
_KERNELS = "LRU_CACHE_CAPACITY"


def keep_few_kernels() -> None:
    """Lets torch keep 32 of the kernels that it makes for shapes on a CPU, not 1,024, unless the user says otherwise.

    A kernel keeps its workspace, about a megabyte, and texts come in hundreds of lengths. This has to be said before
    torch makes its first kernel.
    """
    os.environ.setdefault(_KERNELS, "32")


def share_freed_memory() -> None:
    """Lets a thread use memory again that another has freed, unless the user says otherwise.

    By default glibc has an arena for each thread, and `keep_freed_memory` holds for that of the main one only. A thread
    has its arena for good, so this has to be said before there are others.
    """
    if "MALLOC_ARENA_MAX" not in os.environ and (tell := _of_glibc("mallopt")):
        tell(_ARENA_MAX, 1)


def keep_freed_memory() -> None:
    """Lets this process use memory again that it has freed.

    By default glibc gives blocks of megabytes back to the system at once and asks for them anew, page by page, which
    costs a small transformer on a CPU much of its time.
    """
    if tell := _of_glibc("mallopt"):
        tell(_MMAP_THRESHOLD, _LARGEST)
        tell(_TRIM_THRESHOLD, 8 * _LARGEST)


def give_back_freed_memory() -> None:
    """Gives the system the holes that glibc keeps."""
    if trim := _of_glibc("malloc_trim"):
        trim(0)


def _of_glibc(name: str) -> Callable[..., int] | None:
    return getattr(ctypes.CDLL(None), name, None) if sys.platform == "linux" else None
