"""One pass over a completion tells of each of its tokens whether the decoder chose it."""

import os
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from newwiki.decoding.grammar import Decoder, parse
from newwiki.decoding.stream import Stream
from newwiki.models.engine.look_ahead import engine_for
from newwiki.models.engine.loop import Rules
from newwiki.models.engine.reader import Reader
from newwiki.models.engine.replay import Endless, TokenVerdicts, replay
from newwiki.registry import decoders
from tests.newwiki.decoding.lively import lively, prompts
from tests.newwiki.decoding.running import written

_ENDS = frozenset([3, 7])
_EXAMPLES = int(os.environ.get("NEWWIKI_EXAMPLES", "12"))
_TOLERANCE = 5e-5

sampling = st.fixed_dictionaries(
    {
        "top_k": st.sampled_from([0, 1, 2, 5, 20]),
        "top_p": st.sampled_from([0.3, 0.8, 0.95, 1.0]),
        "typical_p": st.sampled_from([0.3, 0.9, 1.0]),
        "temperature": st.sampled_from([0.3, 0.7, 1.0, 1.8]),
        "presence_penalty": st.sampled_from([-1.0, 0.0, 0.5]),
        "frequency_penalty": st.sampled_from([-0.3, 0.0, 0.4]),
        "repetition_penalty": st.sampled_from([0.8, 1.0, 1.3]),
        "no_repeat_ngram_size": st.sampled_from([0, 2, 3]),
    }
)


@pytest.fixture(scope="module")
def model() -> object:
    return lively(0)


@pytest.fixture(scope="module")
def amateur() -> object:
    return lively(1, layers=1)


def verdicts(
    decoder: Decoder, read: Sequence[object], prompt: Sequence[int], tokens: Sequence[int], ended: bool, seed: int = 0
) -> TokenVerdicts:
    blocked, context = decoder.parameters["no_repeat_ngram_size"], decoder.parameters.get("amateur_context", "full")
    rules = Rules(Endless(_ENDS), seed, 0.0, int(blocked), str(context))
    search = decoders.get(decoder.name).search(decoder)
    engine = engine_for(search)([Reader(one, 1) for one in read], search, rules, rows=1)
    return replay(engine, Stream(0, 1, tuple(prompt), 12), tokens, _ENDS if ended else (), _TOLERANCE)


@given(parameters=sampling, seed=st.integers(0, 2**40), rows=st.integers(1, 6))
@settings(max_examples=_EXAMPLES)
def test_honest_completions_are_confirmed_token_by_token(
    model: object, parameters: dict[str, float], seed: int, rows: int
) -> None:
    decoder = Decoder("sample", parameters)
    requests = [(page, 1, prompt) for page, prompt in enumerate(prompts(seed % 99, 2))]
    made = written(decoder, model, requests, ends=_ENDS, room=12, rows=rows, seed=seed)
    tokens, ended = made[0, 1]
    found = verdicts(decoder, [model], requests[0][2], tokens, ended, seed)
    assert (found.confirmed, found.contradicted) == (len(tokens) + ended, ())


@pytest.mark.parametrize(
    "spec", ["greedy", "greedy:no_repeat_ngram_size=2", "contrastive-decoding:amateur=x,num_beams=0"]
)
@pytest.mark.parametrize("prompt", range(4))
def test_other_decoders_that_choose_token_by_token_are_confirmed(
    model: object, amateur: object, spec: str, prompt: int
) -> None:
    [decoder] = parse(spec)
    text = prompts(prompt, 1)[0]
    reads = [model, amateur] if "amateur" in decoder.parameters else [model]
    made = written(decoder, model, [(0, 1, text)], ends=_ENDS, room=12, amateur=reads[1] if reads[1:] else None)
    tokens, ended = made[0, 1]
    found = verdicts(decoder, reads, text, tokens, ended)
    assert (found.confirmed, found.contradicted) == (len(tokens) + ended, ())


@given(parameters=sampling, place=st.integers(0, 11), other=st.integers(0, 30), seed=st.integers(0, 2**40))
@settings(max_examples=_EXAMPLES)
def test_changed_token_is_contradicted_where_it_stands(
    model: object, parameters: dict[str, float], place: int, other: int, seed: int
) -> None:
    """What comes before it stays confirmed."""
    decoder = Decoder("sample", parameters)
    text = prompts(seed % 99, 1)[0]
    tokens, ended = written(decoder, model, [(0, 1, text)], ends=_ENDS, room=12, seed=seed)[0, 1]
    if place >= len(tokens) or tokens[place] == other:
        return
    changed = [*tokens[:place], other, *tokens[place + 1 :]]
    found = verdicts(decoder, [model], text, changed, ended, seed)
    assert found.contradicted[:1] == (place,)


def test_another_seed_is_contradicted(model: object) -> None:
    [decoder] = parse("sample")
    text = prompts(1, 1)[0]
    tokens, ended = written(decoder, model, [(0, 1, text)], ends=_ENDS, room=12)[0, 1]
    found = verdicts(decoder, [model], text, tokens, ended, seed=1)
    assert len(found.contradicted) > len(tokens) / 2


def test_text_that_was_cut_before_its_end_is_contradicted_at_the_end(model: object) -> None:
    """A forger who drops the last tokens says that the text ended there by itself."""
    [decoder] = parse("greedy")
    text = prompts(2, 1)[0]
    tokens, _ = written(decoder, model, [(0, 1, text)], ends=_ENDS, room=12)[0, 1]
    found = verdicts(decoder, [model], text, tokens[:4], ended=True)
    assert (found.confirmed, found.contradicted) == (4, (4,))
