from collections.abc import Callable

import pytest
import sacrebleu
from hypothesis import given
from hypothesis import strategies as st

from evaluators.analysis import Analysis, Analyst
from evaluators.overlap import bleu
from newwiki.records import Unscorable
from newwiki.registry import evaluators

Counted = Callable[[str], Analysis]
WORDS = st.lists(st.sampled_from(["a", "A", "b,", "c.", "«d»", "e\n"]), min_size=1, max_size=20)


@given(WORDS, WORDS)
def test_bleu_is_sacrebleus_sentence_bleu(mine: list[str], theirs: list[str]) -> None:
    here, there = Analyst().analyse([" ".join(mine), " ".join(theirs)], frozenset())
    assert bleu(here, there) == pytest.approx(sacrebleu.sentence_bleu(here.text, [there.text]).score)


def test_an_article_matches_itself_wholly(counted: Counted) -> None:
    article = counted("The Halden Bridge is a cable-stayed bridge over the Arve, opened in 2021.")
    assert bleu(article, article) == pytest.approx(100)
    assert bleu(article, article) <= 100


def test_the_signature_is_sacrebleus_own() -> None:
    metric = sacrebleu.BLEU(effective_order=True)
    metric.sentence_score("a", ["b"])
    signature = str(metric.get_signature())
    assert signature == f"{evaluators.get('bleu').parameters['signature']}|version:{sacrebleu.__version__}"


@pytest.mark.parametrize("text", ["", "...", "🙂"])
def test_a_text_without_words_has_no_score(counted: Counted, text: str) -> None:
    assert bleu(counted(text), counted("Words.")) == Unscorable("no words")
    assert bleu(counted("Words."), counted(text)) == Unscorable("the reference has no words")
