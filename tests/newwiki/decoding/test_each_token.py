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
        "sample:min_p=0.1,temperature=1.5",
        "sample:epsilon_cutoff=0.02",
        "sample:eta_cutoff=0.1",
        "sample:top_n_sigma=1.5",
        "sample:top_h=0.7",
        "sample:p_less=1,temperature=2",
        "sample:top_n_sigma=2.5,top_h=0.95,top_p=0.95,min_p=0.02,typical_p=0.9,epsilon_cutoff=0.01,eta_cutoff=0.05",
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
