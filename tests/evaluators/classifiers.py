"""Tiny classifiers made on the spot, and files that describe them."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
from transformers import BertConfig, BertForSequenceClassification, PreTrainedTokenizerFast

WORDS = ["good", "bad", "river", "bridge", "town", "anna", "berg", "stands", ".", "!", "?"]


def tokenizer(context: int = 16, *, pairs: bool = False) -> Any:
    """A token a word of `WORDS`; any other is unknown. With `pairs` it tells the texts of a pair apart."""
    names = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *WORDS]
    made = Tokenizer(models.WordLevel({name: place for place, name in enumerate(names)}, unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer(lowercase=True)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1" if pairs else None,
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=made,
        pad_token="[PAD]",
        unk_token="[UNK]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        model_max_length=context,
    )


def bert(folder: Path, labels: Sequence[str], *, logits: Sequence[float] | None = None) -> Any:
    """A BERT of one layer in a folder: random, or with the same `logits` whatever it reads."""
    torch.manual_seed(0)
    model = BertForSequenceClassification(
        BertConfig(
            vocab_size=4 + len(WORDS),
            hidden_size=16,
            intermediate_size=16,
            num_hidden_layers=1,
            num_attention_heads=2,
            max_position_embeddings=16,
            id2label=dict(enumerate(labels)),
            label2id={label: place for place, label in enumerate(labels)},
        )
    ).eval()
    with torch.no_grad():
        model.classifier.weight.normal_(std=3)
        if logits:
            model.classifier.weight.zero_()
            model.classifier.bias.copy_(torch.tensor(logits))
    model.save_pretrained(folder)
    tokenizer().save_pretrained(folder)
    return model


def described(file: Path, **keys: object) -> Path:
    """A scorer's file; what is not given is as simple as can be."""
    whole = {"name": "mine", "definition": "what a test says", "model": "model"} | keys
    file.write_text("".join(f"{key} = {json.dumps(value)}\n" for key, value in whole.items()))
    return file
