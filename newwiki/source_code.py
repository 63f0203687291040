"""Hash the source of pieces that do not belong to New-Wiki Eval: a piece with changed code is another piece."""

import ast
import hashlib
import inspect
from collections.abc import Iterator
from pathlib import Path
from types import FunctionType
from typing import Any

_OURS = {"newwiki", "evaluators", "storage", "flows"}


def source_sha256(piece: object) -> str | None:
    """Return the SHA-256 over the files of a function or class: its own, and the neighboring ones that it imports.

    None for our own pieces, whose versions a test compares with their source. Neighboring means in its folder or, in a
    package, anywhere in that package. Other distributions must be named in `packages`; data files are not covered.
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
    """Return the function itself, or a function of the class."""
    if inspect.isclass(piece):
        own = [_unwrapped(member) for kind in inspect.getmro(piece) for member in vars(kind).values()]
        written = [member for member in own if isinstance(member, FunctionType)]
        return next((f for f in written if Path(f.__code__.co_filename).is_file()), written[0])
    function = _unwrapped(piece)
    return function if isinstance(function, FunctionType) else _function(type(function))


def _unwrapped(piece: Any) -> Any:
    """Return what the decorators of the language and of `functools` wrap."""
    return inspect.unwrap(getattr(piece, "__func__", piece)) if callable(getattr(piece, "__func__", piece)) else piece


def _typed_in(function: FunctionType) -> str:
    """Return the text of a function that is in no file, as in a notebook; its byte code if the text is not kept."""
    try:
        return inspect.getsource(function)
    except OSError:
        return repr((function.__code__.co_code, function.__code__.co_consts, function.__code__.co_names))


def _home(file: Path, module: str) -> Path:
    """Return the folder of the outermost package that the module belongs to, or of its file."""
    depth = module.count(".") if file.name != "__init__.py" else module.count(".") + 1
    return file.parents[max(depth - 1, 0)]


def _reached(start: Path, home: Path) -> set[Path]:
    """Return the files that a module reaches by imports; only its own file among pip's installed modules."""
    reached, todo = {start}, [] if home.name in ("site-packages", "dist-packages") else [start]
    while todo:
        for name in _imported(todo.pop(), home):
            for file in _files(name, home):
                if file not in reached:
                    reached.add(file)
                    todo.append(file)
    return reached


def _imported(file: Path, home: Path) -> Iterator[str]:
    """Yield the dotted names that the file imports anywhere; relative imports start at the package."""
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
    """Yield the files of the module with this name under `home`, if there is one, and those of its packages."""
    parts = [part for part in name.split(".") if part]
    for below in (parts, parts[1:] if parts[:1] == [home.name] else []):
        packages = [home.joinpath(*below[:depth], "__init__.py") for depth in range(len(below) + 1)]
        modules = [home.joinpath(*below[:-1], f"{below[-1]}.py")] if below else []
        yield from (file.resolve() for file in (*packages, *modules) if file.is_file())
