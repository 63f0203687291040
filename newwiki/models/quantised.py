"""Recognize checkpoints with quantized weights, and the packages that reading them needs."""

import functools
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from newwiki.errors import TerminalError
from newwiki.foreign_json import read_object

# The distributions that transformers reads them with; for other methods it needs none, or reports what is missing.
_PACKAGES = {
    "aqlm": ("aqlm",),
    "auto-round": ("auto-round",),
    "awq": ("gptqmodel",),
    "bitsandbytes": ("bitsandbytes",),
    "compressed-tensors": ("compressed-tensors",),
    "eetq": ("kernels",),
    "gguf": ("gguf",),
    "gptq": ("optimum", "gptqmodel"),
    "hqq": ("hqq",),
    "quanto": ("optimum-quanto",),
    "quark": ("amd-quark",),
    "torchao": ("torchao",),
    "vptq": ("vptq",),
}


def method_of(folder: Path) -> str | None:
    """Return `bitsandbytes`, `gptq` and the like from the quantization_config of a checkpoint's config.json; None if it
    has none."""
    try:
        config = read_object((folder / "config.json").read_bytes(), "config.json", allow_nan=True).get(
            "quantization_config"
        )
    except (OSError, TerminalError):
        return None
    if not isinstance(config, dict):
        return None
    bitsandbytes = config.get("load_in_8bit") or config.get("load_in_4bit")  # its first configurations have no method
    return "bitsandbytes" if bitsandbytes else str(config.get("quant_method", "unknown"))


def require_packages(folder: Path, name: str) -> None:
    """Raise TerminalError if the checkpoint needs a package that is not installed."""
    method = method_of(folder)
    needed = (*_PACKAGES.get(method, ()), "accelerate") if method else ()
    missing = [package for package in needed if _version(package) is None]
    if missing:
        raise TerminalError(
            f"the weights of '{name}' are quantized ({method}), and the packages to read them are not installed; run: "
            f"pip install {' '.join(missing)}"
        )


def gguf_of(place: Path) -> Path | None:
    """Return the GGUF file that `place` is, or that the folder `place` holds instead of a transformers model; else
    None.

    Raises TerminalError for a folder with several, and if the package to read one is not installed.
    """
    whole = place.is_dir() and not any(place.glob("*.safetensors"))
    matches = [place] if place.is_file() and place.suffix == ".gguf" else sorted(place.glob("*.gguf")) if whole else []
    if not matches:
        return None
    if len(matches) > 1:
        raise TerminalError(f"'{place}' holds {len(matches)} GGUF files; name one of them, such as {matches[0]}")
    if _version("gguf") is None:
        raise TerminalError(
            f"reading '{matches[0]}' needs the package gguf, which is not installed; run: pip install gguf"
        )
    return matches[0]


@contextmanager
def header_read_once(file: str | None) -> Iterator[None]:
    """Parse the header of a GGUF file once, and list the names of its tensors once.

    transformers does the one for the configuration, the tokenizer and the weights, and the other for each module, which
    takes longer than the weights of a small model.
    """
    if not file:
        yield
        return
    import gguf

    theirs = {name: getattr(gguf, name) for name in ("GGUFReader", "get_tensor_name_map")}
    for name, function in theirs.items():
        setattr(gguf, name, functools.cache(function))
    try:
        yield
    finally:
        for name, function in theirs.items():
            setattr(gguf, name, function)


@contextmanager
def one_progress_bar(file: str) -> Iterator[None]:
    """Show the conversion of a GGUF file as one bar, which disappears when it is done, and on a terminal alone.

    transformers shows a bar of its own, whatever its settings, and fills a log with hundreds of lines.
    """
    from transformers import modeling_gguf_pytorch_utils as conversion

    theirs = conversion.tqdm
    conversion.tqdm = lambda tensors, **_: theirs(tensors, desc=f"converting {file}", disable=None, leave=False)
    try:
        yield
    finally:
        conversion.tqdm = theirs


def versions(method: str | None) -> dict[str, str]:
    """Return the versions of the installed packages that read such weights."""
    installed = {name: _version(name) for name in _PACKAGES.get(method or "", ())}
    return {name: number for name, number in installed.items() if number is not None}


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
