"""Measure the cost of checking the claims of texts, compared with the pair scorer alone on the same pairs.

    python benchmarks/claims_speed.py [--texts 960] [--rounds 3] [--layers 4] [--hidden 256]

Articles and completions are composed of sentences of the sample wiki. An article has ten completions of about 8
sentences each. Four contenders take turns in one process:

naive   a user's script: for each text a BM25 index of its article, and the model pair by pair, on a tenth of the
        texts
ours    `newwiki score --metrics claims_article`: from a database and back into it, with verdicts and provenance
floor   the pair scorer of `ours` alone: all pairs of `ours` at once, without duplicates, batched by length
padded  the same pairs as transformers alone reads them: 32 of about equal length at a time, padded

The model is a BERT of 4 layers and 256 hidden units with random weights, because speed does not depend on the weights.
Published classifiers of pairs have at least 6 layers and 384 units, which is three times the work per pair. The
overhead outside the model is therefore a smaller share with them. Loading the model is not counted. A ratio compares
turns with the same number; the table shows medians.
"""

import argparse
import re
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Any, cast

import torch
from rich.console import Console
from rich.table import Table
from sample_texts import articles
from score_speed import SAMPLES, Texts, put_together, seconds_of, stored
from tokenizers import BertWordPieceTokenizer
from transformers import (
    AutoModelForSequenceClassification,
    AutoTokenizer,
    BertConfig,
    BertForSequenceClassification,
    BertTokenizerFast,
)

from evaluators.claims.bm25 import TOP
from evaluators.claims.checking import by_article
from evaluators.claims.pair_classifier import Pair, PairClassifier, Shares, load_pair_classifier
from evaluators.claims.pair_scorer import read_pair_scorer
from evaluators.scoring import select
from flows.progress import Silent
from flows.scoring.score_run import LoadedEvaluators, score_run
from newwiki.quiet import silence_transformers
from newwiki.settings import Settings
from storage.database import Database

SENTENCES = 8  # approximate number per text
BATCH = 32
LABELS = ("entailment", "neutral", "contradiction")
TOML = """model = "model"
[labels]
supported = "entailment"
refuted = "contradiction"
not_enough_info = "neutral"
"""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--texts", type=int, default=960)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--hidden", type=int, default=256)
    options = parser.parse_args()
    silence_transformers()
    samples = articles()
    with tempfile.TemporaryDirectory() as folder:
        scorer = _build(Path(folder), samples, options.layers, options.hidden)
        Console().print(_compared(_work(samples, options.texts), scorer, options.rounds))


def _build(folder: Path, samples: Sequence[str], layers: int, hidden: int) -> Path:
    """Write a pair scorer with random weights, and a tokenizer trained on the samples; return its TOML file."""
    pieces = BertWordPieceTokenizer(lowercase=True)
    pieces.train_from_iterator(samples, vocab_size=4000, show_progress=False)
    tokenizer = BertTokenizerFast(tokenizer_object=pieces._tokenizer)
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(tokenizer),
        hidden_size=hidden,
        num_hidden_layers=layers,
        num_attention_heads=hidden // 64,
        intermediate_size=4 * hidden,
        id2label=dict(enumerate(LABELS)),
        num_labels=len(LABELS),
    )
    BertForSequenceClassification(config).save_pretrained(folder / "model")
    tokenizer.save_pretrained(folder / "model")
    (folder / "scorer.toml").write_text(TOML)
    return folder / "scorer.toml"


def _work(samples: Sequence[str], count: int) -> Texts:
    cut = [" ".join(text.split()[: 25 * SENTENCES]) for text in samples]
    pages = count // SAMPLES
    made = put_together(cut, pages * (SAMPLES + 1))
    return Texts(made[:pages], [made[pages + page * SAMPLES :][:SAMPLES] for page in range(pages)])


def _compared(work: Texts, scorer: Path, rounds: int) -> Table:
    settings, folder = Settings(pair_scorer=str(scorer)), scorer.parent / "model"
    classifier = load_pair_classifier(read_pair_scorer(str(scorer)))
    pairs = _pairs(work, classifier)
    some = max(1, len(work.references) // 10)
    few = Texts(work.references[:some], work.completions[:some])
    share = few.texts / work.texts
    ways: dict[str, Callable[[], float]] = {
        "naive": lambda: _seconds_naive(few, folder) / share,
        "ours": lambda: _seconds_ours(work, settings),
        "floor": lambda: seconds_of(lambda: classifier.shares(pairs)),
        "padded": lambda: seconds_of(lambda: _read_padded(pairs, folder)),
    }
    seconds: dict[str, list[float]] = {way: [] for way in ways}
    for number in range(rounds):
        print(f"round {number + 1} of {rounds}", file=sys.stderr)
        # the order alternates, so that no contender always comes first
        for way in ways if number % 2 else reversed(ways):
            seconds[way].append(ways[way]())
            print(f"{way}: {seconds[way][-1]:.1f} s", file=sys.stderr)
    title = (
        f"{work.texts} texts and {len(work.references)} articles, {len(pairs):,} pairs, {len(set(pairs)):,} different"
    )
    table = Table(title=title, title_justify="left")
    for heading in ("", "texts/s", "(range)", "naive's time / its", "its time / floor's"):
        table.add_column(heading, justify="right" if heading else "left")
    for way, taken in seconds.items():
        rates = sorted(work.texts / one for one in taken)
        faster = median(other / one for other, one in zip(seconds["naive"], taken, strict=True))
        slower = median(one / other for one, other in zip(taken, seconds["floor"], strict=True))
        span = f"({rates[0]:.1f} to {rates[-1]:.1f})"
        table.add_row(way, f"{median(rates):.1f}", span, f"{faster:.2f}", f"{slower:.2f}")
    return table


def _pairs(work: Texts, classifier: PairClassifier) -> list[Pair]:
    """Return all pairs for which `ours` runs the model."""
    listener = _Listener(classifier)
    checker = by_article("claims_article", cast("PairClassifier", listener))
    with tempfile.TemporaryDirectory() as folder:
        _, found = stored(Database(Path(folder) / "texts.duckdb"), work)
    for article, completions in zip(found, work.completions, strict=True):
        texts = [article.completion, *completions]
        checker.make_beside([article] * len(texts), texts, checker.parts)
    return listener.pairs


class _Listener:
    """A classifier that records the pairs it is asked for, without running a model."""

    def __init__(self, classifier: PairClassifier) -> None:
        self._classifier = classifier
        self.pairs: list[Pair] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._classifier, name)

    def shares(self, pairs: Sequence[Pair]) -> list[Shares]:
        self.pairs += pairs
        return [Shares(0.0, 0.0, 1.0, False) for _ in pairs]


def _seconds_ours(work: Texts, settings: Settings) -> float:
    """Return the seconds from texts in a database to their stored verdicts and scores, with new evaluators."""
    loaded = LoadedEvaluators(select("claims_article_supported"), settings, budget=work.texts)
    with tempfile.TemporaryDirectory() as folder:
        database = Database(Path(folder) / "scores.duckdb")
        run, found = stored(database, work)
        return seconds_of(lambda: score_run(database, run, found, loaded, Silent()))


def _seconds_naive(work: Texts, folder: Path) -> float:
    import bm25s

    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForSequenceClassification.from_pretrained(folder).eval()

    def sentences(text: str) -> list[str]:
        return re.split(r"(?<=[.!?])\s+", text)

    def words(texts: list[str]) -> Any:
        return bm25s.tokenize(texts, stopwords=None, show_progress=False)

    def run() -> None:
        for reference, completions in zip(work.references, work.completions, strict=True):
            for text in (reference, *completions):
                evidence = sentences(f"It is. {reference}")
                index = bm25s.BM25(corpus=evidence)
                index.index(words(evidence), show_progress=False)
                for claim in sentences(text):
                    found, _ = index.retrieve(words([claim]), k=min(TOP, len(evidence)), show_progress=False)
                    for passage in found[0]:
                        with torch.inference_mode():
                            model(**tokenizer(passage, claim, return_tensors="pt")).logits.softmax(-1).tolist()

    return seconds_of(run)


def _read_padded(pairs: Sequence[Pair], folder: Path) -> None:
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForSequenceClassification.from_pretrained(folder).eval()
    by_length = sorted(set(pairs), key=lambda pair: len(pair[0]) + len(pair[1]))
    for start in range(0, len(by_length), BATCH):
        evidence, claims = zip(*by_length[start : start + BATCH], strict=True)
        with torch.inference_mode():
            model(**tokenizer(evidence, claims, padding=True, return_tensors="pt")).logits.softmax(-1).tolist()


if __name__ == "__main__":
    main()
