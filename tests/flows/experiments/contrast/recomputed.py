"""The numbers of an answer once more, from stored texts, by plain loops: nothing of `evaluators` or `flows` is used."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import numpy as np
from numpy.typing import NDArray

Texts = Mapping[int, str]  # by page
Values = Mapping[int, float | None]
Rows = NDArray[np.float64]


@dataclass(frozen=True)
class Judges:
    """What reads texts: a sentence-transformers model and a causal language model with its tokenizer."""

    embed: Callable[[str], Rows]
    log_likelihoods: Callable[[str, str], list[float]]


def judges(embedder: Path, likelihood_model: Path) -> Judges:
    import torch
    from sentence_transformers import SentenceTransformer
    from transformers import AutoModelForCausalLM, AutoTokenizer

    sentences: Any = SentenceTransformer(str(embedder), device="cpu")
    tokenizer: Any = AutoTokenizer.from_pretrained(likelihood_model)
    model: Any = AutoModelForCausalLM.from_pretrained(likelihood_model).eval()

    def embed(text: str) -> Rows:
        return np.asarray(sentences.encode(text, normalize_embeddings=True), float)

    def log_likelihoods(prompt: str, text: str) -> list[float]:
        begun = len(tokenizer(prompt)["input_ids"])
        tokens = tokenizer(prompt + text)["input_ids"]
        with torch.inference_mode():
            logits = model(torch.tensor([tokens])).logits[0].double()
        found = []
        for place in range(begun, len(tokens)):
            row = logits[place - 1]
            found.append(float(row[tokens[place]] - row.exp().sum().log()))
        return found

    return Judges(embed, log_likelihoods)


def different_share(words: Sequence[str], n: int) -> tuple[int, int]:
    """How many n-grams are different, and how many there are."""
    seen, total = set(), 0
    for start in range(len(words) - n + 1):
        seen.add(" ".join(words[start : start + n]))
        total += 1
    return len(seen), total


def diversity(text: str) -> float | None:
    words, product = text.split(), 1.0
    if len(words) < 4:
        return None
    for n in (2, 3, 4):
        different, total = different_share(words, n)
        product *= different / total
    return product


def diversity_of_all(texts: Texts) -> float:
    """simctg's script: without the last n-gram of a text, the share of repetition rounded in per cent."""
    product = 1.0
    for n in (2, 3, 4):
        different = total = 0
        for text in texts.values():
            words = text.split()
            if len(words) > n:
                one, other = different_share(words[:-1], n)
                different, total = different + one, total + other
        repeated = round(100 * (1 - different / total), 2)
        product *= 1 - repeated / 100
    return 100 * product


def count_words(text: str) -> float:
    """What is left of the pieces between white space when all but letters and digits is taken out."""
    return float(sum(any(letter.isalnum() for letter in piece) for piece in text.split()))


def of_texts(metric: str, texts: Texts, prompts: Texts, read: Judges) -> Values:
    if metric == "diversity":
        return {page: diversity(text) for page, text in texts.items()}
    if metric == "words":
        return {page: count_words(text) for page, text in texts.items()}
    values: dict[int, float | None] = {}
    for page, text in texts.items():
        if not any(letter.isalnum() for letter in text):
            values[page] = None
        elif metric == "embedding_coherence":
            values[page] = float(sum(a * b for a, b in zip(read.embed(text), read.embed(prompts[page]), strict=True)))
        else:
            each = read.log_likelihoods(prompts[page], text if text[0].isspace() else f" {text}")
            values[page] = sum(each) / len(each)
    return values


def mauve(articles: Texts, texts: Texts, read: Judges) -> tuple[float, float]:
    """Mean and standard deviation over five seeds, Pillutla et al. 2021 with the constants of their package."""
    from sklearn.cluster import KMeans

    human, written = (np.stack([read.embed(text) for text in some.values()]) for some in (articles, texts))
    both = np.concatenate([human, written])
    centred = both - both.mean(axis=0)
    left, strengths, _ = np.linalg.svd(centred, full_matrices=False)
    kept, explained = 0, 0.0
    while explained < 0.9:
        explained += float(strengths[kept] ** 2 / (strengths**2).sum())
        kept += 1
    reduced = left[:, :kept] * strengths[:kept]
    found = []
    for seed in range(5):
        clusters = max(2, round(len(texts) / 10))
        means = KMeans(clusters, init="random", n_init=5, max_iter=500, tol=0.0, random_state=seed)
        labels = list(means.fit_predict(reduced))
        p = [labels[: len(human)].count(one) / len(human) for one in range(clusters)]
        q = [labels[len(human) :].count(one) / len(written) for one in range(clusters)]
        found.append(area(p, q))
    return fmean(found), stdev(found)


def area(p: Sequence[float], q: Sequence[float]) -> float:
    points = [(0.0, 1.0)]
    for step in range(25):
        weight = 1e-6 + step * (1 - 2e-6) / 24
        mixed = [weight * b + (1 - weight) * a for a, b in zip(p, q, strict=True)]
        points.append((math.exp(-5 * divergence(q, mixed)), math.exp(-5 * divergence(p, mixed))))
    points.append((1.0, 0.0))
    return sum(
        (points[i + 1][0] - points[i][0]) * (points[i + 1][1] + points[i][1]) / 2 for i in range(len(points) - 1)
    )


def divergence(p: Sequence[float], mixed: Sequence[float]) -> float:
    return sum(a * math.log(a / b) for a, b in zip(p, mixed, strict=True) if a)
