"""Our numbers for one document at a time, which is how lm-evaluation-harness asks for them."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from evaluators.scoring import score, select
from flows.scoring.score_run import LoadedEvaluators
from newwiki.settings import Settings
from newwiki.text.prompts import DEFAULT_TEMPLATE, fill


class DocumentScorer:
    """The evaluators of these metrics with their models loaded.

    Of the settings, `entities`, `embedder`, `embedder_dtype`, `embedder_backend`, `lexicon` and `likelihood_model`
    count. Raises UsageError for a metric that is not there, TerminalError where a model is missing.
    """

    def __init__(self, metrics: str, **settings: str) -> None:
        texts: dict[str, Any] = settings
        self._loaded = LoadedEvaluators(select(metrics), Settings(**texts))
        self._compared = [evaluator for evaluator in self._loaded.evaluators if not evaluator.alone]

    @property
    def scored_by(self) -> dict[str, dict[str, Any]]:
        """By metric, the evaluator's fingerprint: its `evaluator_id` is that of the table `evaluators`."""
        return {
            metric.name: {name: value for name, value in asdict(self._fingerprint(evaluator.name)).items() if value}
            for evaluator in self._loaded.evaluators
            for metric in evaluator.metrics
        }

    def score(self, document: Mapping[str, Any], text: str) -> dict[str, float]:
        """What the text scores against the document's `completion`. Metrics that cannot be computed are left out."""
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
        return {one.metric: one.value for one in scores if one.value is not None}

    def _fingerprint(self, evaluator: str) -> Any:
        return self._loaded.fingerprints[evaluator]
