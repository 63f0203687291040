"""The numbers of an answer once more, from stored texts, by plain loops: nothing of `evaluators` or `flows` is used."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student

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


@dataclass(frozen=True)
class Interval:
    mean: float
    error: float
    skew: float
    low: float
    high: float
    p: float


def interval(values: Sequence[float]) -> Interval:
    """Of a mean of prompts with one text each: at each end the farther of Student's t and Hall's transformation of it
    (Hall 1992, equation 2.4), and the p of the mean being 0 by the latter."""
    n = len(values)
    mean = sum(values) / n
    second = sum((one - mean) ** 2 for one in values) / n
    third = sum((one - mean) ** 3 for one in values) / n
    error = math.sqrt(second / (n - 1))
    if error <= 1e-12 * abs(mean) or not error:
        return Interval(mean, error, 0.0, math.nan, math.nan, math.nan)
    skew = math.sqrt(n * (n - 1)) / (n - 2) * third / second**1.5 / math.sqrt(n)
    quantile = float(student.ppf(0.975, n - 1))
    below = max(quantile, back(quantile, skew))
    above = max(quantile, -back(-quantile, skew))
    ratio = mean / error
    hall = ratio + skew * ratio**2 / 3 + skew**2 * ratio**3 / 27 + skew / 6
    p = 2 * float(student.cdf(-abs(hall), n - 1))
    return Interval(mean, error, skew, mean - below * error, mean + above * error, p)


def bounded(values: Sequence[float], least: float, most: float) -> tuple[float, float]:
    """Both ends of the interval of a mean of prompts whose numbers have this range: at each end the farther of Wilson's
    (1927), for as many texts as would have this error, and of Hall's; NaN where prompts are alike inside the range."""
    one = interval([(value - least) / (most - least) for value in values])
    number, t = len(values), float(student.ppf(0.975, len(values) - 1))
    is_at_end = one.mean < 1e-9 or one.mean > 1 - 1e-9
    if not is_at_end and math.isnan(one.low):
        return math.nan, math.nan
    texts = number if is_at_end else one.mean * (1 - one.mean) / one.error**2
    middle, scale = one.mean + t * t / (2 * texts), 1 + t * t / texts
    reach = t * math.sqrt(one.mean * (1 - one.mean) / texts + t * t / (4 * texts**2))
    low, high = (middle - reach) / scale, (middle + reach) / scale
    if not is_at_end:
        low = min(low, one.mean - back(t, one.skew) * one.error)
        high = max(high, one.mean - back(-t, one.skew) * one.error)
    return least + max(low, 0.0) * (most - least), least + min(high, 1.0) * (most - least)


def back(value: float, skew: float) -> float:
    """The t of which Hall's transformation makes this value."""
    return value if abs(skew) < 1e-6 else 3 / skew * (float(np.cbrt(1 + skew * (value - skew / 6))) - 1)


def sign_flips(differences: Sequence[float]) -> float:
    """p by all patterns of signs."""
    sums = np.zeros(1)
    for one in differences:
        sums = np.concatenate([sums + one, sums - one])
    bar = abs(sum(differences)) - 1e-9 * sum(abs(one) for one in differences)
    return float((np.abs(sums) >= bar).mean())


def holm(p_values: Sequence[float]) -> list[float]:
    order = sorted(range(len(p_values)), key=lambda place: p_values[place])
    corrected, least = [0.0] * len(p_values), 0.0
    for rank, place in enumerate(order):
        least = max(least, p_values[place] * (len(p_values) - rank))
        corrected[place] = min(least, 1.0)
    return corrected
