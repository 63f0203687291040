import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import evaluators
from evaluators.analysis import Analyst
from newwiki.errors import TerminalError


def test_parts_that_cost_a_model_are_made_only_when_needed(analyst: Analyst) -> None:
    (bare,) = analyst.analyse(["Paris is large."], frozenset())
    (whole,) = analyst.analyse(["Paris is large."], {"entities", "embedding"})
    assert bare.parts == {}
    assert whole.named() == ("Paris",)
    assert whole.embedded().shape == (384,)


@pytest.mark.parametrize(
    ("part", "option"),
    [
        ("entities", "--entities"),
        ("embedding_truncated", "--embedder"),
        ("likelihood", "--likelihood-model"),
        ("toxicity", "--scorer"),
    ],
)
def test_a_part_without_its_model_names_the_option(part: str, option: str) -> None:
    with pytest.raises(TerminalError, match=f"makes the part '{part}'; choose one with {option}$"):
        Analyst().analyse(["x"], {part})


def test_reading_a_part_that_was_not_asked_for_says_what_to_declare() -> None:
    (analysis,) = Analyst().analyse(["x"], frozenset())
    with pytest.raises(TerminalError, match=r'needs=\{"entities"\}'):
        analysis.named()
    with pytest.raises(TerminalError, match=r'needs=\{"embedding"\}'):
        analysis.embedded()


def test_what_is_known_of_all_texts_is_not_made_again() -> None:
    known = [{"entities": ["Oslo"]}, {"entities": ["Rome"]}]
    analyses = Analyst().analyse(["x", "y"], {"entities"}, known=known)
    assert [analysis.named() for analysis in analyses] == [("Oslo",), ("Rome",)]


def test_no_texts_are_no_analyses(analyst: Analyst) -> None:
    assert analyst.analyse([], {"entities", "embedding"}) == []


def test_the_order_of_a_batch_does_not_matter(analyst: Analyst) -> None:
    texts = ["Berlin is large. " * 200, "A short one about Paris.", "", "A third text, neither long nor short. " * 20]
    forward = analyst.analyse(texts, {"entities", "embedding"})
    backward = analyst.analyse(texts[::-1], {"entities", "embedding"})[::-1]
    for one, other in zip(forward, backward, strict=True):
        assert (one.text, one.tokens, one.readability) == (other.text, other.tokens, other.readability)
        assert one.named() == other.named()
        np.testing.assert_allclose(one.embedded(), other.embedded(), atol=1e-6)


@pytest.mark.slow
def test_importing_an_evaluator_is_light() -> None:
    modules = sorted(f"evaluators.{file.stem}" for file in Path(evaluators.__path__[0]).glob("*.py"))
    heavy = {"torch", "transformers", "sentence_transformers", "spacy", "sacrebleu"}
    code = f"""
import importlib, sys
for module in {modules}:
    importlib.import_module(module)
    if loaded := {heavy} & sys.modules.keys():
        sys.exit(f"{{module}} loads {{loaded}}")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
