"""What our evaluators' files are made of, beside the versions that they declare.

`python -m tests.evaluators.sources` writes it anew: after a version went up, or where a change moves no number.
"""

import ast
import json
from functools import cache
from hashlib import sha256
from pathlib import Path

from evaluators.analysis import ANALYSIS_VERSION
from evaluators.corpus import CORPUS_VERSION
from evaluators.counts import READABILITY_VERSION
from newwiki.registry import evaluators, reading_evaluators, set_evaluators

KEPT = Path(__file__).with_suffix(".json")
_HOME = Path(__file__).parents[2]
_ELSEWHERE = {"analysis": ANALYSIS_VERSION, "corpus": CORPUS_VERSION, "counts": READABILITY_VERSION}


@cache
def sources() -> dict[str, dict[str, str]]:
    """By file the hash of its code, without comments and docstrings, and the versions of what it declares."""
    found = {
        str(file.relative_to(_HOME)): {"code": _code(file)}
        for file in sorted((_HOME / "evaluators").rglob("*.py"))
        if file.stat().st_size
    }
    for one in (*evaluators.all().values(), *set_evaluators.all().values(), *reading_evaluators.all().values()):
        file = f"{one.function.__module__.replace('.', '/')}.py"
        if file in found:
            found[file][one.name] = one.version
    for name, version in _ELSEWHERE.items():
        found[f"evaluators/{name}.py"][name] = version
    return found


def _code(file: Path) -> str:
    tree = ast.parse(file.read_text("utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node) is not None:
            node.body[0] = ast.Pass()
    return sha256(ast.unparse(tree).encode()).hexdigest()[:16]


if __name__ == "__main__":
    KEPT.write_text(json.dumps(sources(), indent=1, sort_keys=True) + "\n")
