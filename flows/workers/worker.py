"""What a process is that shards are sent to: it knows the user's own pieces, and keeps what it has loaded."""

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

_OWN = threading.local()  # a thread's own models: neither they nor their tokenizers are made to be shared
_ONE_AT_A_TIME = threading.Lock()  # transformers loads into what is the same for all threads


def settle(setting: Setting) -> None:
    """Loads all pieces, the user's too, and takes no more threads than are due."""
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


def kept(kind: str, key: Hashable, load: Callable[[], T]) -> T:
    """What was loaded under this key; only the last of a kind stays in memory."""
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
    """A path that means the same in any folder; anything else, such as a model's name on the hub, stays as it is."""
    return str(Path(place).resolve()) if place and Path(place).exists() else place
