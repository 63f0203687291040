"""Checkpoints whose weights are quantised: by what, and what that needs here."""

from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from newwiki.errors import TerminalError
from newwiki.foreign_json import read_object

# The distributions that transformers reads them with; the others it reads by itself, or says what it lacks.
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
    """`bitsandbytes`, `gptq` and the like, by the quantization_config of a checkpoint's config.json; None where it has
    none."""
    try:
        found = read_object((folder / "config.json").read_bytes(), "config.json", allow_nan=True).get(
            "quantization_config"
        )
    except (OSError, TerminalError):
        return None
    if not isinstance(found, dict):
        return None
    bitsandbytes = found.get("load_in_8bit") or found.get("load_in_4bit")  # so its first configurations say it
    return "bitsandbytes" if bitsandbytes else str(found.get("quant_method", "unknown"))


def require_packages(folder: Path, name: str) -> None:
    """Raises TerminalError where the checkpoint needs a package that is not installed."""
    method = method_of(folder)
    needed = (*_PACKAGES.get(method, ()), "accelerate") if method else ()
    lacking = [one for one in needed if _version(one) is None]
    if lacking:
        raise TerminalError(
            f"the weights of '{name}' are quantised ({method}), and what reads them is not installed here; run: pip "
            f"install {' '.join(lacking)}"
        )


def gguf_of(place: Path) -> Path | None:
    """The GGUF file that this is, or that a folder holds in place of a model of transformers; None where there is none.

    Raises TerminalError for a folder with several, and where there is no package to read one with.
    """
    whole = place.is_dir() and not any(place.glob("*.safetensors"))
    found = [place] if place.is_file() and place.suffix == ".gguf" else sorted(place.glob("*.gguf")) if whole else []
    if not found:
        return None
    if len(found) > 1:
        raise TerminalError(f"'{place}' holds {len(found)} GGUF files; name one of them, such as {found[0]}")
    if _version("gguf") is None:
        raise TerminalError(
            f"'{found[0]}' is read with the package gguf, which is not installed; run: pip install gguf"
        )
    return found[0]


def versions(method: str | None) -> dict[str, str]:
    """Of the packages that read such weights, as far as they are here."""
    found = {name: _version(name) for name in _PACKAGES.get(method or "", ())}
    return {name: one for name, one in found.items() if one is not None}


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
