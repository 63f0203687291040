"""What every set metric must bear: no texts, texts that are hardly texts, and one text alone."""

import math
from collections.abc import Callable

import numpy as np
import pytest

from evaluators.corpus import Corpus, draw_keys
from evaluators.scoring import score_set
from newwiki.records import RunScore
from newwiki.registry import set_evaluators

ARTICLE = "Anna Berg of Oslo wrote two novels. They are long. Nobody in Bergen has read them since 1999!"
WORDLESS = {
    "empty": "",
    "white space": " \n\t\u00a0",
    "marks": "... !? —",
    "emoji": "🙂 🎉",
    "a surrogate and a null": "\ud800 \x00",
}
Make = Callable[..., Corpus]


def scores(corpus: Corpus) -> dict[str, RunScore]:
    found = [one for evaluator in set_evaluators.all().values() for one in score_set(evaluator, "id", corpus)]
    assert len({one.metric for one in found}) == len(found) == 10
    metrics = {metric.name: metric for evaluator in set_evaluators.all().values() for metric in evaluator.metrics}
    for one in found:
        assert (one.value is None) == (one.status != "ok")
        assert one.status != "not finite", one.metric
        if one.value is not None:
            most = metrics[one.metric].maximum
            assert 0 <= one.value <= (math.inf if most is None else most), one
    return {one.metric: one for one in found}


def with_embeddings(corpus: Corpus) -> Corpus:
    parts = {key: {"embedding": np.eye(4)[key[0] % 4]} for drawn in draw_keys(corpus.texts) for key in drawn}
    articles = {page_id: {"embedding": np.eye(4)[page_id % 4]} for page_id in corpus.references}
    return Corpus(corpus.texts, corpus.references, parts, articles)


def test_a_run_without_texts_has_no_number() -> None:
    assert {one.status for one in scores(Corpus({}, {})).values()} == {"no texts"}


@pytest.mark.parametrize("name", WORDLESS)
def test_texts_without_words_have_no_number(corpus: Make, name: str) -> None:
    found = scores(with_embeddings(corpus([WORDLESS[name]] * 3, [ARTICLE] * 3)))
    assert {one.value for one in found.values()} == {None}
    assert {one.texts for one in found.values()} == {3}


@pytest.mark.parametrize("name", WORDLESS)
def test_articles_without_words_are_no_error(corpus: Make, name: str) -> None:
    found = scores(with_embeddings(corpus([ARTICLE] * 3, [WORDLESS[name]] * 3)))
    valued = {metric for metric, one in found.items() if one.status == "ok"}
    of_texts_alone = {"self_bleu", "distinct_4grams", "diversity_simctg"}
    assert valued == {"ngram_entropy_1", "ngram_entropy_2", "ngram_entropy_3", *of_texts_alone}


def test_texts_and_articles_without_spaces_have_numbers(corpus: Make) -> None:
    text = "这是第一句话。这是第二句话。"
    found = scores(with_embeddings(corpus([text] * 25, [text] * 25)))
    assert {one.status for one in found.values()} == {"ok"}
    assert found["self_bleu"].value == 1
    assert found["distinct_4grams"].value == 12 - 3  # each character is a word, and no four of them come again


@pytest.mark.parametrize("text", ["Oslo", "1234 5678", "two words", "_ __ _", "هذا نص عربي. وهذا نص آخر؟", ARTICLE])
@pytest.mark.parametrize("count", [1, 2, 25])
def test_one_text_and_many_of_the_same_give_numbers_or_reasons(corpus: Make, text: str, count: int) -> None:
    found = scores(with_embeddings(corpus([text] * count)))
    assert found["self_bleu"].value in (None, 1)
    assert (found["mauve"].status == "ok") == (count == 25)


def test_a_megabyte_without_a_space_is_one_word(corpus: Make) -> None:
    found = scores(with_embeddings(corpus(["a" * 1_000_000, ARTICLE])))
    assert found["ngram_entropy_1"].status == found["self_bleu"].status == "ok"
