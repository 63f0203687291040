"""Two months of the sample wiki, to train on the older and to evaluate on the newer, and short trainings."""

import shutil
from pathlib import Path
from typing import Any

from flows.demonstration import wiki
from flows.progress import Silent
from flows.refreshing.gather_and_publish import SnapshotDefinition, refresh
from newwiki.snapshot import Window
from newwiki.sources.dump import DumpSource
from newwiki.training_requests import FinetuneRequest
from storage.database import Database

AUGUST, SEPTEMBER = "samplewiki-2026-08", "samplewiki-2026-09"
SHORT: dict[str, Any] = {"epochs": 4, "batch_size": 4, "max_length": 128, "learning_rate": 2e-3}
# What is held out goes on falling with longer texts and smaller steps, as the toy GPT-2 has begun to learn already.
CAUSAL: dict[str, Any] = {"max_length": 256, "learning_rate": 3e-4}


def add_august(published: Path, path: Path) -> Path:
    """A copy of the database with September that has August too."""
    shutil.copy(published, path)
    refresh(Database(path), DumpSource(str(wiki())), SnapshotDefinition(Window.month("2026-08")), Silent())
    return path


def request(model: Path, **changes: Any) -> FinetuneRequest:
    values: dict[str, Any] = {"snapshot": (AUGUST,), **SHORT, **changes}
    return FinetuneRequest(model=str(model), **values)


def asked(model: Path, out: Path | str, **changes: Any) -> list[str]:
    """The same on the command line."""
    values = {**SHORT, **changes}
    flags = [part for name, value in values.items() for part in (f"--{name.replace('_', '-')}", str(value))]
    return ["finetune", str(model), "--snapshot", AUGUST, "--out", str(out), *flags]
