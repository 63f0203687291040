"""How likely a model finds a text, against transformers' own loss."""

import math
from pathlib import Path

import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from newwiki.models.huggingface import HuggingFaceModel

PAIRS = [
    ("Orlow\n\nOrlow is a town.", " It lies on the river Lumen and has a bridge."),
    ("Orlow", " שלום 🙂"),
    ("Skarrow\n\nSkarrow is", ""),
]


def test_a_completions_mean_log_probability_is_transformers_loss(toy_checkpoint: Path) -> None:
    plain = AutoModelForCausalLM.from_pretrained(toy_checkpoint)
    tokenizer = AutoTokenizer.from_pretrained(toy_checkpoint)
    found = list(HuggingFaceModel(str(toy_checkpoint), device="cpu").likelihoods(PAIRS))
    for (prompt, completion), likelihood in zip(PAIRS, found, strict=True):
        whole = tokenizer(prompt + completion, return_tensors="pt")["input_ids"]
        begun = len(tokenizer(prompt)["input_ids"])
        assert len(likelihood.log_probabilities) == whole.shape[1] - begun
        assert not likelihood.truncated
        if completion:
            labels = whole.clone()
            labels[:, :begun] = -100
            with torch.no_grad():
                loss = plain(input_ids=whole, labels=labels).loss.item()
            mean = math.fsum(likelihood.log_probabilities) / len(likelihood.log_probabilities)
            assert mean == pytest.approx(-loss, rel=1e-4)


def test_numbers_are_the_same_to_the_last_bit_in_any_company(toy_checkpoint: Path) -> None:
    model = HuggingFaceModel(str(toy_checkpoint), device="cpu")
    together = list(model.likelihoods(PAIRS))
    assert [next(model.likelihoods([pair])) for pair in reversed(PAIRS)] == together[::-1]


def test_what_does_not_fit_into_the_context_has_no_number_and_says_so(toy_checkpoint: Path) -> None:
    long = " river" * 2000
    (likelihood,) = HuggingFaceModel(str(toy_checkpoint), device="cpu").likelihoods([("Orlow", long)])
    assert likelihood.truncated
    begun = len(AutoTokenizer.from_pretrained(toy_checkpoint)("Orlow")["input_ids"])
    assert len(likelihood.log_probabilities) == 1024 - begun
