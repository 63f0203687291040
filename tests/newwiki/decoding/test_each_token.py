"""Decoders that choose token by token, in the engine, against the naive ones."""

import pytest

from newwiki.decoding.grammar import parse
from tests.newwiki.decoding.lively import lively, prompts
from tests.newwiki.decoding.naive import Naive
from tests.newwiki.decoding.running import written


@pytest.mark.parametrize(
    "spec",
    [
        "greedy",
        "sample",
        "sample:top_k=5,top_p=0.8,temperature=0.7",
        "sample:typical_p=0.5",
        "greedy:no_repeat_ngram_size=2",
        "sample:repetition_penalty=1.3,presence_penalty=0.5,frequency_penalty=0.4,no_repeat_ngram_size=3",
    ],
)
def test_tokens_are_chosen_as_by_the_naive_implementation(spec: str) -> None:
    model = lively(0)
    ends = frozenset([3, 7])
    requests = [(page, sample, prompt) for page, prompt in enumerate(prompts(1, 3)) for sample in range(2)]
    naive, (decoder,) = Naive(model, ends, 64), parse(spec)
    expected = {
        (page, sample): naive.write(decoder, text, room=12, seed=0, page_id=page, sample=sample)
        for page, sample, text in requests
    }
    for rows in (1, 4):
        assert written(spec, model, requests, ends=ends, room=12, rows=rows) == expected, f"{rows} rows"
    settled = written(spec, model, requests[::-1], ends=ends, room=12, rows=3, slack=10.0)
    assert settled == expected, "every token settled alone"
