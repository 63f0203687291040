"""Score given texts: a log-probability for each of their tokens.

Texts are read in groups of similar length, padded on the right, which no token of a causal model sees. The last layer
is applied to a few tokens at a time, so the logits of a whole text are never in memory.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from newwiki.errors import TerminalError
from newwiki.models.engine.head import decoder_of, logits_of
from newwiki.models.engine.reading_windows import ReadingWindow, cut
from newwiki.models.engine.rotary import Rope, ropes_of, same_frequencies

_TOKENS = 8192  # maximum per pass, unless a single window has more
_LOGITS = 2**22  # numbers at a time, which fit into a processor's cache
_TOLERANCE = {torch.float32: 1e-3, torch.bfloat16: 0.2, torch.float16: 0.02}  # nats
_SMALLEST = 1e-12  # lower bound of a variance, to avoid dividing by that of a certain model


@dataclass(frozen=True)
class TokenLikelihoods:
    """log p (natural) of each token of a text but the first; if requested, also how many standard deviations it is
    above the model's own expectation of log p at that position."""

    log_probabilities: list[float]
    standardised: list[float]


def log_probabilities(model: Any, prompt: Sequence[int], completion: Sequence[int]) -> list[float]:
    """Return log p(token | all before it), natural, for each token of the completion, in one pass over the whole text.

    Each text is read alone, so its numbers depend on nothing else. Without a prompt the first token has none.
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
    """Score the texts' tokens given those before them, in windows of `size` tokens (see `reading_windows.cut`).

    `standardised` holds (log p(token) − μ) / σ, with μ and σ² the mean and the variance of log p over the vocabulary
    under the model itself (Zhang et al. 2024, Min-K%++, eq. 3). Texts passed together are batched together: the same
    texts in the same order give the same bits, and other texts change them only by rounding. Raises TerminalError for a
    model whose last layer cannot be run separately.
    """
    scores = [TokenLikelihoods([0.0] * max(0, len(text) - 1), []) for text in texts]
    if standardised:
        scores = [TokenLikelihoods(text.log_probabilities, [0.0] * len(text.log_probabilities)) for text in scores]
    windows = [(place, window) for place, text in enumerate(texts) for window in cut(text, size, bos=bos)]
    windows.sort(key=lambda item: (-len(item[1].inputs), item[0], item[1].target))
    with torch.inference_mode():
        for group in _groups(windows, ropes_of(model)):
            numbers = _read(model, [window for _, window in group], [texts[place] for place, _ in group], standardised)
            for (place, window), (chosen, deviations) in zip(group, numbers, strict=True):
                scored = slice(window.target - 1, window.target - 1 + window.scored)
                scores[place].log_probabilities[scored] = chosen
                if standardised:
                    scores[place].standardised[scored] = deviations
    return scores


def read_after(
    model: Any, source: Sequence[int], begun: Sequence[int], text: Sequence[int], *, standardised: bool = False
) -> TokenLikelihoods:
    """Score a text's tokens given those before them and the decoder's `begun` tokens, under an encoder-decoder whose
    encoder reads the `source`; like `read_texts`, but alone and in one pass."""
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
        parts = [
            _score_logits(*part, standardised) for part in zip(logits.split(step), targets.split(step), strict=True)
        ]
    chosen, deviations = (torch.cat(of_parts).tolist() for of_parts in zip(*parts, strict=True))
    return TokenLikelihoods(chosen, deviations)


def check_likelihoods(model: Any) -> None:
    """Compare with the model's plain forward pass on a few tokens. Raises TerminalError if they differ."""
    vocabulary = model.config.get_text_config().vocab_size
    texts = [[(start + step) % vocabulary for step in range(length)] for start, length in ((1, 7), (3, 4), (11, 6))]
    read = read_texts(model, texts, 4, bos=False)
    for text, scores in zip(texts, read, strict=True):
        plain = [number for window in cut(text, 4, bos=False) for number in _plainly(model, text, window)]
        difference = (torch.tensor(plain) - torch.tensor(scores.log_probabilities)).abs().max()
        if not (bool(difference.isnan()) or float(difference) <= _TOLERANCE[model.dtype]):
            raise TerminalError(
                f"{type(model).__name__} scores a text differently in a batch than alone (by {difference:.2g} nats per "
                "token), so it cannot be read in batches; choose another model"
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
    """Group windows into passes, longest first. The windows of a pass are padded to the longest, and must have the same
    rotary frequencies at that length."""
    group: list[tuple[int, ReadingWindow]] = []
    for item in windows:
        if group:
            longest, length = len(group[0][1].inputs), len(item[1].inputs)
            if (len(group) + 1) * longest > _TOKENS or not same_frequencies(ropes, longest, length):
                yield group
                group = []
        group.append(item)
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
    chosen, deviations = _score_states(model, states, targets, type(read), standardised)
    sizes = [window.scored for window in windows]
    deviations_by_window = deviations.split(sizes) if standardised else [deviations] * len(sizes)
    return [
        (log_p.tolist(), deviation.tolist())
        for log_p, deviation in zip(chosen.split(sizes), deviations_by_window, strict=True)
    ]


def _score_states(
    model: Any, states: Tensor, targets: Tensor, output: type, standardised: bool
) -> tuple[Tensor, Tensor]:
    """Score the tokens that follow hidden states [tokens, size]: log p, and its standardized value."""
    parts = []
    step = _step(model.config.get_text_config().vocab_size)
    for part, chosen in zip(states.split(step), targets.split(step), strict=True):
        logits = logits_of(model, part[None], output)
        if logits is None:
            raise TerminalError(
                f"the last layer of {type(model).__name__} cannot be run separately, so it cannot read articles; "
                "choose another model"
            )
        parts.append(_score_logits(logits[0], chosen, standardised))
    log_p, deviations = zip(*parts, strict=True)
    return torch.cat(log_p), torch.cat(deviations)


def _step(vocabulary: int) -> int:
    """Return the number of tokens whose logits are computed at a time."""
    return max(16, _LOGITS // vocabulary)


def _score_logits(logits: Tensor, targets: Tensor, standardised: bool) -> tuple[Tensor, Tensor]:
    """Return log p of tokens from their logits [tokens, vocabulary], and its standardized value, or nothing."""
    numbers = logits.float().log_softmax(dim=-1)
    chosen = numbers.gather(1, targets[:, None])[:, 0]
    return chosen, _standardised(numbers, chosen) if standardised else chosen[:0]


def _standardised(numbers: Tensor, chosen: Tensor) -> Tensor:
    """Return (log p − μ) / σ of tokens, from log p of the whole vocabulary [tokens, vocabulary]."""
    shares = numbers.exp()
    numbers = numbers.clamp_min(torch.finfo(torch.float32).min)  # 0 · −∞ would be NaN
    means = torch.linalg.vecdot(shares, numbers)
    numbers = numbers - means[:, None]
    variances = torch.linalg.vecdot(shares.mul_(numbers), numbers)
    return (chosen - means) / variances.clamp_min(_SMALLEST).sqrt()


if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def next_probabilities(model: Any, sequences: Sequence[Sequence[int]], places: Sequence[int]) -> "NDArray[np.float32]":
    """Return probabilities [sequences, places, vocabulary] of the token after the first `place` tokens (at least 1),
    for sequences of equal length. One pass suffices, or one for each set of rotary frequencies. Raises TerminalError
    for a model whose last layer cannot be run separately."""
    ropes = ropes_of(model)
    parts = []
    with torch.inference_mode():
        tokens = torch.tensor([list(sequence) for sequence in sequences], device=model.device)
        for _, alike in groupby(places, lambda place: [rope.frequencies(place) for rope in ropes]):
            parts.append(_after(model, tokens, [*alike]))
        probabilities: NDArray[np.float32] = torch.cat(parts, dim=1).cpu().numpy()
        return probabilities


def _after(model: Any, tokens: Tensor, places: Sequence[int]) -> Tensor:
    read = decoder_of(model)(input_ids=tokens[:, : max(places)], use_cache=False)
    states = read.last_hidden_state[:, [place - 1 for place in places]]
    logits = logits_of(model, states, type(read))
    if logits is None:
        raise TerminalError(
            f"the last layer of {type(model).__name__} cannot be run separately, so it cannot be compared with "
            "another model; choose another model"
        )
    return logits.float().softmax(dim=-1)
