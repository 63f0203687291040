"""Steps as captured graphs, on a machine with a GPU: the same bits as without, whoever comes, goes and grows."""

from typing import Any

import pytest
import torch
from transformers import AutoModelForCausalLM, GPT2Config, LlamaConfig, PretrainedConfig

from newwiki.models.engine.reader import Reader

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="graphs of kernels are captured on a GPU alone")

_SIZES: dict[str, Any] = {"vocab_size": 300, "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4}
CONFIGS = {
    "gpt2": GPT2Config(**_SIZES, n_positions=256, bos_token_id=0, eos_token_id=0),
    "llama": LlamaConfig(**_SIZES, num_key_value_heads=2, intermediate_size=128),
}


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16], ids=str)
@pytest.mark.parametrize("config", CONFIGS.values(), ids=CONFIGS)
def test_a_graph_gives_the_bits_that_its_kernels_do(config: PretrainedConfig, dtype: torch.dtype) -> None:
    model = built(config, dtype)
    found, expected = Reader(model, 40), Reader(model, 40)
    captured, expected._captured = found._captured, None
    assert captured
    assert torch.equal(written(found), written(expected))
    assert captured._graphs
    assert captured._can_be_captured


def test_a_model_that_asks_what_was_computed_is_read_without() -> None:
    model = built(CONFIGS["llama"], torch.float32)
    model.model.norm.register_forward_hook(lambda module, given, states: states * (1 + 0 * int(states.sum() > 0)))
    found, expected = Reader(model, 40), Reader(model, 40)
    captured, expected._captured = found._captured, None
    assert torch.equal(written(found), written(expected))
    assert captured
    assert not captured._can_be_captured


def built(config: PretrainedConfig, dtype: torch.dtype) -> Any:
    torch.manual_seed(0)
    return AutoModelForCausalLM.from_config(config, dtype=dtype).cuda().eval()


@torch.inference_mode()
def written(reader: Reader) -> torch.Tensor:
    """The logits of rows that begin, grow past a block, move, leave, and begin anew where others were."""
    draw = torch.Generator().manual_seed(0)
    logits = []
    for _ in range(2):
        for first in (0, 20):
            prompt = reader.read(torch.randint(300, (12 + first,), generator=draw).tolist())
            reader.slots.put(prompt.cache, prompt.length, range(first, first + 20))
        for step in range(48):
            rows = 40 - step // 2
            padded = torch.zeros(40, 300)
            padded[:rows] = reader.step(torch.randint(300, (40,), generator=draw)[:rows].cuda()).cpu()
            logits.append(padded)
            if step % 10 == 9:
                reader.slots.move({0: rows - 1, rows - 2: 1})
        reader.slots.clear(40)
    return torch.stack(logits)
