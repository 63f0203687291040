"""The worker process of a shard. It loads the user's components, and caches loaded models."""

import os
import socket
import threading
from collections.abc import Callable, Hashable
from pathlib import Path
from typing import TypeVar

from flows.workers.shards import Setting
from newwiki.quiet import end_quietly
from newwiki.registry import decoders, load_plugin, models

T = TypeVar("T")

_OWN = threading.local()  # models of a thread, because models and tokenizers are not thread-safe
_ONE_AT_A_TIME = threading.Lock()  # transformers modifies global state during a load


def settle(setting: Setting) -> None:
    """Load all components, including the user's, and limit the number of threads."""
    if (setting.machine, setting.process) != (socket.gethostname(), os.getpid()):
        end_quietly()
    with _ONE_AT_A_TIME:
        for plugin in setting.plugins:
            load_plugin(Path(plugin))
        for registry in (models, decoders):
            registry.all()
    if setting.threads is not None:
        import torch

        torch.set_num_threads(setting.threads)


def cached(kind: str, key: Hashable, load: Callable[[], T]) -> T:
    """Return the cached object for this key, or load it. The cache holds only the last object of each kind."""
    slots: dict[str, tuple[Hashable, T]] = _OWN.__dict__
    if kind in slots and slots[kind][0] == key:
        return slots[kind][1]
    slots.pop(kind, None)
    with _ONE_AT_A_TIME:
        loaded = load()
    slots[kind] = (key, loaded)
    return loaded


def here() -> str:
    return f"{socket.gethostname()} (process {os.getpid()})"


def everywhere(place: str) -> str:
    """Return the absolute path of an existing file or folder, or any other text, such as a hub name, unchanged."""
    return str(Path(place).resolve()) if place and Path(place).exists() else place
