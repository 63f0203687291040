"""Run compiled functions in the threads that torch computes with on a CPU.

Threads of another pool would compete for the processor with torch's, which stay awake for a while after each operation.
"""

import ctypes
from functools import cache
from pathlib import Path
from typing import Any


def share_out(function: Any, work: Any) -> None:
    """Call a Numba function, `cfunc(void(record*))`, in as many threads at once as torch uses, all with the same
    record; through the record they divide the work. If torch's OpenMP lacks GNU's interface, the function is called
    once.
    """
    import torch

    threads, parallel = torch.get_num_threads(), _parallel()
    if threads == 1 or parallel is None:
        function.ctypes(work.ctypes.data)
    else:
        parallel(function.address, work.ctypes.data, threads, 0)


@cache
def _parallel() -> Any:
    """Return `GOMP_parallel` of torch's OpenMP; LLVM's and Intel's have it, too."""
    import torch

    libraries = sorted((Path(torch.__file__).parent / "lib").glob("libtorch_cpu.*"))
    parallel = next((getattr(ctypes.CDLL(str(file)), "GOMP_parallel", None) for file in libraries), None)
    if parallel is not None:
        parallel.argtypes, parallel.restype = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint, ctypes.c_uint], None
    return parallel
