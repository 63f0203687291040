"""A toy pair classifier: a small BERT with its own byte-level BPE, trained on sentences of invented articles and on the
same with swapped facts, in under a minute of CPU.

It is saved by `save_pretrained`, and loaded like any other checkpoint. It looks whether a claim's words stand in the
evidence, and knows nothing of what they mean.
"""

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from newwiki.quiet import silence_transformers
from newwiki.sample.toy_training import Report, fit, save
from newwiki.text.words import split_words

if TYPE_CHECKING:
    from torch import Tensor

LABELS = ("supported", "refuted", "not enough info")
SCORER_FILE = "pair_scorer.toml"

_VOCABULARY = 3000
_SPECIAL = ("[PAD]", "[CLS]", "[SEP]")
_WINDOW = 192  # tokens of a pair
_WIDTH, _HEADS, _SHARPNESS = 64, 2, 1.2
_BATCH, _RATE = 32, 2e-3
_SCORER = """\
# A toy: a small BERT that was trained on sentences of invented articles and on the same with swapped facts.
model = "."
first = "evidence"
source = "a toy that was trained on the sample wiki"
pitfalls = "it looks whether a claim's words stand in the evidence, and knows nothing of what they mean"

[labels]
supported = "supported"
refuted = "refuted"
not_enough_info = "not enough info"
"""
_FACTS = (
    ("year", re.compile(r"\b1[0-9]{3}\b|\b20[0-9]{2}\b")),
    ("number", re.compile(r"\b\d[\d,.]*\d\b|\b\d\b")),
    ("numeral", re.compile(r"\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty)\b")),
    ("name", re.compile(r"(?<=[\w,;] )[^\W\d_a-zß-ÿ][^\W\d_]+(?: [^\W\d_a-zß-ÿ][^\W\d_]+)*")),
)


@dataclass(frozen=True)
class Sentence:
    """As it stands in its article, and as it is claimed, with its subject named."""

    text: str
    claim: str


@dataclass(frozen=True)
class Pair:
    """`label` is one of `LABELS`."""

    evidence: str
    claim: str
    label: str


def pairs(articles: Sequence[Sequence[Sentence]], seed: int, rounds: int = 1) -> list[Pair]:
    """For each sentence of the articles, `rounds` times, one pair of each label.

    Supported: the sentence itself, shortened or reordered at its commas. Refuted: the same with a year, number or name
    in the place of another one of its kind. Not enough info: another sentence of the same article or of another one.
    """
    chosen = random.Random(seed)
    known = pools(articles)
    made = []
    for _ in range(rounds):
        for place, article in enumerate(articles):
            others = [one for other, sentences in enumerate(articles) if other != place for one in sentences]
            for sentence in article:
                claim = _reworded(sentence.claim, chosen)
                evidence = sentence.text if chosen.random() < 0.5 else sentence.claim
                made.append(Pair(evidence, claim, "supported"))
                if (swapped := with_swapped_fact(claim, evidence, known, chosen)) is not None:
                    made.append(Pair(evidence, swapped, "refuted"))
                same = [one for one in article if one != sentence]
                stranger = chosen.choice(same if same and chosen.random() < 0.7 else others)
                made.append(Pair(stranger.text if chosen.random() < 0.5 else stranger.claim, claim, "not enough info"))
    return made


def _reworded(claim: str, chosen: random.Random) -> str:
    parts = claim.removesuffix(".").split(", ")
    which = chosen.random()
    if which < 0.4 or len(parts) < 2:
        return claim
    if which < 0.8:
        kept = parts[: chosen.randint(1, len(parts) - 1)]
        return ", ".join(kept) + "." if len(split_words(" ".join(kept))) > 4 else claim
    return ", ".join([*parts[1:], parts[0]]) + "."


def pools(articles: Sequence[Sequence[Sentence]]) -> dict[str, list[str]]:
    """The facts of the articles by kind: years, numbers, numerals, names."""
    texts = [one.text for article in articles for one in article]
    return {kind: sorted({fact for text in texts for fact in form.findall(text)}) for kind, form in _FACTS}


def with_swapped_fact(claim: str, evidence: str, known: dict[str, list[str]], chosen: random.Random) -> str | None:
    """The claim with another fact in the place of one that it has from the evidence; None where it has none."""
    found = [(kind, fact) for kind, form in _FACTS for fact in form.finditer(claim) if fact.group() in evidence]
    if not found:
        return None
    kind, fact = chosen.choice(found)
    others = [one for one in known[kind] if one not in evidence and one not in claim]
    return claim[: fact.start()] + chosen.choice(others) + claim[fact.end() :] if others else None


def train(examples: Sequence[Pair], folder: Path, *, steps: int = 300, report: Report | None = None) -> None:
    """Trains on pairs and writes model, tokenizer and `pair_scorer.toml` to `folder`, which appears only when it is
    complete.

    `report` is told (step, steps). The seed is fixed; results differ between machines in the last digits.
    """
    import torch

    silence_transformers()
    tokenizer = _tokenizer([text for one in examples for text in (one.evidence, one.claim)])
    model = _model(tokenizer)
    generator = torch.Generator().manual_seed(0)
    read = _by_length(examples, tokenizer)

    def loss() -> "Tensor":
        batch = read[int(torch.randint(max(1, len(read) - _BATCH), (1,), generator=generator)) :][:_BATCH]
        rows = tokenizer.pad({name: [one[name] for one in batch] for name in batch[0]}, return_tensors="pt")
        found: Tensor = model(**{**rows, "input_ids": _renamed(rows["input_ids"], tokenizer, generator)}).loss
        return found

    fit(model, loss, steps=steps, rate=_RATE, weight_decay=0.01, warm_up=0.15, report=report)
    save(folder, model, tokenizer, {SCORER_FILE: _SCORER})


def _by_length(examples: Sequence[Pair], tokenizer: Any) -> list[dict[str, Any]]:
    """What the model reads of each, the shortest first: a batch of neighbours is padded little, and has what was made
    of one sentence side by side."""
    read = [
        dict(tokenizer(one.evidence, one.claim, truncation=True, max_length=_WINDOW), labels=LABELS.index(one.label))
        for one in examples
    ]
    return sorted(read, key=lambda one: (len(one["input_ids"]), one["input_ids"]))


def _tokenizer(texts: Sequence[str]) -> Any:
    """Byte-level BPE: the trainer of word pieces gives another vocabulary each time. Special tokens come first."""
    from tokenizers import ByteLevelBPETokenizer
    from tokenizers.processors import TemplateProcessing
    from transformers import PreTrainedTokenizerFast

    bpe = ByteLevelBPETokenizer(add_prefix_space=True)
    bpe.train_from_iterator(
        texts, vocab_size=_VOCABULARY, min_frequency=1, special_tokens=list(_SPECIAL), show_progress=False
    )
    pad, begins, ends = _SPECIAL
    bpe._tokenizer.post_processor = TemplateProcessing(
        single=f"{begins} $A {ends}",
        pair=f"{begins} $A {ends} $B:1 {ends}:1",
        special_tokens=[(begins, 1), (ends, 2)],
    )
    return PreTrainedTokenizerFast(
        tokenizer_object=bpe._tokenizer,
        pad_token=pad,
        cls_token=begins,
        sep_token=ends,
        model_max_length=_WINDOW,
        model_input_names=["input_ids", "token_type_ids", "attention_mask"],
    )


def _model(tokenizer: Any) -> Any:
    """A BERT whose first layer begins by looking for each token in the other sentence, which so few examples would not
    teach it: queries are keys mirrored along the direction in which the two sentences' embeddings differ."""
    import torch
    from transformers import BertConfig, BertForSequenceClassification

    torch.manual_seed(0)
    model = BertForSequenceClassification(
        BertConfig(
            vocab_size=len(tokenizer),
            hidden_size=_WIDTH,
            num_hidden_layers=2,
            num_attention_heads=_HEADS,
            intermediate_size=2 * _WIDTH,
            max_position_embeddings=_WINDOW,
            hidden_dropout_prob=0.0,
            attention_probs_dropout_prob=0.0,
            pad_token_id=tokenizer.pad_token_id,
            id2label=dict(enumerate(LABELS)),
            label2id={label: place for place, label in enumerate(LABELS)},
        )
    )
    embeddings, layers = model.bert.embeddings, model.bert.encoder.layer
    apart = torch.tensor([1.0, -1.0]).repeat(_WIDTH // 2)
    of_head = apart[: _WIDTH // _HEADS]
    mirror = torch.eye(len(of_head)) - 2 * torch.outer(of_head, of_head) / len(of_head)
    with torch.no_grad():
        torch.nn.init.normal_(embeddings.word_embeddings.weight, std=1.0)
        embeddings.token_type_embeddings.weight.copy_(torch.stack([apart, -apart]) / 2)
        layers[0].attention.self.query.weight.copy_(_SHARPNESS * torch.block_diag(*[mirror] * _HEADS))
        layers[0].attention.self.key.weight.copy_(_SHARPNESS * torch.eye(_WIDTH))
        for layer in layers:
            layer.attention.self.value.weight.copy_(torch.eye(_WIDTH))
            layer.attention.output.dense.weight.copy_(torch.eye(_WIDTH))
    return model


def _renamed(ids: "Tensor", tokenizer: Any, generator: Any) -> "Tensor":
    """The rows [pairs, tokens], in about half of which each token is another one, the same in both sentences: so the
    model learns whether words are there, and not which words these articles have."""
    import torch

    special = len(_SPECIAL)
    made = ids.clone()
    for row in torch.nonzero(torch.rand(len(ids), generator=generator) < 0.5).flatten().tolist():
        others = torch.randperm(len(tokenizer) - special, generator=generator) + special
        made[row] = torch.cat([torch.arange(special), others])[ids[row]]
    return made
