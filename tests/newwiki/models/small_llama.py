"""A small Llama with random weights and a chat template, which vLLM can run with adapters."""

from pathlib import Path
from typing import Any

CONTEXT = 96  # tokens
# A text ends after one in 20 tokens, if all are as likely.
ENDS = [0, *range(100, 150)]
CHAT = "{% for turn in messages %}[{{ turn.role }}] {{ turn.content }}\n{% endfor %}[assistant]"


def write_llama(toy_checkpoint: Path, folder: Path) -> Path:
    """Write the model, with the toy checkpoint's tokenizer and a chat template."""
    import torch
    from transformers import AutoTokenizer, LlamaConfig, LlamaForCausalLM

    torch.manual_seed(0)
    sizes: dict[str, Any] = {"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2}
    heads = {"num_attention_heads": 2, "num_key_value_heads": 1, "bos_token_id": 0, "eos_token_id": 0}
    model = LlamaForCausalLM(LlamaConfig(vocab_size=1024, max_position_embeddings=CONTEXT, **sizes, **heads))
    model.generation_config.eos_token_id = ENDS
    model.save_pretrained(folder)
    tokenizer = AutoTokenizer.from_pretrained(toy_checkpoint)
    tokenizer.chat_template = CHAT
    tokenizer.save_pretrained(folder)
    return folder
