"""Eight chat models in the manner of known families: their tokens, chat templates, and weights that write given texts.

Each is a Llama of one layer without attention, whose next token depends on the last one alone, so that a test decides
what it writes. Tokenizers and templates are loaded by the same code that loads any checkpoint.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

CHATML = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
QWEN = (
    "{% for m in messages %}{% if m.role == 'assistant' %}<|im_start|>assistant\n"
    "{% if loop.last %}<think>\n\n</think>\n\n{% endif %}{{ m.content }}<|im_end|>\n"
    "{% else %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endif %}{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n"
    "{% if enable_thinking is defined and not enable_thinking %}<think>\n\n</think>\n\n{% endif %}{% endif %}"
)
SMOL = (
    "<|im_start|>system\nToday Date: {{ strftime_now('%d %B %Y') }}\n"
    "Reasoning Mode: {{ '/think' if enable_thinking | default(true) else '/no_think' }}<|im_end|>\n"
    + CHATML.replace(
        "<|im_start|>assistant\n{% endif %}",
        "<|im_start|>assistant\n"
        "{% if not enable_thinking | default(true) %}<think>\n\n</think>\n{% endif %}{% endif %}",
    )
)
R1 = (
    "<bos>{% for m in messages %}{% if m.role == 'user' %}<User>{{ m.content }}{% elif m.role == 'system' %}"
    "{{ m.content }}{% else %}<Assistant>{{ m.content }}<eos>{% endif %}{% endfor %}"
    "{% if add_generation_prompt %}<Assistant><think>\n{% endif %}"
)
MAGISTRAL = (
    "<s>{% for m in messages %}{% if m.role == 'user' %}[INST]{{ m.content }}[/INST]{% elif m.role == 'system' %}"
    "[SYSTEM_PROMPT]{{ m.content }}[/SYSTEM_PROMPT]{% else %}{{ m.content }}</s>{% endif %}{% endfor %}"
    "{# thinks between [THINK] and [/THINK] #}"
)
HARMONY = (
    "<|start|>system<|message|>Current date: {{ strftime_now('%Y-%m-%d') }}\n"
    "Reasoning: {{ reasoning_effort | default('medium') }}<|end|>"
    "{% for m in messages %}{% if m.role == 'assistant' %}<|start|>assistant<|channel|>final<|message|>{{ m.content }}"
    "{% if loop.last %}<|return|>{% else %}<|end|>{% endif %}"
    "{% else %}<|start|>{{ m.role }}<|message|>{{ m.content }}<|end|>{% endif %}{% endfor %}"
    "{% if add_generation_prompt %}<|start|>assistant{% endif %}"
)
GRANITE = (
    "{% if thinking %}<|role|>system<|sep|>Use <think></think> and <response></response>.<|eot|>{% endif %}"
    "{% for m in messages %}<|role|>{{ m.role }}<|sep|>{{ m.content }}<|eot|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|role|>assistant<|sep|>{% endif %}"
)
GEMMA = (
    "{{ bos_token }}{% for m in messages %}"
    "{% if m.role == 'system' %}{{ raise_exception('System role not supported') }}{% endif %}"
    "<start_of_turn>{{ 'model' if m.role == 'assistant' else m.role }}\n{{ m.content | trim }}<end_of_turn>\n"
    "{% endfor %}{% if add_generation_prompt %}<start_of_turn>model\n{% endif %}"
)
LLAMA = (
    "{{ bos_token }}{% if not date_string is defined %}{% set date_string = strftime_now('%d %b %Y') %}{% endif %}"
    "<|start_header_id|>system<|end_header_id|>\n\nToday Date: {{ date_string }}\n\n<|eot_id|>"
    "{% for m in messages %}<|start_header_id|>{{ m.role }}<|end_header_id|>\n\n{{ m.content | trim }}<|eot_id|>"
    "{% endfor %}{% if add_generation_prompt %}<|start_header_id|>assistant<|end_header_id|>\n\n{% endif %}"
)

BEGUN = "Lorn is a town."
# Each word is a token of its own, so that it has one successor
_THOUGHT = ("Let", " me", " think", " first")
_ANSWER = (" Many", " people", " live", " there")
THOUGHT, ANSWER = "".join(_THOUGHT), "".join(_ANSWER)


@dataclass(frozen=True)
class Family:
    """`special` and `plain` are added tokens; `ends` are those of the generation configuration, and `eos` is the
    tokenizer's. `writes` is what the model writes after its prompt's last token, under greedy search."""

    template: str
    special: Sequence[str]
    writes: str
    eos: str
    ends: Sequence[str]
    plain: Sequence[str] = ()
    bos: str | None = None
    thinks: bool = True


_TAGS = ("<think>", "</think>")
FAMILIES = {
    "qwen3": Family(
        QWEN, ("<|im_start|>", "<|im_end|>"), f"<think>{THOUGHT}</think>{ANSWER}<|im_end|>",
        "<|im_end|>", ("<|im_end|>", "<|endoftext|>"), _TAGS,
    ),
    "r1": Family(
        R1, ("<bos>", "<eos>", "<User>", "<Assistant>"), f"{THOUGHT}</think>{ANSWER}<eos>", "<eos>", ("<eos>",), _TAGS,
        "<bos>",
    ),
    "magistral": Family(
        MAGISTRAL, ("<s>", "</s>", "[INST]", "[/INST]", "[THINK]", "[/THINK]", "[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]"),
        f"[THINK]{THOUGHT}[/THINK]{ANSWER}</s>", "</s>", ("</s>",), (), "<s>",
    ),
    "gpt-oss": Family(
        HARMONY, ("<|start|>", "<|end|>", "<|message|>", "<|channel|>", "<|return|>"),
        f"<|channel|>analysis<|message|>{THOUGHT}<|end|>", "<|return|>", ("<|return|>",),
    ),
    "granite": Family(
        GRANITE, ("<|role|>", "<|sep|>", "<|eot|>"), f"<think>{THOUGHT}</think><response>{ANSWER}</response><|eot|>",
        "<|eot|>", ("<|eot|>",), (*_TAGS, "<response>", "</response>"),
    ),
    "gemma3": Family(
        GEMMA, ("<start_of_turn>", "<end_of_turn>", "<bos>", "<eos>"), f"{ANSWER}<end_of_turn>", "<eos>",
        ("<eos>",), (), "<bos>", thinks=False,
    ),
    "llama3": Family(
        LLAMA, ("<|begin_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>", "<|end_of_text|>"),
        f"{ANSWER}<|eot_id|>", "<|eot_id|>", ("<|end_of_text|>",), (), "<|begin_of_text|>", thinks=False,
    ),
    "smollm3": Family(
        SMOL, ("<|im_start|>", "<|im_end|>"), f"<think>{THOUGHT}</think>{ANSWER}<|im_end|>", "<|im_end|>",
        ("<|im_end|>",), _TAGS,
    ),
}  # fmt: skip


def save_family(name: str, toy: Path, folder: Path, *, writes: Sequence[str] = ()) -> Path:
    """Save the family's model into the folder, with the tokens of the tokenizer in `toy`. With `writes`, it writes each
    of these texts equally often, in place of its own."""
    from tokenizers import AddedToken
    from transformers import AutoTokenizer

    family = FAMILIES[name]
    tokenizer = AutoTokenizer.from_pretrained(toy)
    tokenizer.add_special_tokens({"additional_special_tokens": list(family.special)})
    plain = (*family.plain, *_THOUGHT, *_ANSWER)
    tokenizer.add_tokens([AddedToken(token, special=False, normalized=False) for token in plain])
    tokenizer.eos_token = family.eos
    if family.bos:
        tokenizer.bos_token = family.bos
    tokenizer.chat_template = family.template
    turns = [{"role": "user", "content": "."}]
    prompt = tokenizer.apply_chat_template(turns, add_generation_prompt=True, tokenize=False)
    texts = [prompt + text for text in writes or [family.writes]]
    end = family.writes[family.writes.rindex("<") :] if name != "gpt-oss" else family.eos
    paths = [tokenizer(text, add_special_tokens=False)["input_ids"] for text in [*texts, f"{BEGUN}{ANSWER}{end}"]]
    first = len(tokenizer(prompt, add_special_tokens=False)["input_ids"]) - 1
    model = _bigrams(len(tokenizer), [*(path[first:] for path in paths[:-1]), paths[-1][-len(_ANSWER) - 2 :]])
    model.generation_config.eos_token_id = [tokenizer.convert_tokens_to_ids(token) for token in family.ends]
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def _bigrams(vocabulary: int, paths: Sequence[Sequence[int]]) -> Any:
    """Return a model whose next token follows the last one as in these paths; after any other, all tokens are equally
    likely."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    width = 8 * -(-vocabulary // 8)
    config = LlamaConfig(
        vocab_size=vocabulary, hidden_size=width, intermediate_size=8, num_hidden_layers=1, num_attention_heads=1,
        head_dim=64,
        max_position_embeddings=4096, tie_word_embeddings=False, bos_token_id=None, eos_token_id=None,
    )  # fmt: skip
    model = LlamaForCausalLM(config).eval()
    with torch.no_grad():
        for weights in model.parameters():
            weights.zero_()
        model.model.norm.weight.fill_(1)
        model.model.embed_tokens.weight[:, :vocabulary] = torch.eye(vocabulary)
        for path in paths:
            for last, following in pairwise(path):
                model.lm_head.weight[following, last] = 12 / width**0.5
    return model
