"""How likely a model finds texts that are given: a log-probability for each of their tokens.

Texts are read in groups of like length, padded at the right, which no token of a causal model looks at. The last layer
is taken over a few tokens at a time, so that no logits of a whole text stand in memory.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from newwiki.errors import TerminalError
from newwiki.models.engine.head import decoder_of, logits_of
from newwiki.models.engine.reading_windows import ReadingWindow, cut
from newwiki.models.engine.rotary import Rope, ropes_of, same_frequencies

_TOKENS = 8192  # at most that are read in one pass, where a window has not more
_LOGITS = 2**22  # numbers at a time, which a processor's cache may hold
_TOLERANCE = {torch.float32: 1e-3, torch.bfloat16: 0.2, torch.float16: 0.02}  # nats
_SMALLEST = 1e-12  # of a variance, so that a sure model's is not divided by


@dataclass(frozen=True)
class TokenLikelihoods:
    """log p (natural) of each token of a text but the first, and, where it is asked for, how many standard deviations
    that is above what the model expects of log p there."""

    log_probabilities: list[float]
    standardised: list[float]


def log_probabilities(model: Any, prompt: Sequence[int], completion: Sequence[int]) -> list[float]:
    """log p(token | all before it), natural, for each token of the completion, by one forward pass over the whole text.

    A text is read with no other, so that its numbers depend on nothing else. Without a prompt the first token has none.
    """
    scored = len(completion) if prompt else len(completion) - 1
    if scored < 1:
        return []
    with torch.inference_mode():
        tokens = torch.tensor([[*prompt, *completion]], device=model.device)
        logits = model(input_ids=tokens[:, :-1], use_cache=False, logits_to_keep=scored).logits[0]
        chosen = tokens[0, -scored:, None]
        picked = logits.float().log_softmax(dim=-1).gather(1, chosen)[:, 0]
    numbers: list[float] = picked.tolist()
    return numbers


def read_texts(
    model: Any, texts: Sequence[Sequence[int]], size: int, *, bos: bool, standardised: bool = False
) -> list[TokenLikelihoods]:
    """The texts' tokens given those before them, in windows of `size` tokens (see `reading_windows.cut`).

    log p(token) − μ over σ are `standardised`, with μ and σ² the mean and the variance of log p over the vocabulary
    under the model itself (Zhang et al. 2024, Min-K%++, eq. 3). The texts that are given together decide what is read
    together: the same texts in the same order give the same bits, and others move them by rounding alone. Raises
    TerminalError for a model whose last layer cannot be had alone.
    """
    found = [TokenLikelihoods([0.0] * max(0, len(text) - 1), []) for text in texts]
    if standardised:
        found = [TokenLikelihoods(one.log_probabilities, [0.0] * len(one.log_probabilities)) for one in found]
    windows = [(place, window) for place, text in enumerate(texts) for window in cut(text, size, bos=bos)]
    windows.sort(key=lambda one: (-len(one[1].inputs), one[0], one[1].target))
    with torch.inference_mode():
        for group in _groups(windows, ropes_of(model)):
            numbers = _read(model, [window for _, window in group], [texts[place] for place, _ in group], standardised)
            for (place, window), (chosen, apart) in zip(group, numbers, strict=True):
                scored = slice(window.target - 1, window.target - 1 + window.scored)
                found[place].log_probabilities[scored] = chosen
                if standardised:
                    found[place].standardised[scored] = apart
    return found


def read_after(
    model: Any, source: Sequence[int], begun: Sequence[int], text: Sequence[int], *, standardised: bool = False
) -> TokenLikelihoods:
    """The tokens of a text given those before it and what its decoder has `begun` with, under an encoder-decoder whose
    encoder reads the `source`; as in `read_texts`, but alone and in one pass."""
    if not text:
        return TokenLikelihoods([], [])
    with torch.inference_mode():
        read = model(
            input_ids=torch.tensor([list(source)], device=model.device),
            decoder_input_ids=torch.tensor([[*begun, *text[:-1]]], device=model.device),
            use_cache=False,
        )
        logits = read.logits[0, -len(text) :]
        targets = torch.tensor(list(text), device=model.device)
        step = _step(logits.shape[-1])
        parts = [_of_logits(*part, standardised) for part in zip(logits.split(step), targets.split(step), strict=True)]
    chosen, apart = (torch.cat(of_parts).tolist() for of_parts in zip(*parts, strict=True))
    return TokenLikelihoods(chosen, apart)


def check_likelihoods(model: Any) -> None:
    """Compares with the model's plain forward pass, of a few tokens. Raises TerminalError where they differ."""
    vocabulary = model.config.get_text_config().vocab_size
    texts = [[(start + step) % vocabulary for step in range(length)] for start, length in ((1, 7), (3, 4), (11, 6))]
    read = read_texts(model, texts, 4, bos=False)
    for text, one in zip(texts, read, strict=True):
        plain = [number for window in cut(text, 4, bos=False) for number in _plainly(model, text, window)]
        apart = (torch.tensor(plain) - torch.tensor(one.log_probabilities)).abs().max()
        if not (bool(apart.isnan()) or float(apart) <= _TOLERANCE[model.dtype]):
            raise TerminalError(
                f"{type(model).__name__} finds a text otherwise likely beside others than alone (by {apart:.2g} nats "
                "a token), so it cannot be read in batches; choose another model"
            )


def _plainly(model: Any, text: Sequence[int], window: ReadingWindow) -> list[float]:
    with torch.inference_mode():
        logits = model(input_ids=torch.tensor([window.inputs], device=model.device), use_cache=False).logits[0]
        targets = torch.tensor(text[window.target : window.target + window.scored], device=model.device)
        rows = logits[window.first : window.first + window.scored].float().log_softmax(dim=-1)
        numbers: list[float] = rows.gather(1, targets[:, None])[:, 0].tolist()
    return numbers


def _groups(
    windows: Sequence[tuple[int, ReadingWindow]], ropes: Sequence[Rope]
) -> Iterator[list[tuple[int, ReadingWindow]]]:
    """What is read in one pass, of windows from the longest to the shortest; those beside it are padded to its length,
    by which a model may rotate them."""
    group: list[tuple[int, ReadingWindow]] = []
    for one in windows:
        if group:
            longest, length = len(group[0][1].inputs), len(one[1].inputs)
            if (len(group) + 1) * longest > _TOKENS or not same_frequencies(ropes, longest, length):
                yield group
                group = []
        group.append(one)
    if group:
        yield group


def _read(
    model: Any, windows: Sequence[ReadingWindow], texts: Sequence[Sequence[int]], standardised: bool
) -> list[tuple[list[float], list[float]]]:
    longest = len(windows[0].inputs)
    rows = [[*window.inputs, *[0] * (longest - len(window.inputs))] for window in windows]
    read = decoder_of(model)(input_ids=torch.tensor(rows, device=model.device), use_cache=False)
    states = torch.cat(
        [read.last_hidden_state[row, window.first : window.first + window.scored] for row, window in enumerate(windows)]
    )
    targets = torch.tensor(
        [
            token
            for window, text in zip(windows, texts, strict=True)
            for token in text[window.target : window.target + window.scored]
        ],
        device=model.device,
    )
    chosen, apart = _of_states(model, states, targets, type(read), standardised)
    sizes = [window.scored for window in windows]
    return [
        (one.tolist(), other.tolist())
        for one, other in zip(
            chosen.split(sizes), apart.split(sizes) if standardised else [apart] * len(sizes), strict=True
        )
    ]


def _of_states(model: Any, states: Tensor, targets: Tensor, output: type, standardised: bool) -> tuple[Tensor, Tensor]:
    """Of tokens that come after hidden states [tokens, size]: log p, and how far it is from what is expected."""
    parts = []
    step = _step(model.config.get_text_config().vocab_size)
    for of_part, chosen in zip(states.split(step), targets.split(step), strict=True):
        logits = logits_of(model, of_part[None], output)
        if logits is None:
            raise TerminalError(
                f"{type(model).__name__} does not let its last layer be had alone, so it cannot read articles; choose "
                "another model"
            )
        parts.append(_of_logits(logits[0], chosen, standardised))
    of_all, apart = zip(*parts, strict=True)
    return torch.cat(of_all), torch.cat(apart)


def _step(vocabulary: int) -> int:
    """Tokens whose logits are made at a time."""
    return max(16, _LOGITS // vocabulary)


def _of_logits(logits: Tensor, targets: Tensor, standardised: bool) -> tuple[Tensor, Tensor]:
    """log p of tokens by their logits [tokens, vocabulary]; how far it is from what is expected, or nothing."""
    numbers = logits.float().log_softmax(dim=-1)
    chosen = numbers.gather(1, targets[:, None])[:, 0]
    return chosen, _standardised(numbers, chosen) if standardised else chosen[:0]


def _standardised(numbers: Tensor, chosen: Tensor) -> Tensor:
    """(log p − μ) / σ of tokens, from log p of the whole vocabulary [tokens, vocabulary]."""
    shares = numbers.exp()
    numbers = numbers.clamp_min(torch.finfo(torch.float32).min)  # 0 · −∞ is no number
    means = torch.linalg.vecdot(shares, numbers)
    numbers = numbers - means[:, None]
    variances = torch.linalg.vecdot(shares.mul_(numbers), numbers)
    return (chosen - means) / variances.clamp_min(_SMALLEST).sqrt()
