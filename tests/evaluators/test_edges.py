"""What every metric of a text must bear: texts that are hardly texts, and very long ones."""

import math
import time

import pytest

from evaluators.analysis import Analysis, Analyst
from evaluators.embedding import Embedder
from evaluators.scoring import fingerprint, needs_of, score, select
from evaluators.tagger import Tagger
from newwiki.registry import Evaluator, ReadingEvaluator, SetEvaluator

ARTICLE = "Anna Berg of Oslo wrote two novels. They are long. Nobody in Bergen has read them since 1999!"
EDGES = {
    "empty": "",
    "white space": " \n\t\u00a0",
    "marks": "... !? —",
    "one word": "Oslo",
    "one word and its end": "Stop.",
    "no sentence end": "a text that just stops",
    "digits": "1234 5678",
    "underscores": "_ __ _ ___ _",
    "emoji": "🙂 🎉",
    "Chinese": "这是第一句话。这是第二句话。",
    "Arabic": "هذا نص عربي. وهذا نص آخر؟",
    "a surrogate, a null and a replacement": "\ud800 \x00 �.",
}
LONG = {  # 60,000 characters: what is quadratic in them takes many seconds
    "different letters": "".join(chr(97 + (number * number) % 23) for number in range(60_000)),
    "full stops": "a." * 30_000,
    "marks": ".'" * 30_000,
    "Chinese": "句话。" * 20_000,
    "sentences": "Anna Berg sleeps in Oslo. " * 2_400,
}
METRICS = {metric.name: metric for evaluator in select("all") for metric in evaluator.metrics}


PARTS = Tagger.parts | Embedder.parts
PROMPT = "Anna Berg\n\nAnna Berg is a writer."


@pytest.fixture(scope="module")
def chosen() -> list[Evaluator]:
    """All that need no other model than these."""
    of_texts = [evaluator for evaluator in select("all") if not isinstance(evaluator, SetEvaluator | ReadingEvaluator)]
    return [evaluator for evaluator in of_texts if needs_of([evaluator]) <= PARTS]


def scores(chosen: list[Evaluator], analyst: Analyst, text: Analysis, reference: Analysis) -> dict[str, str]:
    """Every metric's status, after a look at its value."""
    marks = {evaluator.name: fingerprint(evaluator, analyst) for evaluator in chosen}
    statuses = {}
    for one in score(chosen, marks, [(7, 0)], [text], {7: reference}):
        metric = METRICS[one.metric]
        assert (one.value is None) == (one.status != "ok")
        assert one.status != "not finite", one.metric
        if one.value is not None:
            least = -math.inf if metric.minimum is None else metric.minimum
            most = math.inf if metric.maximum is None else metric.maximum
            assert least <= one.value <= most, (one.metric, one.value)
        statuses[one.metric] = one.status
    return statuses


@pytest.mark.parametrize("name", EDGES)
def test_every_metric_gives_a_number_in_its_range_or_a_reason(
    chosen: list[Evaluator], analyst: Analyst, name: str
) -> None:
    text, article = analyst.analyse([EDGES[name], ARTICLE], PARTS, [PROMPT] * 2)
    mine, theirs, own = (scores(chosen, analyst, *pair) for pair in ((text, article), (article, text), (text, text)))
    assert len(mine) == len(theirs) == len(own) >= 35
    if text.wordless:
        assert {metric for metric, status in mine.items() if status == "ok"} == {"words", "sentences"}
        assert {status for status in mine.values() if status != "ok"} == {"no words"}


def test_a_long_text_without_a_space_is_embedded(chosen: list[Evaluator], analyst: Analyst) -> None:
    text, article = analyst.analyse([LONG["different letters"], ARTICLE], PARTS, [PROMPT] * 2)
    embedded = [evaluator for evaluator in chosen if evaluator.needs & Embedder.parts]
    assert set(scores(embedded, analyst, text, article).values()) == {"ok"}


@pytest.mark.slow
@pytest.mark.parametrize("name", LONG)
def test_no_metric_takes_long_for_a_long_text(chosen: list[Evaluator], analyst: Analyst, name: str) -> None:
    text, article = analyst.analyse([LONG[name], ARTICLE * 50], Tagger.parts)
    for evaluator in chosen:
        if evaluator.needs & Embedder.parts:
            continue
        started = time.process_time()
        scores([evaluator], analyst, text, article)
        assert time.process_time() - started < 1.5, evaluator.name
