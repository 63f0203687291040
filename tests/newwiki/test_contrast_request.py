"""What may be asked of the experiment on contrast."""

from typing import Any

import pytest

from flows.experiments.contrast.request import BESIDE, CONTRAST_METRICS, ContrastRequest
from newwiki.errors import UsageError


def test_the_papers_settings_are_the_defaults() -> None:
    asked = ContrastRequest(models=("m",), amateur=("a",))
    assert (asked.decoder, asked.max_new_tokens, asked.samples, asked.keep) == (BESIDE, 256, 1, 1)
    assert asked.metrics == CONTRAST_METRICS


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"amateur": ()}, "--amateur is required"),
        ({"ablations": "plausibilty"}, "no ablation 'plausibilty'; did you mean 'plausibility'"),
        ({"samples": 3, "keep": 2}, "all 3 completions per prompt are scored"),
        ({"decoder": ()}, "add --decoder"),
    ],
)
def test_what_cannot_be_asked(asked: dict[str, Any], told: str) -> None:
    with pytest.raises(UsageError, match=told):
        ContrastRequest(**{"models": ("m",), "amateur": ("a",), **asked})
