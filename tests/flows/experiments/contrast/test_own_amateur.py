"""An expert that is its own amateur, as the paper says of it (Li et al. 2022, sections 4.1 and 7.1).

What becomes of texts is in `test_contrast.py`.
"""

from typing import Any

import pytest
import torch

from newwiki.decoding.contrastive_decoding import Contrast
from newwiki.decoding.stream import Ending, View
from tests.newwiki.decoding.lively import VOCABULARY, lively, prompts
from tests.newwiki.decoding.running import written

PROMPT = prompts(3, 1)[0]


def log_p(model: Any, read: list[list[int]]) -> torch.Tensor:
    """Of the token after each [rows, vocabulary]."""
    with torch.inference_mode():
        return torch.as_tensor(model(torch.tensor(read)).logits[:, -1].double().log_softmax(-1))


def view(logits: torch.Tensor, amateur: torch.Tensor) -> View:
    slack = torch.zeros(len(logits), 1)
    return View(logits, slack, lambda tokens: torch.zeros(tokens.shape), Ending(frozenset()), lambda s: s, amateur)


def test_there_is_no_contrast_between_identical_models() -> None:
    """7.1: "we cannot exploit any contrast between two identical LMs": all plausible tokens score 0."""
    logits = torch.randn(4, 30, generator=torch.Generator().manual_seed(1))
    both, contrast = view(logits, logits), Contrast(alpha=0.1, temperature=1.0, authors=False, at_least=1)
    scores = contrast.scores(both, contrast.expert(both))
    p = logits.softmax(-1)
    plausible = p >= 0.1 * p.amax(-1, keepdim=True)
    assert plausible.sum() > 4
    assert scores[plausible].tolist() == pytest.approx([0.0] * int(plausible.sum()))
    assert scores[~plausible].isneginf().all()


def test_without_the_prompt_it_is_the_mutual_information_of_prompt_and_text() -> None:
    """4.1, "Diverse decoding": log p(text | prompt) - log p(text | its last token), here of all pairs of tokens."""
    model = lively(1)
    pointwise = []
    for read in (PROMPT, PROMPT[-1:]):
        pairs = log_p(model, [[*read, token] for token in range(VOCABULARY)])
        pointwise.append(log_p(model, [read]).T + pairs)
    information = pointwise[0] - pointwise[1]
    best = divmod(int(information.argmax()), VOCABULARY)
    spec = f"contrastive-decoding:amateur=itself,alpha=0,amateur_temperature=1,num_beams={VOCABULARY}"
    found = written(spec, model, [(0, 0, PROMPT)], ends=frozenset(), room=2, rows=VOCABULARY, amateur=model)
    assert found == {(0, 0): (list(best), False)}
