"""Files that people hand over: answers of annotators, prompts, checkpoints and adapters."""

import csv
import io
import json
import os
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from tests.bundles.attempts import Make, refused
from tests.bundles.world import World


def answers(change: Callable[[str], str]) -> Make:
    """The genuine answers after this."""

    def make(world: World, folder: Path) -> Path:
        path = folder / "answers.csv"
        path.write_bytes(change(world.answers.read_bytes().decode()).encode())
        return path

    return make


def prompts(text: str) -> Make:
    def make(world: World, folder: Path) -> Path:
        path = folder / "prompts.csv"
        path.write_text(text, "utf-8", newline="")
        return path

    return make


def doubled(text: str) -> str:
    """The first column a second time at the end."""
    rows = [*csv.reader(io.StringIO(text, newline=""))]
    return written([*row, row[0]] for row in rows)


def of_strangers(text: str) -> str:
    head, *rows = csv.reader(io.StringIO(text, newline=""))
    return written([head, *(["0" * 16, *row[1:]] for row in rows)])


def written(rows: Iterable[list[str]]) -> str:
    csv.writer(out := io.StringIO(newline="")).writerows(rows)
    return out.getvalue()


refused("answers", "twice|column", "answers with two columns for the pair")(answers(doubled))
refused("answers", "pair", "answers to pairs that were never asked")(answers(of_strangers))
refused("answers", "column|pair", "answers separated by semicolons")(answers(lambda text: text.replace(",", ";")))
refused("answers", "annotator|name|judge", "an annotator's name with an escape sequence")(
    answers(lambda text: text.replace(",ann,", ",\x1b[2Jann,"))
)
refused("answers", "annotator|name|judge", "an annotator's name with RTL override")(
    answers(lambda text: text.replace(",ann,", ",\u202eann,"))
)
_TWO = "gender,Woman,She {0},She {1}\ngender,Man,He {0},He {1}\n"
refused("prompts", "twice|column", "prompts in two columns")(
    prompts("category,group,prompt,prompt\n" + _TWO.format("is", "was"))
)
refused("prompts", "column", "prompts without their column")(prompts("category,group\ngender,Woman\n"))


def adapter(change: Callable[[dict[str, Any]], Any]) -> Make:
    """An adapter's folder whose configuration is this."""

    def make(world: World, folder: Path) -> Path:
        path = folder / "adapter"
        path.mkdir()
        config = {"peft_type": "LORA", "base_model_name_or_path": str(world.checkpoint), "r": 4, "revision": None}
        held = change(config)
        text = held if isinstance(held, str) else json.dumps(held)
        (path / "adapter_config.json").write_text(text.replace("ITSELF", str(path)))
        (path / "adapter_model.safetensors").write_bytes(b"\2\0\0\0\0\0\0\0{}")
        return path

    return make


def on(base: object) -> Callable[[dict[str, Any]], dict[str, Any]]:
    return lambda config: config | {"base_model_name_or_path": base}


for what, base in {"itself": "ITSELF", "a list": ["a", "b"], "a number": 7, "5,000 letters": "b" * 5000}.items():
    refused("model", "base|itself|adapter", f"an adapter whose base is {what}")(adapter(on(base)))
refused("model", "target_modules|regular|pattern|adapter", "an adapter with a regular expression that never ends")(
    adapter(lambda config: config | {"target_modules": "(a+)+$" + "(.*)*" * 30})
)
refused("model", "configuration|deep|JSON|adapter", "an adapter's configuration nested 100,000 deep")(
    adapter(lambda config: '{"a":' * 100_000 + "1" + "}" * 100_000)
)


def checkpoint(change: Callable[[Path], object]) -> Make:
    """The genuine checkpoint after this."""

    def make(world: World, folder: Path) -> Path:
        path = Path(shutil.copytree(world.checkpoint, folder / "checkpoint"))
        change(path)
        return path

    return make


def _fifo(path: Path) -> None:
    (path / "config.json").unlink()
    os.mkfifo(path / "config.json")


refused("model", "config.json|file", "a checkpoint whose configuration is a FIFO")(checkpoint(_fifo))
refused("model", "config.json|JSON|configuration", "a checkpoint whose configuration is nested 100,000 deep")(
    checkpoint(lambda path: (path / "config.json").write_text("[" * 100_000))
)
