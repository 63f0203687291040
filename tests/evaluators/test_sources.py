"""No evaluator of ours changes in silence: code that may give other numbers has another version."""

import json

import pytest

from tests.evaluators.sources import KEPT, sources

_KEPT = json.loads(KEPT.read_text())


@pytest.mark.parametrize("file", sorted({*_KEPT, *sources()}))
def test_code_that_changed_has_another_version(file: str) -> None:
    assert sources().get(file) == _KEPT.get(file), (
        f"{file} is not what it was. If any number may move, raise the version of what it declares (or "
        "ANALYSIS_VERSION, CORPUS_VERSION, the _VERSION of what it loads); then, or where none can move, run: "
        "python -m tests.evaluators.sources"
    )
