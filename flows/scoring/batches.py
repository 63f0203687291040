"""Score a batch of texts in one process, without access to the database."""

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Protocol

from evaluators.analysis import Analysis
from evaluators.scoring import needs_of, score
from flows.scoring.loaded_evaluators import Known, LoadedEvaluators, NewParts
from flows.scoring.text_budget import Key
from newwiki.records import CheckedClaim, Score
from newwiki.registry import Evaluator
from newwiki.snapshot import Article

Parts = Mapping[Key, Mapping[str, Any]]


@dataclass(frozen=True)
class TextBatch:
    """Texts by key with their prompts, their articles, and the stored analyses of these articles (`known`).

    A batch without texts stands for the articles, each of which is scored against itself.
    """

    keys: Sequence[Key]
    texts: Sequence[str]
    prompts: Sequence[str]
    articles: Sequence[Article]
    known: Known
    evaluators: tuple[str, ...]
    language: str | None = None

    @property
    def pages(self) -> list[int]:
        return list(dict(self.keys)) or [article.page_id for article in self.articles]


@dataclass(frozen=True)
class BatchScores:
    """The results of a batch.

    `new_parts` holds the models' new analyses of the articles. `parts` holds the analyses of the texts that set
    evaluators need. `claims` holds the verdicts on the claims of the texts.
    """

    scores: list[Score]
    new_parts: NewParts
    parts: Parts
    claims: list[CheckedClaim]


class Upcoming(Iterator[TextBatch]):
    """An iterator over batches that can prepare the next batch early, while the database is already open."""

    def __init__(self, batches: Iterator[TextBatch]) -> None:
        self._batches = batches
        self._prepared: list[TextBatch] = []

    def make_next(self) -> None:
        if not self._prepared:
            self._prepared = list(islice(self._batches, 1))

    def __next__(self) -> TextBatch:
        return self._prepared.pop() if self._prepared else next(self._batches)


class BatchScoring(Protocol):
    """Score batches and yield the results in any order."""

    def cut(self, keys: Sequence[Key], size: int) -> Iterable[Sequence[Key]]:
        """Divide the texts into batches of about `size`, or of another size that suits the executor better."""
        ...

    def score(
        self, loaded: LoadedEvaluators, batches: Iterable[TextBatch]
    ) -> Iterator[tuple[TextBatch, BatchScores]]: ...


class InThisProcess:
    """Score the batches in this process, in sequence."""

    def cut(self, keys: Sequence[Key], size: int) -> Iterable[Sequence[Key]]:
        return (keys[start : start + size] for start in range(0, len(keys), size))

    def score(self, loaded: LoadedEvaluators, batches: Iterable[TextBatch]) -> Iterator[tuple[TextBatch, BatchScores]]:
        return ((batch, score_batch(loaded, batch)) for batch in batches)


def score_batch(loaded: LoadedEvaluators, batch: TextBatch) -> BatchScores:
    """Score a batch.

    The result depends only on the batch and the evaluators, not on the process or on other batches.
    """
    chosen = [evaluator for evaluator in loaded.evaluators if evaluator.name in batch.evaluators]
    compared = compared_with_articles(chosen) if batch.keys else chosen
    references, new_parts = loaded.examine(batch.articles, compared, batch.known, batch.language)
    keys = batch.keys or [(page_id, 0) for page_id in references]
    analyses = list(references.values())
    if batch.keys:
        by_page = {article.page_id: article for article in batch.articles}
        about = [by_page[page_id] for page_id, _ in batch.keys]
        analyses = loaded.analyse(batch.texts, batch.prompts, chosen, about, batch.language)
    scores: list[Score] = []
    for evaluator in chosen:
        started = time.perf_counter()
        scores += score([evaluator], loaded.fingerprints, keys, analyses, references, batch.language)
        loaded.seconds[evaluator.name] += time.perf_counter() - started
    wanted = needs_of(loaded.set_evaluators)
    parts = {
        key: {need: analysis.parts[need] for need in wanted & analysis.parts.keys()}
        for key, analysis in zip(keys, analyses, strict=True)
    }
    return BatchScores(scores, new_parts, parts if wanted else {}, _claims(chosen, loaded, keys, analyses))


def _claims(
    chosen: Sequence[Evaluator], loaded: LoadedEvaluators, keys: Sequence[Key], analyses: Sequence[Analysis]
) -> list[CheckedClaim]:
    return [
        CheckedClaim(
            page_id=page_id, sample=sample, evaluator_id=loaded.fingerprints[evaluator.name].evaluator_id, **verdict
        )
        for evaluator in chosen
        if evaluator.verdicts
        for (page_id, sample), analysis in zip(keys, analyses, strict=True)
        for verdict in analysis.part(evaluator.verdicts)
    ]


def compared_with_articles(evaluators: Sequence[Evaluator]) -> list[Evaluator]:
    return [evaluator for evaluator in evaluators if not evaluator.alone]
