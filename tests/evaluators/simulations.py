"""The simulations of `benchmarks/`, which are scripts, as modules."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

_FOLDER = Path(__file__).parents[2] / "benchmarks"


def loaded(name: str) -> ModuleType:
    """The script of this name; a program of the same name elsewhere is not touched."""
    spec = importlib.util.spec_from_file_location(f"simulated_{name}", _FOLDER / f"{name}.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    sys.path.insert(0, str(_FOLDER))  # where a script finds its neighbours
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(_FOLDER))
    return module
