"""A language in which damage tells: the words of a text stand one, two, three or five apart in the word list, which
goes round. What comes next depends on two words before, so that a model that has learnt it goes on well from whole
text, and badly from damaged text."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.cutoff_seeds import Article
from newwiki.quiet import silence_transformers

WORDS = tuple(f"{first}{vowel}{last}" for first in "bdgkm" for vowel in "aiu" for last in "lr")[:29]
_APART = (1, 2, 3, 5)
_END = "<|endoftext|>"
_CONTEXT, _BATCH = 64, 16
_STEPS, _EARLY = 200, 120


def text(random: np.random.Generator, length: int) -> list[str]:
    start, apart = int(random.integers(len(WORDS))), int(random.choice(_APART))
    return [WORDS[(start + place * apart) % len(WORDS)] for place in range(length)]


def articles(count: int, length: int) -> list[Article]:
    """Of so many words each."""
    random = np.random.default_rng(5)
    texts = [text(random, length) for _ in range(count)]
    return [Article(0, " ".join(one[:2]), f"{' '.join(one[2:4])}.", " ".join(one[4:])) for one in texts]


def trained(learnt: Path, early: Path) -> None:
    """A model that has learnt the language, and the same earlier in its training."""
    import torch
    from tokenizers import Regex, Tokenizer, models, pre_tokenizers
    from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

    silence_transformers()
    by_word = Tokenizer(models.WordLevel({word: place for place, word in enumerate([*WORDS, _END])}, unk_token=_END))
    by_word.pre_tokenizer = pre_tokenizers.Split(Regex("[^a-z]+"), "removed")
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=by_word, eos_token=_END, unk_token=_END)
    torch.manual_seed(0)
    shape: dict[str, Any] = {"n_positions": _CONTEXT, "n_embd": 64, "n_layer": 2, "n_head": 4}
    still = {"resid_pdrop": 0.0, "embd_pdrop": 0.0, "attn_pdrop": 0.0}
    end = len(WORDS)
    model = GPT2LMHeadModel(GPT2Config(vocab_size=end + 1, bos_token_id=end, eos_token_id=end, **shape, **still))
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=5e-3, total_steps=_STEPS, pct_start=0.1)
    random = np.random.default_rng(0)
    for step in range(_STEPS):
        if step == _EARLY:
            _save(model, tokenizer, early)
        tokens = torch.tensor([_ids(text(random, 48)) for _ in range(_BATCH)])
        model(input_ids=tokens, labels=tokens).loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        schedule.step()
    _save(model, tokenizer, learnt)


def _ids(words: Sequence[str]) -> list[int]:
    return [WORDS.index(word) for word in words]


def _save(model: Any, tokenizer: Any, folder: Path) -> None:
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
