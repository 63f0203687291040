"""Real checkpoints, which `.ci/real` downloads: GGUF files, and what a user makes of them for speed, safetensors."""

import os
from pathlib import Path

import pytest

from tests.once import once

_ROOT = Path(__file__).parents[3]
CHAT, BASE = "smollm2-135m-instruct", "gemma-3-270m"


def gguf_file(name: str) -> Path:
    """Return the GGUF file of CHAT or BASE. Skips the test if it is missing."""
    folder = Path(os.environ.get("NEWWIKI_REAL_MODELS") or _ROOT / "build" / "real")
    file = folder.absolute() / f"{name}.gguf"
    if not file.is_file():
        pytest.skip(f"needs {name}, a real checkpoint: .ci/real downloads it")
    return file


def converted(name: str) -> Path:
    """Return a folder beside the GGUF file with the same weights in float32, which is made once."""
    file = gguf_file(name)
    return once(file.with_suffix(""), lambda folder: _convert(file, folder))


def _convert(file: Path, folder: Path) -> None:
    from transformers import AutoModelForCausalLM, AutoTokenizer

    read = {"gguf_file": file.name, "local_files_only": True}
    model = AutoModelForCausalLM.from_pretrained(file.parent, dtype="float32", **read)
    model.hf_quantizer = None  # it refuses to save, although the weights are plain ones now
    del model.config.quantization_config
    model.save_pretrained(folder)
    AutoTokenizer.from_pretrained(file.parent, **read).save_pretrained(folder)
