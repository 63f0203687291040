"""LongRoPE and dynamic NTK: a row is read by the frequencies of its own length, whatever is beside it.

What that is, tells a model that is read without a cache, a text at a time, and made anew for each: transformers' own
frequencies are those of the longest row of a batch, and dynamic NTK's of the longest that it has read so far.
"""

import copy
from collections.abc import Callable, Sequence
from importlib.metadata import version
from typing import Any

import pytest
import torch
from packaging.version import Version
from torch import Tensor
from transformers import AutoConfig, AutoModelForCausalLM, LlamaConfig

from newwiki.decoding.grammar import Decoder, parse
from newwiki.errors import TerminalError
from newwiki.models.engine.likelihood import log_probabilities, next_probabilities, read_texts
from newwiki.models.engine.packed import use_fast_kernels
from newwiki.models.engine.reader import Reader
from newwiki.models.engine.rotary import context
from newwiki.models.engine.selftest import check_reading
from tests.newwiki.decoding.naive import Naive
from tests.newwiki.decoding.running import written

EDGE, ROOM, END = 16, 6, frozenset([96])
LENGTHS = (3, 13, 16, 24)  # of prompts, whose rows cross the edge at different steps, or begin past it

_SMALL: dict[str, Any] = {
    "vocab_size": 97, "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 3, "num_attention_heads": 4,
    "num_key_value_heads": 2, "head_dim": 8, "max_position_embeddings": 64, "pad_token_id": 0, "bos_token_id": 0,
    "eos_token_id": 96,
}  # fmt: skip
_THETA = {"rope_theta": 10_000.0}
_LONG = {**_THETA, "rope_type": "longrope", "short_factor": [1.0, 1.2, 1.5, 2.0], "long_factor": [3.0, 5.0, 8.0, 13.0],
         "original_max_position_embeddings": EDGE}  # fmt: skip
_NTK = {**_THETA, "rope_type": "dynamic", "factor": 4.0}
_OF_LAYERS = {"sliding_window": 6, "layer_types": ["sliding_attention", "full_attention", "full_attention"]}
MODELS: dict[str, tuple[str, dict[str, Any]]] = {
    "phi3, LongRoPE": ("phi3", {"rope_parameters": _LONG, "original_max_position_embeddings": EDGE}),
    "llama, LongRoPE": ("llama", {"rope_parameters": _LONG}),
    "phimoe, scaled on top": ("phimoe", {"rope_parameters": {**_LONG, "short_mscale": 1.0, "long_mscale": 1.4},
                              "num_local_experts": 2, "original_max_position_embeddings": EDGE}),
    "gemma3, some layers": ("gemma3_text", {**_OF_LAYERS, "rope_parameters": {
                            "full_attention": _LONG, "sliding_attention": {**_THETA, "rope_type": "default"}}}),
    "llama, dynamic NTK": ("llama", {"rope_parameters": _NTK, "max_position_embeddings": EDGE}),
    "olmo3, dynamic NTK": ("olmo3", {**_OF_LAYERS, "rope_parameters": {
                           "full_attention": _NTK, "sliding_attention": {**_THETA, "rope_type": "default"}},
                           "max_position_embeddings": EDGE}),
}  # fmt: skip
OLD = pytest.mark.skipif(
    Version(version("transformers")) < Version("5.23"), reason="transformers' own code for this is broken"
)
KINDS = [pytest.param(named, marks=OLD) if named == "gemma3, some layers" else named for named in MODELS]
LONG_ROPE, DYNAMIC = "phi3, LongRoPE", "llama, dynamic NTK"


def built(named: str, seed: int = 0) -> Any:
    kind, settings = MODELS[named]
    torch.manual_seed(seed)
    model = AutoModelForCausalLM.from_config(AutoConfig.for_model(kind, **{**_SMALL, **settings})).eval()
    with torch.no_grad():
        for weights in model.parameters():
            if weights.dim() > 1:
                weights.mul_(6)  # else every next token is about as likely, and positions matter little
    return model


def anew(model: Any) -> Callable[..., Any]:
    """The model as it is now, which no text that it reads changes."""
    untouched = copy.deepcopy(model)

    def read(**inputs: Any) -> Any:
        return copy.deepcopy(untouched)(**inputs)

    return read


def texts(lengths: Sequence[int] = LENGTHS) -> list[list[int]]:
    generator = torch.Generator().manual_seed(1)
    return [torch.randint(1, 96, (length,), generator=generator).tolist() for length in lengths]


def quick(model: Any) -> Any:
    use_fast_kernels(model)
    check_reading(model)
    return model


@pytest.mark.parametrize("named", KINDS)
def test_cached_generation_equals_rereading_the_text_for_each_token(named: str) -> None:
    model, decoder = built(named), parse("greedy")[0]
    naive = Naive(anew(model), END, 64)
    expected = {(page, 0): naive.write(decoder, text, room=ROOM) for page, text in enumerate(texts())}
    asked = [(page, 0, text) for page, text in enumerate(texts())]
    quick(model)
    for rows, order in ((1, asked), (3, asked[::-1])):
        assert written(decoder, model, order, ends=END, room=ROOM, rows=rows) == expected


@pytest.mark.parametrize(
    ("named", "spec"),
    [
        (LONG_ROPE, "beam:num_beams=3"),
        (LONG_ROPE, "sample:top_k=20"),
        (LONG_ROPE, "contrastive-search:top_k=3"),
        (DYNAMIC, "beam:num_beams=3"),
        (DYNAMIC, "contrastive-search:top_k=3"),
    ],
)
def test_with_every_kind_of_decoder(named: str, spec: str) -> None:
    model, decoder = built(named), parse(spec)[0]
    naive = Naive(anew(model), END, 64)
    asked = [(page, 0, text) for page, text in enumerate(texts((12, 15, 17)))]
    expected = {(page, 0): naive.write(decoder, text, room=ROOM, page_id=page) for page, _, text in asked}
    quick(model)
    assert written(decoder, model, asked, ends=END, room=ROOM, rows=7) == expected


def test_expert_and_amateur_each_cross_at_their_own_length() -> None:
    expert, amateur = built(LONG_ROPE), built(DYNAMIC, seed=1)
    decoder = Decoder("contrastive-decoding", {**parse("contrastive-decoding:amateur=x")[0].parameters, "num_beams": 2})
    naive = Naive(anew(expert), END, 64, amateur=anew(amateur))
    asked = [(page, 0, text) for page, text in enumerate(texts((12, 15)))]
    expected = {(page, 0): naive.write(decoder, text, room=ROOM) for page, _, text in asked}
    assert written(decoder, quick(expert), asked, ends=END, room=ROOM, rows=5, amateur=quick(amateur)) == expected


@OLD
def test_phi3_writes_what_generate_writes_which_drops_its_cache_at_the_edge() -> None:
    model = built(LONG_ROPE)
    expected = {}
    for page, text in enumerate(texts()):
        whole = model.generate(torch.tensor([text]), do_sample=False, max_new_tokens=ROOM)[0, len(text) :].tolist()
        expected[page, 0] = (whole[: whole.index(96)], True) if 96 in whole else (whole, False)
    asked = [(page, 0, text) for page, text in enumerate(texts())]
    assert written("greedy", quick(model), asked, ends=END, room=ROOM, rows=7) == expected


def test_generate_keeps_keys_of_other_frequencies_where_a_model_has_no_code_of_its_own() -> None:
    """Why `generate` is no measure for the others: its logits past the edge are not those of the text."""
    model, [text] = built("llama, LongRoPE"), texts((EDGE - 2,))
    told = model.generate(
        torch.tensor([text]), do_sample=False, max_new_tokens=6, output_logits=True, return_dict_in_generate=True
    )
    for step, logits in enumerate(told.logits):
        length = len(text) + step
        alone = model(input_ids=told.sequences[:, :length], use_cache=False).logits[:, -1]
        assert torch.allclose(alone, logits, atol=1e-3) == (length <= EDGE)


@torch.inference_mode()
@pytest.mark.parametrize("named", [LONG_ROPE, DYNAMIC])
@pytest.mark.parametrize("length", [5, EDGE, EDGE + 3])
def test_a_rows_logits_are_the_same_to_the_last_bit_beside_rows_on_either_side(named: str, length: int) -> None:
    model = quick(built(named))
    text, *others = texts((length, 3, EDGE - 1, EDGE, EDGE + 1, 30, 8))

    def after(rows: Sequence[Sequence[int]]) -> Tensor:
        reader = Reader(model, len(rows))
        for slot, row in enumerate(rows):
            reader.read_anew(row, slot)
        return reader.step(torch.arange(len(rows)) + 1)[0]

    alone = after([text])
    for count in (1, 6):
        assert torch.equal(after([text, *others[:count]]), alone)


@pytest.mark.parametrize("named", [LONG_ROPE, DYNAMIC])
def test_given_texts_are_read_by_their_own_lengths(named: str) -> None:
    model = built(named)
    plain, given = anew(model), texts((4, 9, 15, 16, 17, 18, 18, 30))
    quick(model)
    for window in (12, 40):
        for text, read in zip(given, read_texts(model, given, window, bos=False), strict=True):
            if len(text) <= window:
                expected = plain(input_ids=torch.tensor([text[:-1]])).logits[0].log_softmax(dim=-1)
                chosen = expected.gather(1, torch.tensor(text[1:])[:, None])[:, 0]
                torch.testing.assert_close(torch.tensor(read.log_probabilities), chosen, atol=1e-4, rtol=1e-4)
                alone = torch.tensor(log_probabilities(model, text[:1], text[1:]))
                torch.testing.assert_close(alone, chosen, atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("named", [LONG_ROPE, DYNAMIC])
def test_the_prediction_at_a_position_is_that_after_the_prefix(named: str) -> None:
    model, given, places = built(named), texts((24, 24)), [2, 15, 16, 17, 20, 24]
    plain = anew(model)
    found = next_probabilities(quick(model), given, places)
    for row, text in enumerate(given):
        for place, told in zip(places, found[row], strict=True):
            expected = plain(input_ids=torch.tensor([text[:place]])).logits[0, -1].softmax(dim=-1)
            torch.testing.assert_close(torch.tensor(told), expected, atol=1e-5, rtol=1e-3)


def test_dynamic_ntk_makes_the_context_longer_by_its_factor_and_nothing_else_does() -> None:
    assert context(built(DYNAMIC)) == 4 * EDGE
    assert context(built(LONG_ROPE)) == 64
    fixed = {"rope_parameters": {**_NTK, "alpha": 1000.0}}
    config = AutoConfig.for_model("hunyuan_v1_dense", **{**_SMALL, **fixed})
    assert context(AutoModelForCausalLM.from_config(config)) == 64  # its `alpha` holds at every length


def test_longrope_that_a_models_own_code_makes_is_refused() -> None:
    model = AutoModelForCausalLM.from_config(LlamaConfig(**_SMALL))
    model.config.rope_parameters = _LONG  # which its embedding, made before, knows nothing of
    with pytest.raises(
        TerminalError, match=r"LlamaForCausalLM computes its rotary embedding \(longrope\) with its own code"
    ):
        check_reading(model)
