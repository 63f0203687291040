"""Find the checkpoint folders of a training run (checkpoint-500, step_1000), and tell whether one is complete."""

import hashlib
import re
import time
from pathlib import Path

from newwiki.errors import TerminalError
from newwiki.foreign_json import read_json, read_object
from newwiki.models import adapters
from newwiki.training import record

_STEP = re.compile(r"(?:checkpoint|ckpt|global[-_]?step|step|iter(?:ation)?)[-_]?(\d+)", re.IGNORECASE)
_LAST = "trainer_state.json"  # transformers' Trainer writes it last


def step_of(folder: Path) -> int | None:
    """Return the training step in a folder's name; None for other names."""
    match = _STEP.fullmatch(folder.name)
    return int(match[1]) if match else None


def by_step(folder: Path) -> list[Path]:
    """Return the subfolders that are named after a step, in the order of steps."""
    numbered = [(step, sub) for sub in folder.iterdir() if sub.is_dir() and (step := step_of(sub)) is not None]
    return [sub for _, sub in sorted(numbered)]


def record_of(folder: Path, before: record.TrainingRecord | None = None) -> dict[str, str]:
    """Return what is known about a checkpoint's training, for `runs.versions`. A checkpoint without a record has only
    the training `before` it, which is that of an adapter's base.

    `training_step` is a number of steps; `training_run` is the same for all checkpoints of one training.
    """
    made = record.read(folder)
    step = step_of(folder)
    if made is None:
        read = _read_by(before) if before else {}
        if step is None:
            return read
        place = hashlib.sha256(str(folder.resolve().parent).encode()).hexdigest()
        return {"training_step": str(step), "training_run": place[:16], **read}
    return {
        "training_step": str(made.request["steps"] if step is None else step),
        "training_run": made.sha256[:16],
        **_read_by(made),
        "base_sha256": made.request["base_sha256"],
    }


def _read_by(made: record.TrainingRecord) -> dict[str, str]:
    return {
        "training_sha256": made.sha256,
        "training_set_sha256": made.request["training_set_sha256"],
        "training_snapshots": ",".join(made.snapshots),
    }


def lacking(folder: Path, settle: float) -> str | None:
    """Say what a checkpoint still lacks; None if it is complete.

    It is complete when its configuration and all of its weights have their full length, and when transformers' Trainer
    has finished it or nothing in it has changed for `settle` seconds. If there is only an adapter, its own files count.
    """
    is_whole_model = (folder / "config.json").exists() or not (folder / adapters.CONFIG).exists()
    config = "config.json" if is_whole_model else adapters.CONFIG
    try:
        read_object((folder / config).read_bytes(), config, allow_nan=True)
        if short := _short_of(folder, "model.safetensors" if is_whole_model else adapters.WEIGHTS):
            return short
        if _is_json(folder / _LAST):
            return None
        changed = max(file.stat().st_mtime for file in folder.rglob("*"))
    except FileNotFoundError as error:
        return f"it has no {Path(error.filename).name}"
    except (TerminalError, KeyError, TypeError, AttributeError, OSError):
        return f"its {config} is incomplete"
    still = settle - (time.time() - changed)
    return None if still <= 0 else f"it has changed within the last {settle:g} s"


def _short_of(folder: Path, usual: str) -> str | None:
    """Name the first weights file that is missing or incomplete."""
    index = folder / "model.safetensors.index.json"
    if index.is_file():
        if not _is_json(index):
            return f"its {index.name} is incomplete"
        names = sorted(map(str, set(read_object(index.read_bytes(), index.name)["weight_map"].values())))
    else:
        names = sorted(file.name for file in folder.glob("*.safetensors")) or [usual]
    return next((f"its {name} is incomplete" for name in names if not _is_full(folder / name)), None)


def _is_full(weights: Path) -> bool:
    """Tell whether a safetensors file is as long as its header says: 8 bytes, the header, and the tensors."""
    with weights.open("rb") as stream:
        length = int.from_bytes(stream.read(8), "little")
        head = stream.read(length) if length < weights.stat().st_size else b""
    try:
        tensors = [entry for name, entry in read_object(head, weights.name).items() if name != "__metadata__"]
        ends = [int(tensor["data_offsets"][1]) for tensor in tensors]
    except (TerminalError, ValueError, TypeError, KeyError, IndexError):
        return False
    return weights.stat().st_size == 8 + length + max(ends, default=0)


def _is_json(file: Path) -> bool:
    try:
        read_json(file.read_bytes(), file.name, allow_nan=True)
    except (TerminalError, FileNotFoundError):
        return False
    return True
