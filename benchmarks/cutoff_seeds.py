"""Test whether `newwiki experiment cutoff` finds the last month on which toy models were trained, in 20 invented wikis.

    python benchmarks/cutoff_seeds.py [--seeds 20] [--into docs/cutoff.md]

Each wiki has months of articles of one style and length, about people and places drawn anew for each article. Only
having read an article therefore helps. The control is a small model that has read other articles of this kind. It is
trained further on the articles of the months up to k. A second model that has seen no month is trained further on as
many other articles instead.

In a second wiki of each seed the articles of later months are shorter. A shorter article takes more bits per byte, so
this wiki tests whether length is mistaken for a cutoff. The model that has seen no month is also judged on it. Bits per
byte come from a plain forward pass.
"""

import argparse
import math
import re
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from evaluators.change_point import ChangePoint, change_point, monthly_means
from newwiki.quiet import silence_transformers

Array = np.ndarray[Any, np.dtype[np.float64]]

MONTHS, EACH = 12, 10
_SENTENCES = 6
# between these months the number of sentences changes from the first length to the second
_DRIFT, _LENGTHS = (4, 6), (8, 2)
_VOCABULARY, _CONTEXT, _BATCH = 1024, 256, 8
# the number of other articles, short and long, that the control has read, and its training steps
_BEFORE, _LEARNT = 400, 300
_MORE = 60  # training steps on the months, or on other articles
_END = "<|endoftext|>"

_ONSETS = ["b", "br", "d", "dr", "f", "g", "gr", "h", "k", "kr", "l", "m", "n", "p", "r", "s", "st", "t", "tr", "v"]
_VOWELS = "aeiou"
_CODAS = "lnrs"
_NAMES = [f"{onset}{vowel}{coda}a".capitalize() for onset in _ONSETS for vowel in _VOWELS for coda in _CODAS]
_FORMS = (
    "{name} was born in {name} in {year}.",
    "In {year}, {name} opened a {thing} near {name}.",
    "The {thing} of {name} was sold to {name} in {year}.",
    "{name} and {name} wrote to {name} about the {thing}.",
    "It stands above {name}, beside the {thing} of {name}.",
    "After {year} the {thing} was moved from {name} to {name}.",
    "{name} died in {name} in {year}, and left a {thing}.",
    "People of {name} still speak of {name}.",
)
_THINGS = ["mill", "school", "bridge", "chapel", "ferry", "theatre", "garden", "press", "harbour", "library"]


@dataclass(frozen=True)
class Article:
    month: int
    title: str
    first_sentence: str
    completion: str

    @property
    def text(self) -> str:
        return f"{self.title}\n\n{self.first_sentence} {self.completion}"


def articles(random: np.random.Generator, month: int, count: int, sentences: int = _SENTENCES) -> list[Article]:
    """Return articles of one month in one style, each with about `sentences` sentences."""
    return [_article(random, month, sentences + int(random.integers(-1, 2))) for _ in range(count)]


def others(seed: int, count: int) -> list[str]:
    """Return the texts of articles that are in no month, short and long."""
    random = np.random.default_rng([seed, 1])
    return [articles(random, 0, 1, 3 + place % 6)[0].text for place in range(count)]


def _article(random: np.random.Generator, month: int, sentences: int) -> Article:
    forms = [_FORMS[place % len(_FORMS)] for place in random.permutation(sentences)]
    body = " ".join(_filled(random, form) for form in forms)
    title = _filled(random, "{name} {name}")
    first = _filled(random, "{name} in {year}.")
    return Article(month, title, f"{title} was a keeper of the {random.choice(_THINGS)} of {first}", body)


def _filled(random: np.random.Generator, form: str) -> str:
    slots: dict[str, Callable[[], str]] = {
        "name": lambda: str(random.choice(_NAMES)),
        "year": lambda: str(random.integers(1900, 2000)),
        "thing": lambda: str(random.choice(_THINGS)),
    }
    return re.sub(r"\{(\w+)\}", lambda slot: slots[slot[1]](), form)


def control(folder: Path) -> Path:
    """Train a model on other articles of this kind, and save it with its tokenizer as a checkpoint."""
    import torch
    from tokenizers import ByteLevelBPETokenizer
    from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

    silence_transformers()
    texts = others(0, _BEFORE)
    bpe = ByteLevelBPETokenizer()
    bpe.train_from_iterator(texts, vocab_size=_VOCABULARY, special_tokens=[_END], show_progress=False)
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=bpe._tokenizer, eos_token=_END)
    torch.manual_seed(0)
    end = tokenizer.eos_token_id
    shape: dict[str, Any] = {"n_positions": _CONTEXT, "n_embd": 64, "n_layer": 2, "n_head": 4}
    still = {"resid_pdrop": 0.0, "embd_pdrop": 0.0, "attn_pdrop": 0.0}
    config = GPT2Config(vocab_size=len(tokenizer), bos_token_id=end, eos_token_id=end, **shape, **still)
    return _trained(GPT2LMHeadModel(config), tokenizer, texts, folder, _LEARNT)


def trained_further(base: Path, texts: Sequence[str], folder: Path) -> Path:
    """Train the control further on these texts."""
    from transformers import AutoModelForCausalLM, AutoTokenizer

    silence_transformers()
    model, tokenizer = AutoModelForCausalLM.from_pretrained(base), AutoTokenizer.from_pretrained(base)
    return _trained(model, tokenizer, texts, folder, _MORE)


def _trained(model: Any, tokenizer: Any, texts: Sequence[str], folder: Path, steps: int) -> Path:
    import torch

    read = [torch.tensor(tokenizer(_END + text + _END)["input_ids"])[:_CONTEXT] for text in texts]
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=5e-3, total_steps=steps, pct_start=0.1)
    generator = torch.Generator().manual_seed(0)
    model.train()
    for _ in range(steps):
        rows = [read[place] for place in torch.randint(len(read), (_BATCH,), generator=generator)]
        tokens = torch.nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=-100)
        model(input_ids=tokens.clamp(min=0), labels=tokens).loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        schedule.step()
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def bits_per_byte(folder: Path, read: Sequence[Article]) -> Array:
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    model, tokenizer = AutoModelForCausalLM.from_pretrained(folder).eval(), AutoTokenizer.from_pretrained(folder)
    found = []
    with torch.inference_mode():
        for article in read:
            tokens = torch.tensor([tokenizer(_END + article.text)["input_ids"]])
            loss = float(model(input_ids=tokens, labels=tokens).loss)
            found.append(loss * (tokens.shape[1] - 1) / math.log(2) / len(article.text.encode()))
    return np.array(found)


@dataclass(frozen=True)
class Seed:
    """The findings in the wikis of one seed, with the control and without it (`alone`).

    `drift` is the wiki with shrinking articles, and `bare` also ignores their lengths.
    """

    cutoff: int
    seen: ChangePoint
    seen_alone: ChangePoint
    unseen: ChangePoint
    unseen_alone: ChangePoint
    drift: ChangePoint
    drift_alone: ChangePoint
    drift_bare: ChangePoint


def cutoff_of(seed: int) -> int:
    """Return the last month that the model of this seed has read; at least three months lie on either side."""
    return int(np.random.default_rng([seed, 0]).integers(2, MONTHS - 3))


def wiki(seed: int, shrinking: bool = False) -> list[Article]:
    random = np.random.default_rng([seed, 2 + shrinking])
    drift = np.round(np.interp(range(MONTHS), _DRIFT, _LENGTHS)).astype(int)
    sentences = [int(count) if shrinking else _SENTENCES for count in drift]
    return [one for month, count in enumerate(sentences) for one in articles(random, month, EACH, count)]


def judged(read: Sequence[Article], values: Array, control: Array | None, lengths: bool = True) -> ChangePoint:
    months = [one.month for one in read]
    words = np.array([len(one.text.split()) for one in read], float) if lengths else None
    means = monthly_means(months, np.arange(len(read)), values, control, words)
    return change_point(means, seen_is_lower=True)


def trained_on_months(seed: int, base: Path, folder: Path) -> tuple[Path, Path]:
    """Return the two models of a seed: one trained on the months up to its cutoff, and one trained on none."""
    known = [one.text for one in wiki(seed) if one.month <= cutoff_of(seed)]
    seen = trained_further(base, known, folder / f"seen-{seed}")
    return seen, trained_further(base, others(1 + seed, len(known)), folder / f"unseen-{seed}")


def found_in(seed: int, base: Path, folder: Path) -> Seed:
    """Train the two models of a seed from `base`, the control, and judge them."""
    even, shrinking = wiki(seed), wiki(seed, shrinking=True)
    knowing, other = trained_on_months(seed, base, folder)
    seen = bits_per_byte(knowing, even)
    unseen, drift = bits_per_byte(other, even), bits_per_byte(other, shrinking)
    of_even, of_shrinking = bits_per_byte(base, even), bits_per_byte(base, shrinking)
    return Seed(
        cutoff_of(seed),
        judged(even, seen, of_even),
        judged(even, seen, None),
        judged(even, unseen, of_even),
        judged(even, unseen, None),
        judged(shrinking, drift, of_shrinking),
        judged(shrinking, drift, None),
        judged(shrinking, drift, None, lengths=False),
    )


def names_the_month(found: ChangePoint, cutoff: int) -> bool:
    return found.low is not None and found.high is not None and found.low <= cutoff <= found.high


def seeds_table(seeds: Sequence[Seed]) -> str:
    from page_tables import table  # type: ignore[import-not-found] # in the folder of this script

    count = len(seeds)
    spans = [(one.seen.low, one.seen.high) for one in seeds]
    width = np.median([high - low + 1 for low, high in spans if low is not None and high is not None])
    rows = [
        ("read the months up to k, beside the control", "the interval holds k",
         sum(names_the_month(one.seen, one.cutoff) for one in seeds)),
        ("the same without the control", "the interval holds k",
         sum(names_the_month(one.seen_alone, one.cutoff) for one in seeds)),
        ("read none, beside the control", "cannot tell", sum(one.unseen.why is not None for one in seeds)),
        ("the same without the control", "cannot tell", sum(one.unseen_alone.why is not None for one in seeds)),
        ("read none, articles shrink, beside the control", "cannot tell",
         sum(one.drift.why is not None for one in seeds)),
        ("the same without the control", "cannot tell", sum(one.drift_alone.why is not None for one in seeds)),
        ("the same without the control and the lengths", "cannot tell",
         sum(one.drift_bare.why is not None for one in seeds)),
    ]  # fmt: skip
    cells = [[who, right, f"{number} of {count}"] for who, right, number in rows]
    lines: str = table(["the model", "right is", "seeds"], cells)
    return f"{lines}\n\nMonths in the interval of the first, median: {width:g}."


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=20, metavar="N", help="How many wikis (%(default)s).")
    parser.add_argument("--into", type=Path, metavar="PAGE", help="Write the table into it.")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        control_model = control(Path(place) / "control")
        results = []
        for number in range(asked.seeds):
            results.append(found_in(number, control_model, Path(place)))
            print(f"seed {number}: {results[-1]}", file=sys.stderr)
    made = seeds_table(results)
    print(made)
    if asked.into:
        from page_tables import written_into

        asked.into.write_text(written_into(asked.into.read_text("utf-8"), "cutoff", {"seeds": made}), "utf-8")
