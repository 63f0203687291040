import json
from collections.abc import Callable
from pathlib import Path

import pytest

from evaluators.corpus import Corpus
from evaluators.sets.diversity import diversity_simctg
from newwiki.records import SetScore, Unscorable


@pytest.mark.by_hand("diversity_simctg")
def test_diversity_simctg_by_hand(corpus: Callable[..., Corpus]) -> None:
    # Without the last n-gram: 2 of 4 bigrams, 2 of 3 trigrams (33.33 per cent repeated), 2 of 2 4-grams.
    assert diversity_simctg(corpus(["a b a b a c"])) == SetScore(pytest.approx(100 * 0.5 * 0.6667 * 1))


def test_n_grams_are_different_within_a_text_and_counted_over_all(corpus: Callable[..., Corpus]) -> None:
    """Equal texts stay as many, and leave the number as it is."""
    once = diversity_simctg(corpus(["a b a b a c"]))
    assert diversity_simctg(corpus(["a b a b a c", "a b a b a c"])) == once
    # With "d e f g h": 3 more of 3 bigrams, 2 of 2 trigrams, 1 of 1 4-gram.
    both = diversity_simctg(corpus(["a b a b a c", "d e f g h"]))
    assert both == SetScore(pytest.approx(100 * (1 - 0.2857) * 0.8 * 1))


def test_texts_that_are_too_short_say_so(corpus: Callable[..., Corpus]) -> None:
    assert diversity_simctg(corpus(["one two three four"])) == Unscorable("no text has five words")


def test_published_diversity_is_reproduced(beside: Callable[[str], Path]) -> None:
    # Contrastive search on Wikitext as its authors released it, and what they published of it: 89.35 and 92.98.
    texts = json.loads(beside("generations/wikitext_contrastive_k_5_alpha_0.6_result.json").read_text())
    for name, number in (("generated", 89.3457), ("reference", 92.9773)):
        words = [text["generated_result"]["0"] if name == "generated" else text["reference_text"] for text in texts]
        found = diversity_simctg(Corpus({(page, 0): tuple(text.split()) for page, text in enumerate(words)}, {}))
        assert found == SetScore(pytest.approx(number, abs=5e-5))
