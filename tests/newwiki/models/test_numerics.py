"""The version of the engine's bytes goes up with whatever decides them."""

import ast
import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from newwiki.models.backend import NUMERICS

_NEWWIKI = Path(__file__).parents[3] / "newwiki"
_DECIDE = ("decoding/*.py", "models/engine/*.py", "models/huggingface.py", "models/seq2seq.py", "models/local.py",
           "models/prompting.py", "allocator.py", "compiled.py", "openmp.py")  # fmt: skip
# These look at a model and a machine, and write nothing.
_OUTSIDE = {"selftest.py", "thresholds.py", "memory.py", "replay.py"}

# By version, the hash of the source that wrote its bytes, without comments and docstrings.
SOURCES = {
    1: "2a780cef4637dd6d038579bdfbfada02e142d5628bcb118081656d61e4d54bff",
    2: "1fe0b68a2b9eaf12594d2b2ad73e77f69fd46de6da6299ceb72e3c36e747ccbd",
    3: "a110ba6d38828f5f4828eb79a85a91644cd41867ace556b52c979cecb69496a3",
}


def test_whoever_changes_what_decides_the_bytes_says_whether_they_change() -> None:
    assert SOURCES.get(NUMERICS) == _source_sha256(), (
        "the source that decides the engine's bytes has changed. If any byte may now be another, in any dtype, on any "
        "machine, raise NUMERICS (newwiki/models/backend.py) and enter the new version here; if none can, enter the "
        f"new hash under {NUMERICS}: {_source_sha256()}"
    )


def test_comments_and_docstrings_do_not_change_the_hash() -> None:
    plain = "def f(x):\n    return x + 1\n"
    assert _told(plain) == _told(
        '"""A room."""\n\n\ndef f(x):\n    """One more."""\n    # which is more\n    return x + 1\n'
    )
    assert _told(plain) != _told(plain.replace("1", "2"))


def _source_sha256() -> str:
    digest = hashlib.sha256()
    files = sorted(file for shape in _DECIDE for file in _NEWWIKI.glob(shape) if file.name not in _OUTSIDE)
    for file in files:
        digest.update(f"{file.relative_to(_NEWWIKI)}\0{_told(file.read_text('utf-8'))}\n".encode())
    return digest.hexdigest()


def _told(source: str) -> str:
    return "".join(_walked(ast.parse(source)))


def _walked(node: Any) -> Iterator[str]:
    """The syntax tree in words that are the same in every Python."""
    if isinstance(node, ast.AST):
        yield f"({type(node).__name__}"
        for name, value in ast.iter_fields(node):
            if value not in (None, []):
                yield f" {name}:"
                yield from _walked(_without_docstring(node, value) if name == "body" else value)
        yield ")"
    elif isinstance(node, list):
        for one in node:
            yield from _walked(one)
    else:
        yield repr(node)


def _without_docstring(node: ast.AST, body: Any) -> Any:
    documented = isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node) is not None
    return body[1:] if documented else body
