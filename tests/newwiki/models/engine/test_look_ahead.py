"""Candidates that are read side by side, and the engine that keeps one of them."""

import functools
from collections.abc import Callable, Sequence
from typing import Any

import pytest
import torch
from transformers import GPT2Model, LlamaConfig, LlamaForCausalLM, MistralConfig, MistralForCausalLM

from newwiki.decoding.grammar import parse
from newwiki.decoding.stream import Ending, Stream
from newwiki.errors import TerminalError
from newwiki.models.engine.attention import use_cached_attention
from newwiki.models.engine.look_ahead import LookAheadEngine
from newwiki.models.engine.loop import Rules
from newwiki.models.engine.packed import use_fast_kernels
from newwiki.models.engine.reader import Reader
from newwiki.models.engine.selftest import SLOTS, path_of
from newwiki.registry import decoders
from tests.newwiki.decoding.lively import VOCABULARY, lively, prompts
from tests.newwiki.decoding.naive import Naive
from tests.newwiki.decoding.running import written
from tests.newwiki.models.zoo import EXACT, ZOO, Row, built
from tests.newwiki.models.zoo import VOCABULARY as WORDS


def llama() -> Any:
    torch.manual_seed(0)
    return LlamaForCausalLM(LlamaConfig(**SHAPE)).eval()


def mistral_of_a_window() -> Any:
    torch.manual_seed(0)
    return MistralForCausalLM(MistralConfig(**SHAPE, sliding_window=6)).eval()


def quick_gpt2() -> Any:
    model = lively(0)
    use_cached_attention(model)
    return model


END = frozenset([1])
CANNOT_LOOK_AHEAD = {"BLOOM", "Falcon RW, with ALiBi"}
# By how they know positions (learned, rotary, some layers without, sinusoidal), by what their attention sees (all, a
# window, either by layer), and by what they keep (keys and values, a latent vector, another layer's). The other
# architectures are like one of these, and `test_trial.py` reads each of them.
KINDS = {
    "GPT-2", "OPT", "XGLM", "GPT-J", "MPT", "Llama, Llama 2", "Llama with dynamic NTK scaling", "SmolLM 3",
    "Phi 3 and 4 with LongRoPE", "Mistral", "Mixtral", "Qwen 2 with a window", "Gemma 3", "Gemma 3n", "Gemma 4",
    "gpt-oss", "ModernBERT decoder", "DeepSeek V2", "LongCat Flash",
}  # fmt: skip
LOOKED_AT = [row for row in ZOO if row.expected == EXACT and row.name in KINDS | CANNOT_LOOK_AHEAD]
SHAPE: dict[str, Any] = {
    "vocab_size": VOCABULARY, "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2,
    "num_attention_heads": 4, "num_key_value_heads": 2, "initializer_range": 0.2,
}  # fmt: skip


@torch.inference_mode()
@pytest.mark.parametrize("make", [lambda: lively(0), quick_gpt2, llama, mistral_of_a_window])
@pytest.mark.parametrize("rows", [1, 3])
def test_a_candidate_reads_as_if_it_stood_there_alone(make: Callable[[], Any], rows: int) -> None:
    reader = Reader(make(), rows)
    texts = [text[: 3 + 4 * row] for row, text in enumerate(prompts(0, rows))]
    for slot, text in enumerate(texts):
        reader.slots.put(reader.read(text).cache, len(text), [slot])
    for candidates in torch.arange(rows * 15).reshape(3, rows, 5) % VOCABULARY:
        states = reader.look_ahead(candidates)
        logits = torch.stack([reader.logits(states[:, place]) for place in range(5)], dim=1)
        for row, text in enumerate(texts):
            for place, token in enumerate(candidates[row].tolist()):
                assert torch.allclose(logits[row, place], reader.alone([*text, token])[0], atol=1e-5)
                assert torch.allclose(states[row, place], reader.states_alone([*text, token])[-1], atol=1e-5)
        chosen = torch.arange(rows) + 1
        reader.keep(chosen)
        texts = [[*text, int(candidates[row, chosen[row]])] for row, text in enumerate(texts)]


def with_last_states(model: Any) -> Callable[..., Any]:
    """Its `hidden_states` end with what its last layer reads. (Gemma 3n's end with what that is made of.)"""

    def read(**inputs: Any) -> Any:
        output = model(**inputs)
        output.hidden_states = (model.base_model(input_ids=inputs["input_ids"], use_cache=False).last_hidden_state,)
        return output

    return read


@pytest.mark.parametrize("row", LOOKED_AT, ids=lambda row: row.name)
def test_contrastive_search_equals_the_naive_implementation_for_every_architecture_or_is_refused(row: Row) -> None:
    model, decoder = built(row), parse("contrastive-search:top_k=3")[0]
    asked = [(page, 0, [token % WORDS for token in range(7 * page + 1, 9 * page + 2)]) for page in (1, 3)]
    if row.name in CANNOT_LOOK_AHEAD:
        with pytest.raises(TerminalError, match=r"; choose another decoder or model"):
            written(decoder, model, asked, ends=END, room=4)
        return
    naive = Naive(with_last_states(model), END, 64)
    expected = {(page, 0): naive.write(decoder, text, room=3) for page, _, text in asked}
    use_fast_kernels(model)
    assert path_of(model) == SLOTS
    assert written(decoder, model, asked, ends=END, room=3, rows=3) == expected


def test_close_candidates_are_decided_by_separate_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    """The more rounding might have moved, the more candidates are read alone: none, some, all five."""
    model, asked, read = lively(1), [(0, 0, prompts(1, 1)[0])], list[int]()
    plain = Reader.states_alone

    def counted(self: Reader, tokens: Sequence[int]) -> torch.Tensor:
        read[-1] += 1
        return plain(self, tokens)

    monkeypatch.setattr(Reader, "states_alone", counted)
    texts = []
    for slack in (0.0, 0.02, 10.0):
        read.append(0)
        texts.append(written("contrastive-search", model, asked, ends=frozenset(), room=20, slack=slack))
    assert texts[0] == texts[1] == texts[2]
    assert read[0] == 0 < read[1] < read[2] == 5 * 20


def test_out_of_memory_restarts_with_half_the_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    model, texts = lively(1), prompts(1, 9)
    asked = [(page, 0, text) for page, text in enumerate(texts)]
    expected = written("contrastive-search", model, asked, ends=frozenset([3]), room=9)
    forward, halved = GPT2Model.forward, list[int]()

    @functools.wraps(forward)
    def limited(self: Any, input_ids: torch.Tensor, **rest: Any) -> Any:
        if input_ids.shape[1] == 5 and len(input_ids) > 3:
            raise torch.OutOfMemoryError
        return forward(self, input_ids, **rest)

    monkeypatch.setattr(GPT2Model, "forward", limited)
    decoder = parse("contrastive-search")[0]
    search = decoders.get(decoder.name).search(decoder)
    rules = Rules(Ending(frozenset([3])), 0, 2e-5)
    engine = LookAheadEngine([Reader(model, 8)], search, rules, rows=8, on_halved=halved.append)
    streams = [Stream(page, sample, tuple(text), 9) for page, sample, text in asked]
    found = {(s.page_id, s.sample): (one.tokens, one.ended) for batch in engine.run(streams) for s, one in batch}
    assert found == expected
    assert halved == [4, 2]
