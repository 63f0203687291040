"""Compiled functions in the threads that torch computes with on a CPU.

Threads of another pool would wait beside torch's, which stay awake for a while after each of its operations, and take
the processor from each other.
"""

import ctypes
from functools import cache
from pathlib import Path
from typing import Any


def share_out(function: Any, work: Any) -> None:
    """Calls a function of Numba's, `cfunc(void(record*))`, in as many threads at once as torch uses, all with the same
    record; what is to be done by whom they agree on there. Where torch runs on an OpenMP that knows no call of GNU's,
    the function is called once.
    """
    import torch

    threads, parallel = torch.get_num_threads(), _parallel()
    if threads == 1 or parallel is None:
        function.ctypes(work.ctypes.data)
    else:
        parallel(function.address, work.ctypes.data, threads, 0)


@cache
def _parallel() -> Any:
    """`GOMP_parallel` of the OpenMP that torch runs on, which LLVM's and Intel's have too."""
    import torch

    libraries = sorted((Path(torch.__file__).parent / "lib").glob("libtorch_cpu.*"))
    parallel = next((getattr(ctypes.CDLL(str(file)), "GOMP_parallel", None) for file in libraries), None)
    if parallel is not None:
        parallel.argtypes, parallel.restype = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint, ctypes.c_uint], None
    return parallel
