"""Train a scorer on texts and their scores, and write it as a folder that `--scorer FOLDER/scorer.toml` reads."""

import math
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from evaluators.networks import lstm
from evaluators.networks.chunks import cut
from newwiki.errors import TerminalError
from newwiki.models.checkpoint import Trust, find_whole, split_revision
from newwiki.models.loading import load_classifier
from newwiki.quiet import silence_transformers
from newwiki.training_requests import TrainScorerRequest

_BATCH = 32
_CONTEXT = 512
_SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]

Report = Callable[[int, int, str], None]  # steps done, steps in total, and a short message


def fit(
    texts: Sequence[str], scores: Sequence[float], request: TrainScorerRequest, folder: Path, report: Report
) -> None:
    """Train by least squares, and write model and tokenizer to `folder`. Every chunk of a text has the text's score.

    The same seed on the same machine gives the same model. Raises TerminalError if `base` is not available.
    """
    silence_transformers()
    torch.manual_seed(request.seed)
    model, tokenizer, window = _begin(texts, request)
    model.to("cuda" if torch.cuda.is_available() else "cpu")
    mean, deviation = _centre(scores)
    examples = [
        (chunk.tokens, (score - mean) / deviation)
        for text, score in zip(texts, scores, strict=True)
        for chunk in cut(tokenizer, text, window)
        if chunk.size
    ]
    if not examples:
        raise TerminalError(f"no text has any token for the tokenizer of '{request.base}'; choose another --base")
    _descend(model, tokenizer, examples, request, report)
    _rescale(model, mean, deviation)
    if isinstance(model, lstm.EssayLstm):
        lstm.save(model, tokenizer, folder)
    else:
        model.save_pretrained(folder)
        tokenizer.save_pretrained(folder)


def _begin(texts: Sequence[str], request: TrainScorerRequest) -> tuple[nn.Module, Any, int]:
    """Return the untrained model, its tokenizer, and the number of tokens that it reads at once."""
    if request.kind == "lstm":
        tokenizer = _word_tokenizer(texts, request.vocabulary)
        width = request.width or 300
        return lstm.EssayLstm(lstm.Shape(len(tokenizer), layers=(width, max(1, width // 4)))), tokenizer, _CONTEXT
    if request.base is None:
        tokenizer = _word_piece_tokenizer(texts, request.vocabulary)
        return _small_bert(len(tokenizer), request.width or 256), tokenizer, _CONTEXT
    return _fine_tuned(request.base)


def _small_bert(vocabulary: int, width: int) -> nn.Module:
    from transformers import BertConfig, BertForSequenceClassification

    config = BertConfig(
        vocab_size=vocabulary,
        hidden_size=width,
        intermediate_size=4 * width,
        num_hidden_layers=2,
        num_attention_heads=4,
        max_position_embeddings=_CONTEXT,
        num_labels=1,
        pad_token_id=0,
    )
    model: nn.Module = BertForSequenceClassification(config)
    return model


def _fine_tuned(base: str) -> tuple[nn.Module, Any, int]:
    from evaluators.networks.network import TransformersNetwork

    name, revision = split_revision(base)
    model, tokenizer = load_classifier(find_whole(name, revision, Trust()), "float32", new_outputs=1)
    if not tokenizer.is_fast or tokenizer.pad_token_id is None:
        raise TerminalError(f"'{base}' has no fast tokenizer with a padding token; choose another --base")
    return model, tokenizer, min(_CONTEXT, TransformersNetwork(model, tokenizer).context)


def _word_tokenizer(texts: Sequence[str], vocabulary: int) -> Any:
    from tokenizers import Tokenizer, models, trainers

    untrained = Tokenizer(models.WordLevel(unk_token="[UNK]"))
    return _trained_tokenizer(
        untrained, trainers.WordLevelTrainer(vocab_size=vocabulary, special_tokens=_SPECIAL[:2]), texts
    )


def _word_piece_tokenizer(texts: Sequence[str], vocabulary: int) -> Any:
    from tokenizers import Tokenizer, models, processors, trainers

    untrained = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    trainer = trainers.WordPieceTrainer(vocab_size=vocabulary, special_tokens=_SPECIAL, show_progress=False)
    trained = _trained_tokenizer(untrained, trainer, texts, cls_token="[CLS]", sep_token="[SEP]")
    trained.backend_tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    return trained


def _trained_tokenizer(untrained: Any, trainer: Any, texts: Sequence[str], **special: str) -> Any:
    """Train a tokenizer in lower case, split at white space, punctuation marks and Chinese characters, like BERT's."""
    from tokenizers import normalizers, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    untrained.normalizer = normalizers.BertNormalizer(lowercase=True)
    untrained.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer.show_progress = False
    untrained.train_from_iterator(texts, trainer)
    return PreTrainedTokenizerFast(
        tokenizer_object=untrained, pad_token="[PAD]", unk_token="[UNK]", model_max_length=_CONTEXT, **special
    )


def _centre(scores: Sequence[float]) -> tuple[float, float]:
    mean = math.fsum(scores) / len(scores)
    return mean, math.sqrt(math.fsum((score - mean) ** 2 for score in scores) / len(scores))


Example = tuple[tuple[int, ...], float]


def _descend(
    model: nn.Module, tokenizer: Any, examples: Sequence[Example], request: TrainScorerRequest, report: Report
) -> None:
    steps = request.epochs * math.ceil(len(examples) / _BATCH)
    rate = 2e-3 if request.kind == "lstm" else 3e-5 if request.base else 1e-3
    optimizer = torch.optim.AdamW(model.parameters(), lr=rate, weight_decay=0.01)
    planned = max(steps, 11)  # with 10 steps the rise, a tenth, has length 0, by which torch divides
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=rate, total_steps=planned, pct_start=0.1)
    generator = torch.Generator().manual_seed(request.seed)
    device = next(model.parameters()).device
    model.train()
    for step, batch in enumerate(_batches(examples, request.epochs, generator), start=1):
        targets = torch.tensor([target for _, target in batch], device=device)
        loss = nn.functional.mse_loss(_outputs(model, tokenizer, [ids for ids, _ in batch]), targets)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        schedule.step()
        report(step, steps, f"loss {loss.item():.3f}")
    model.eval()


def _batches(examples: Sequence[Example], epochs: int, generator: torch.Generator) -> Iterator[list[Example]]:
    for _ in range(epochs):
        order = torch.randperm(len(examples), generator=generator).tolist()
        for start in range(0, len(order), _BATCH):
            yield [examples[place] for place in order[start : start + _BATCH]]


def _outputs(model: nn.Module, tokenizer: Any, chunks: Sequence[Sequence[int]]) -> Tensor:
    device = next(model.parameters()).device
    if isinstance(model, lstm.EssayLstm):
        tokens, lengths = lstm.padded(chunks)
        return model(tokens.to(device), lengths)[:, 0]
    features = tokenizer.pad({"input_ids": [list(chunk) for chunk in chunks]}, return_tensors="pt").to(device)
    return model(**features).logits[:, 0]


def _rescale(model: nn.Module, mean: float, deviation: float) -> None:
    """Scale the last layer, so that outputs are in the scale of the scores."""
    last = [layer for layer in model.modules() if isinstance(layer, nn.Linear) and layer.out_features == 1][-1]
    with torch.no_grad():
        last.weight.mul_(deviation)
        last.bias.mul_(deviation).add_(mean)
