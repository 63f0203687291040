"""Score one document at a time, which is the interface that lm-evaluation-harness expects."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from evaluators.scoring import score, select
from flows.scoring.score_run import LoadedEvaluators
from newwiki.settings import Settings
from newwiki.text.prompts import DEFAULT_TEMPLATE, fill


class DocumentScorer:
    """The evaluators of these metrics with their models loaded.

    The scorer uses the settings `entities`, `embedder`, `embedder_dtype`, `embedder_backend`, `lexicon` and
    `likelihood_model`. Raises UsageError for an unknown metric, and TerminalError if a model is missing.
    """

    def __init__(self, metrics: str, **settings: str) -> None:
        texts: dict[str, Any] = settings
        self._loaded = LoadedEvaluators(select(metrics), Settings(**texts))
        self._compared = [evaluator for evaluator in self._loaded.evaluators if not evaluator.alone]

    @property
    def scored_by(self) -> dict[str, dict[str, Any]]:
        """The evaluator's fingerprint by metric. Its `evaluator_id` refers to the table `evaluators`."""
        return {
            metric.name: {name: value for name, value in asdict(self._fingerprint(evaluator.name)).items() if value}
            for evaluator in self._loaded.evaluators
            for metric in evaluator.metrics
        }

    def score(self, document: Mapping[str, Any], text: str) -> dict[str, float]:
        """Return the scores of a text against the document's `completion`.

        Metrics that cannot be computed are omitted.
        """
        page_id, loaded = document["page_id"], self._loaded
        before = fill(DEFAULT_TEMPLATE, document["title"], document["first_sentence"])
        [reference] = loaded.analyse([document["completion"]], [before], self._compared)
        [analysis] = loaded.analyse([text], [document["prompt"]], loaded.evaluators)
        scores = score(
            loaded.evaluators,
            loaded.fingerprints,
            [(page_id, 0)],
            [analysis],
            {page_id: reference},
        )
        return {result.metric: result.value for result in scores if result.value is not None}

    def _fingerprint(self, evaluator: str) -> Any:
        return self._loaded.fingerprints[evaluator]
