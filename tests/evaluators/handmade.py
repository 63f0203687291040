"""Tiny models of transformers' own kinds with weights set by hand, so that a reader can compute what they say."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from transformers import BertConfig, BertForSequenceClassification, BertModel, GPT2Config, GPT2LMHeadModel

from tests.evaluators.classifiers import tokenizer


def _bert(width: int, layers: int, context: int, **more: Any) -> BertConfig:
    return BertConfig(
        vocab_size=len(tokenizer()),
        hidden_size=width,
        intermediate_size=1,
        num_hidden_layers=layers,
        num_attention_heads=1,
        max_position_embeddings=context,
        **more,
    )


def _zero(model: Any) -> None:
    """Leaves of a model only that it adds up and normalises."""
    for name, weights in model.named_parameters():
        weights.fill_(1.0 if name.endswith("LayerNorm.weight") else 0.0)


@torch.no_grad()
def voter(
    folder: Path,
    labels: Sequence[str],
    good: Sequence[float],
    bad: Sequence[float],
    context: int,
    *,
    pairs: bool = False,
) -> None:
    """A BERT that reads `context` tokens: its logits are `good` where a chunk has more words good than bad, and `bad`
    where it has fewer, and half of both together where it has as many. With `pairs` it reads two texts together.

    "good" is (1, -1), "bad" (-1, 1), all else 0. Attention is uniform, so the first token gets the mean; normalised,
    that is (1, -1) or (-1, 1), of which the pooler keeps the first number, as tanh(±99) = ±1.
    """
    names = {"id2label": dict(enumerate(labels)), "label2id": {label: place for place, label in enumerate(labels)}}
    model = BertForSequenceClassification(_bert(2, 1, context, **names))
    _zero(model)
    ids = tokenizer().convert_tokens_to_ids(["good", "bad"])
    model.bert.embeddings.word_embeddings.weight[ids] = torch.tensor([[1.0, -1.0], [-1.0, 1.0]])
    attention = model.bert.encoder.layer[0].attention
    for linear in (attention.self.value, attention.output.dense):
        linear.weight.copy_(torch.eye(2))
    model.bert.pooler.dense.weight[0, 0] = 99.0
    model.classifier.weight[:, 0] = (torch.tensor(good) - torch.tensor(bad)) / 2
    model.classifier.bias.copy_((torch.tensor(good) + torch.tensor(bad)) / 2)
    model.save_pretrained(folder)
    tokenizer(context, pairs=pairs).save_pretrained(folder)


def judge(folder: Path, context: int = 64) -> Path:
    """The file of a pair scorer beside its model, a voter: evidence and claim together have more words good than bad
    where it is supported, fewer where it is refuted, and as many where there is not enough info. The logits are
    (3, 1, -3), (-3, 1, 3) and (0, 1, 0)."""
    voter(folder / "judge", ["yes", "maybe", "no"], good=[3, 1, -3], bad=[-3, 1, 3], context=context, pairs=True)
    file = folder / "pair_scorer.toml"
    labels = 'supported = "yes"\nrefuted = "no"\nnot_enough_info = "maybe"\n'
    file.write_text(f'model = "judge"\npitfalls = "it counts words"\n[labels]\n{labels}')
    return file


@torch.no_grad()
def follower(folder: Path, after: Mapping[str, Mapping[str, float]]) -> Path:
    """A GPT-2 whose probability of the next word is `after`[last word][next word]; all other words share what is left.

    A token's state is 1 in its own place and 0 elsewhere, which the last normalisation is made to give back. So the
    column of the last layer that belongs to a word holds the log-probabilities of what follows it.
    """
    read = tokenizer()
    size = len(read)
    model = GPT2LMHeadModel(
        GPT2Config(
            vocab_size=size,
            n_positions=16,
            n_embd=size,
            n_layer=1,
            n_head=1,
            layer_norm_epsilon=0.0,
            tie_word_embeddings=False,
            bos_token_id=None,
            eos_token_id=None,
        )
    )
    for weights in model.parameters():
        weights.zero_()
    model.transformer.wte.weight.copy_(torch.eye(size))
    model.transformer.ln_f.weight.fill_(((1 / size) * (1 - 1 / size)) ** 0.5)
    model.transformer.ln_f.bias.fill_(1 / size)
    for last, following in after.items():
        column = torch.full((size,), (1 - sum(following.values())) / (size - len(following)))
        column[read.convert_tokens_to_ids([*following])] = torch.tensor([*following.values()])
        model.lm_head.weight[:, read.convert_tokens_to_ids(last)] = column.log()
    model.save_pretrained(folder)
    read.backend_tokenizer.post_processor = None
    read.save_pretrained(folder)
    return folder


@torch.no_grad()
def compass(folder: Path, words: int) -> Path:
    """An embedding model that reads so many words at once: "river" points one way, "bridge" at a right angle to it, and
    all else nowhere; a text points where the mean of its words does."""
    context = words + 2  # the special tokens
    model = BertModel(_bert(4, 0, context))
    _zero(model)
    ids = tokenizer().convert_tokens_to_ids(["river", "bridge"])
    model.embeddings.word_embeddings.weight[ids] = torch.tensor([[1.0, -1.0, 0.0, 0.0], [0.0, 0.0, 1.0, -1.0]])
    model.save_pretrained(folder)
    tokenizer(context).save_pretrained(folder)
    return folder
