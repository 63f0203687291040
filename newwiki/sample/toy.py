"""Train a toy checkpoint: a small GPT-2 with its own byte-level BPE, trained on the given articles in a minute of CPU.

It is saved with `save_pretrained`, and loaded like any other checkpoint. It knows English letters and a few names,
enough to produce every number, but no good text.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from newwiki.quiet import silence_transformers
from newwiki.sample.toy_training import Report, fit, save

if TYPE_CHECKING:
    from torch import Tensor

_END = "<|endoftext|>"
_VOCABULARY = 1024
_CONTEXT = 1024
_WINDOW = 128  # tokens per training example
_BATCH = 4


def train(
    texts: Sequence[str],
    folder: Path,
    *,
    steps: int = 1200,
    layers: int = 2,
    width: int = 192,
    report: Report | None = None,
) -> None:
    """Train on whole articles and write model and tokenizer to `folder`, which appears only when it is complete.

    The model has `layers` layers of `width` units. `report` receives (step, steps). The seed is fixed; results differ
    between machines in the last digits.
    """
    import torch

    silence_transformers()
    tokenizer = _tokenizer(texts)
    model = _model(tokenizer, layers, width)
    stream = torch.tensor([token for text in texts for token in tokenizer(text + _END)["input_ids"]])
    generator = torch.Generator().manual_seed(0)

    def loss() -> "Tensor":
        tokens, positions = _examples(stream, generator)
        value: Tensor = model(input_ids=tokens, position_ids=positions, labels=tokens).loss
        return value

    fit(model, loss, steps=steps, rate=3e-3, weight_decay=0.1, warm_up=0.1, report=report)
    save(folder, model, tokenizer, {})


def _tokenizer(texts: Sequence[str]) -> Any:
    from tokenizers import ByteLevelBPETokenizer
    from transformers import PreTrainedTokenizerFast

    bpe = ByteLevelBPETokenizer()
    bpe.train_from_iterator(texts, vocab_size=_VOCABULARY, special_tokens=[_END], show_progress=False)
    return PreTrainedTokenizerFast(tokenizer_object=bpe._tokenizer, eos_token=_END)


def _model(tokenizer: Any, layers: int, width: int) -> Any:
    import torch
    from transformers import GPT2Config, GPT2LMHeadModel

    torch.manual_seed(0)
    end = tokenizer.eos_token_id
    return GPT2LMHeadModel(
        GPT2Config(
            vocab_size=len(tokenizer),
            n_positions=_CONTEXT,
            n_embd=width,
            n_layer=layers,
            n_head=4,
            bos_token_id=end,
            eos_token_id=end,
            resid_pdrop=0.0,
            embd_pdrop=0.0,
            attn_pdrop=0.0,
        )
    )


def _examples(stream: "Tensor", generator: Any) -> "tuple[Tensor, Tensor]":
    """Return random windows of the stream; their positions begin anywhere, so that the whole context is trained."""
    import torch

    starts = torch.randint(len(stream) - _WINDOW, (_BATCH,), generator=generator)
    offsets = torch.randint(_CONTEXT - _WINDOW, (_BATCH,), generator=generator)
    offsets[torch.rand(_BATCH, generator=generator) < 0.3] = 0
    span = torch.arange(_WINDOW)
    return stream[starts[:, None] + span], offsets[:, None] + span
