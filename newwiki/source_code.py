"""The source of a piece that did not come with New-Wiki Eval, as a hash: code that changed is another piece."""

import ast
import hashlib
import inspect
from collections.abc import Iterator
from pathlib import Path
from types import FunctionType
from typing import Any

_OURS = {"newwiki", "evaluators", "storage", "flows"}


def source_sha256(piece: object) -> str | None:
    """SHA-256 over the files that a function or class is made of: its own, and those beside it that it imports.

    None for a piece of ours, whose version a test holds to its source. Beside it means in its folder or, of a package,
    anywhere in that package; a distribution elsewhere is to be named in `packages`, and a file of data is not seen.
    """
    made_in = str(getattr(piece, "__module__", ""))
    if made_in.partition(".")[0] in _OURS:
        return None
    function = _function(piece)
    start = Path(function.__code__.co_filename)
    if not start.is_file():
        return hashlib.sha256(_typed_in(function).encode()).hexdigest()
    start = start.resolve()
    home = _home(start, made_in)
    digest = hashlib.sha256()
    for file in sorted(_reached(start, home)):
        digest.update(f"{file.relative_to(home)}\0".encode())
        digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()


def _function(piece: Any) -> FunctionType:
    """The function itself, or one that the class has of its own."""
    if inspect.isclass(piece):
        own = [_unwrapped(one) for kind in inspect.getmro(piece) for one in vars(kind).values()]
        written = [one for one in own if isinstance(one, FunctionType)]
        return next((one for one in written if Path(one.__code__.co_filename).is_file()), written[0])
    found = _unwrapped(piece)
    return found if isinstance(found, FunctionType) else _function(type(found))


def _unwrapped(piece: Any) -> Any:
    """What decorators of the language and of `functools` were put around."""
    return inspect.unwrap(getattr(piece, "__func__", piece)) if callable(getattr(piece, "__func__", piece)) else piece


def _typed_in(function: FunctionType) -> str:
    """The text of a function that stands in no file, as in a notebook; its byte code where that is not kept."""
    try:
        return inspect.getsource(function)
    except OSError:
        return repr((function.__code__.co_code, function.__code__.co_consts, function.__code__.co_names))


def _home(file: Path, module: str) -> Path:
    """The folder of the outermost package that the module belongs to, or of its file."""
    depth = module.count(".") if file.name != "__init__.py" else module.count(".") + 1
    return file.parents[max(depth - 1, 0)]


def _reached(start: Path, home: Path) -> set[Path]:
    """A module that lies among those of others, where pip installs, is its file alone."""
    reached, todo = {start}, [] if home.name in ("site-packages", "dist-packages") else [start]
    while todo:
        for name in _imported(todo.pop(), home):
            for file in _files(name, home):
                if file not in reached:
                    reached.add(file)
                    todo.append(file)
    return reached


def _imported(file: Path, home: Path) -> Iterator[str]:
    """The dotted names that the file imports, anywhere in it; those of its own package from the package on."""
    package = file.relative_to(home).parent.parts
    for node in ast.walk(ast.parse(file.read_bytes())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else ()
            base = ".".join([*above, *([node.module] if node.module else [])])
            yield base
            yield from (f"{base}.{alias.name}".lstrip(".") for alias in node.names)


def _files(name: str, home: Path) -> Iterator[Path]:
    """The files of a module of this name under `home`, if it is one: its own, and those of the packages it is in."""
    parts = [part for part in name.split(".") if part]
    for below in (parts, parts[1:] if parts[:1] == [home.name] else []):
        packages = [home.joinpath(*below[:depth], "__init__.py") for depth in range(len(below) + 1)]
        modules = [home.joinpath(*below[:-1], f"{below[-1]}.py")] if below else []
        yield from (file.resolve() for file in (*packages, *modules) if file.is_file())
