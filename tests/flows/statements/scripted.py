"""Runs whose texts have numbers that are made here, and what they say of a statement."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from flows.statements.numbers import Array, Numbers, ReadRun, sum_up
from flows.statements.result_tables import StatementVerdict
from flows.statements.statement import Statement, Test
from flows.statements.verdicts import verdicts

ARTICLES = 30
TEXTS = 4  # of an article

Scripted = Sequence[tuple[ReadRun, Mapping[str, Array]]]  # of each run its metrics, as articles × texts


def sampled(model: str = "toy", *, size: float | None = None, penalty: float = 0.0, **parameters: float) -> ReadRun:
    """A run of a model, drawn with these parameters and otherwise the paper's."""
    drawn = {"top_p": 0.9, "top_k": 20, "temperature": 0.9} | parameters
    drawn |= {"presence_penalty": penalty, "frequency_penalty": penalty}
    decoder = "sample:" + ",".join(f"{name}={value:g}" for name, value in drawn.items())
    return ReadRun(f"{model} {decoder}", model, model, decoder, drawn, size)


def articles() -> ReadRun:
    return ReadRun("reference:testwiki-2026-09", "Wikipedia", "reference", "reference")


def texts(seed: int, mean: float = 0.0, *, differ: float = 0.0, spread: float = 0.2, count: int = ARTICLES) -> Array:
    """Articles × texts with exactly this mean: each article has a number of its own that all runs share (standard
    deviation 1), what it `differ`s by in this run, and what its texts vary by."""
    shared = np.random.default_rng(0).normal(0, 1, count)
    random = np.random.default_rng([1, seed])
    own, each = random.normal(0, differ, count), random.normal(0, spread, (count, TEXTS))
    made = shared[:, None] + own[:, None] + each
    return np.asarray(made - made.mean() + mean)


def numbers(scripted: Scripted) -> Numbers:
    metrics = list(scripted[0][1])
    of_runs = []
    for _, values in scripted:
        shape = values[metrics[0]].shape
        pages = np.repeat(np.arange(shape[0]), shape[1])
        of_runs.append((pages, np.stack([values[metric].ravel() for metric in metrics])))
    return sum_up([run for run, _ in scripted], metrics, of_runs)


def stated(test: Test, *metrics: str, **more: Any) -> Statement:
    return Statement(name=test, section="Results", quote="…", says="…", test=test, metrics=metrics, **more)


def judged(scripted: Scripted, statement: Statement) -> StatementVerdict:
    (found,) = verdicts(numbers(scripted), [statement])
    return found
