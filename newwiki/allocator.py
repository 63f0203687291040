"""What glibc's allocator is told, where it is the one at work."""

import ctypes
import sys

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # of mallopt(3)
_LARGEST = 32 << 20  # bytes; glibc takes no more for the second


def keep_freed_memory() -> None:
    """Lets this process use memory again that it has freed.

    By default glibc gives blocks of megabytes back to the system at once and asks for them anew, page by page: a third
    of the time of a small transformer on a CPU goes there. What is kept is at most what was in use together.
    """
    if sys.platform == "linux" and (mallopt := getattr(ctypes.CDLL(None), "mallopt", None)):
        mallopt(_MMAP_THRESHOLD, _LARGEST)
        mallopt(_TRIM_THRESHOLD, 8 * _LARGEST)
