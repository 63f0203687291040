"""Estimate how many rows fit into memory, and recognize out-of-memory errors."""

import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch

from newwiki.allocator import give_back_freed_memory
from newwiki.errors import TerminalError

_SHARE = 0.5  # of the free memory
# What torch and oneDNN report on a CPU without memory for a tensor, or for a kernel's workspace.
_SIGNS = ("can't allocate memory", "not enough memory", "could not create a primitive", "std::bad_alloc")
_CGROUP_LIMIT = Path("/sys/fs/cgroup/memory.max")


def rows_that_fit(model: Any, length: int, memory: int | None = None, cache: int | None = None) -> int:
    """Return how many rows of `length` tokens, at least 1, fit with cache and logits into `memory` bytes, or into half
    of the free memory; `cache` is the size of a row in bytes if it is not slots of keys and values."""
    taken = length * cache_bytes(model) if cache is None else cache
    logits = 4 * 4 * model.config.get_text_config().vocab_size
    return max(1, int((memory or _free(model.device) * _SHARE) / (taken + logits)))


def cache_bytes(model: Any) -> int:
    """Return the bytes per token and row of the model's cache, measured on the cache of one token."""
    token = torch.tensor([[0]], device=model.device)
    inputs = {"decoder_input_ids": token} if model.config.is_encoder_decoder else {}
    with torch.inference_mode():
        cache = model(input_ids=token, **inputs, use_cache=True).past_key_values
    layers = getattr(cache, "self_attention_cache", cache).layers
    held = [(layer.keys, layer.values) for layer in layers if layer.keys is not None]  # others share a layer's cache
    return sum(keys.nbytes + values.nbytes for keys, values in held)


def _free(device: torch.device) -> int:
    if device.type == "cuda":
        return int(torch.cuda.mem_get_info(device)[0])
    free = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    if _CGROUP_LIMIT.is_file() and (limit := _CGROUP_LIMIT.read_text().strip()).isdigit():
        free = min(free, int(limit))
    return int(free)


def is_out_of_memory(error: BaseException) -> bool:
    if isinstance(error, torch.OutOfMemoryError | MemoryError):
        return True
    return any(sign in str(error) for sign in _SIGNS)


@contextmanager
def fits_into_memory(what: str) -> Iterator[None]:
    """Raise TerminalError if memory runs out."""
    try:
        yield
    except (RuntimeError, MemoryError) as error:
        if not is_out_of_memory(error):
            raise
        raise TerminalError(
            f"{what} does not fit into memory; use dtype bfloat16, or a machine with more memory"
        ) from error


def release(device: torch.device) -> None:
    """Return free memory to the system: on a GPU torch's cache, on a CPU the holes that glibc keeps."""
    gc.collect()
    if device.type == "cuda":
        torch.cuda.empty_cache()
    else:
        give_back_freed_memory()
