"""Train a toy pair classifier: a small BERT with its own byte-level BPE, trained on sentences of invented articles and
on the same sentences with swapped facts, in under a minute of CPU.

It is saved with `save_pretrained`, and loaded like any other checkpoint. It checks whether a claim's words occur in the
evidence, and knows nothing about their meaning.
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
_WINDOW = 192  # tokens per pair
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
    """A sentence as it is in its article, and as a claim, with its subject named."""

    text: str
    claim: str


@dataclass(frozen=True)
class Pair:
    """A piece of evidence and a claim; `label` is one of `LABELS`."""

    evidence: str
    claim: str
    label: str


def pairs(articles: Sequence[Sequence[Sentence]], seed: int, rounds: int = 1) -> list[Pair]:
    """Return one pair of each label for each sentence of the articles, `rounds` times.

    Supported: the sentence itself, shortened or reordered at its commas. Refuted: the same with a year, number or name
    replaced by another one of its kind. Not enough info: another sentence of the same article or of another one.
    """
    chosen = random.Random(seed)
    known = pools(articles)
    made = []
    for _ in range(rounds):
        for place, article in enumerate(articles):
            others = [s for other, sentences in enumerate(articles) if other != place for s in sentences]
            for sentence in article:
                claim = _reworded(sentence.claim, chosen)
                evidence = sentence.text if chosen.random() < 0.5 else sentence.claim
                made.append(Pair(evidence, claim, "supported"))
                if (swapped := with_swapped_fact(claim, evidence, known, chosen)) is not None:
                    made.append(Pair(evidence, swapped, "refuted"))
                same = [other for other in article if other != sentence]
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
    """Return the facts of the articles by kind: years, numbers, numerals, names."""
    texts = [sentence.text for article in articles for sentence in article]
    return {kind: sorted({fact for text in texts for fact in form.findall(text)}) for kind, form in _FACTS}


def with_swapped_fact(claim: str, evidence: str, known: dict[str, list[str]], chosen: random.Random) -> str | None:
    """Replace a fact that the claim shares with the evidence by another one; None if there is no such fact."""
    facts = [(kind, fact) for kind, form in _FACTS for fact in form.finditer(claim) if fact.group() in evidence]
    if not facts:
        return None
    kind, fact = chosen.choice(facts)
    others = [other for other in known[kind] if other not in evidence and other not in claim]
    return claim[: fact.start()] + chosen.choice(others) + claim[fact.end() :] if others else None


def train(examples: Sequence[Pair], folder: Path, *, steps: int = 300, report: Report | None = None) -> None:
    """Train on pairs and write model, tokenizer and `pair_scorer.toml` to `folder`, which appears only when it is
    complete.

    `report` receives (step, steps). The seed is fixed; results differ between machines in the last digits.
    """
    import torch

    silence_transformers()
    tokenizer = _tokenizer([text for pair in examples for text in (pair.evidence, pair.claim)])
    model = _model(tokenizer)
    generator = torch.Generator().manual_seed(0)
    read = _by_length(examples, tokenizer)

    def loss() -> "Tensor":
        batch = read[int(torch.randint(max(1, len(read) - _BATCH), (1,), generator=generator)) :][:_BATCH]
        rows = tokenizer.pad({name: [pair[name] for pair in batch] for name in batch[0]}, return_tensors="pt")
        value: Tensor = model(**{**rows, "input_ids": _renamed(rows["input_ids"], tokenizer, generator)}).loss
        return value

    fit(model, loss, steps=steps, rate=_RATE, weight_decay=0.01, warm_up=0.15, report=report)
    save(folder, model, tokenizer, {SCORER_FILE: _SCORER})


def _by_length(examples: Sequence[Pair], tokenizer: Any) -> list[dict[str, Any]]:
    """Return the model's inputs for each pair, the shortest first: a batch of neighbors needs little padding, and has
    pairs of the same sentence side by side."""
    read = [
        dict(tokenizer(pair.evidence, pair.claim, truncation=True, max_length=_WINDOW), labels=LABELS.index(pair.label))
        for pair in examples
    ]
    return sorted(read, key=lambda row: (len(row["input_ids"]), row["input_ids"]))


def _tokenizer(texts: Sequence[str]) -> Any:
    """Train byte-level BPE, because the word-piece trainer gives another vocabulary each time. Special tokens first."""
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
    """Return a BERT whose first layer initially looks for each token in the other sentence, which so few examples would
    not teach it: queries are keys mirrored along the direction in which the two sentences' embeddings differ."""
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
    direction = torch.tensor([1.0, -1.0]).repeat(_WIDTH // 2)
    head_part = direction[: _WIDTH // _HEADS]
    mirror = torch.eye(len(head_part)) - 2 * torch.outer(head_part, head_part) / len(head_part)
    with torch.no_grad():
        torch.nn.init.normal_(embeddings.word_embeddings.weight, std=1.0)
        embeddings.token_type_embeddings.weight.copy_(torch.stack([direction, -direction]) / 2)
        layers[0].attention.self.query.weight.copy_(_SHARPNESS * torch.block_diag(*[mirror] * _HEADS))
        layers[0].attention.self.key.weight.copy_(_SHARPNESS * torch.eye(_WIDTH))
        for layer in layers:
            layer.attention.self.value.weight.copy_(torch.eye(_WIDTH))
            layer.attention.output.dense.weight.copy_(torch.eye(_WIDTH))
    return model


def _renamed(ids: "Tensor", tokenizer: Any, generator: Any) -> "Tensor":
    """Replace, in about half of the rows [pairs, tokens], each token by another one, the same in both sentences, so the
    model learns whether words recur, and not which words these articles have."""
    import torch

    special = len(_SPECIAL)
    made = ids.clone()
    for row in torch.nonzero(torch.rand(len(ids), generator=generator) < 0.5).flatten().tolist():
        others = torch.randperm(len(tokenizer) - special, generator=generator) + special
        made[row] = torch.cat([torch.arange(special), others])[ids[row]]
    return made
