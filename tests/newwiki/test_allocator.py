"""What glibc is told, seen in a process of its own."""

import os
import subprocess
import sys
from typing import Any

import pytest

# Four threads that hold memory at the same time, and the arenas that glibc then has.
ARENAS = """
import ctypes, threading
import newwiki

libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
libc.open_memstream.restype = ctypes.c_void_p
together = threading.Barrier(4)

def hold():
    together.wait()
    for _ in range(1000):
        libc.malloc(64)
    together.wait()

threads = [threading.Thread(target=hold) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
text, size = ctypes.c_char_p(), ctypes.c_size_t()
stream = libc.open_memstream(ctypes.byref(text), ctypes.byref(size))
libc.malloc_info(0, ctypes.c_void_p(stream))
libc.fclose(ctypes.c_void_p(stream))
print(text.value.count(b"<heap nr="))
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="only glibc has arenas")
def test_threads_share_freed_memory_unless_the_user_says_otherwise() -> None:
    assert arenas() == 1
    assert arenas(MALLOC_ARENA_MAX="4") == 4


def arenas(**environment: Any) -> int:
    kept = {name: value for name, value in os.environ.items() if name != "MALLOC_ARENA_MAX"}
    done = subprocess.run(
        [sys.executable, "-c", ARENAS], env=kept | environment, capture_output=True, text=True, check=True
    )
    return int(done.stdout)
