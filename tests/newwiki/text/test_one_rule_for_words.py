"""Words are counted by `newwiki/text/words.py`, wherever they are counted."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[3]


def counts_of_splits() -> Iterator[str]:
    """The files of the product with a `len(….split())`."""
    for room in ("newwiki", "evaluators", "storage", "flows"):
        for file in sorted((ROOT / room).rglob("*.py")):
            if any(map(is_count_of_split, ast.walk(ast.parse(file.read_text("utf-8"))))):
                yield str(file.relative_to(ROOT))


def is_count_of_split(node: ast.AST) -> bool:
    match node:
        case ast.Call(func=ast.Name(id="len"), args=[ast.Call(func=ast.Attribute(attr="split"), args=[], keywords=[])]):
            return True
    return False


def test_all_word_counts_use_the_same_rule() -> None:
    assert is_count_of_split(ast.parse("len(a.b.split())", mode="eval").body)
    assert not is_count_of_split(ast.parse("len(a.split('/'))", mode="eval").body), "which are no words"
    assert list(counts_of_splits()) == ["newwiki/text/words.py"]
