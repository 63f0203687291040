"""`newwiki experiment metrics`: measure what each metric can tell apart, on texts of known quality."""

from dataclasses import dataclass

from flows.experiments.experiment import Experiment
from newwiki.experiment_request import ModelFreeRequest
from newwiki.fields import field
from newwiki.records import Stratum


@dataclass(frozen=True, kw_only=True)
class MetricsRequest(ModelFreeRequest):
    """The articles from which texts of known quality are made, and the metrics that score these texts."""

    by: Stratum | None = field(None, "Also split the articles into parts by this property.")


EXPERIMENT = Experiment(
    name="metrics",
    version="1",
    title="What the metrics see",
    question="Which differences between texts does each metric see?",
    source="Sai et al. 2021, Perturbation CheckLists for evaluating NLG evaluation metrics; Karpinska et al. 2022, "
    "DEMETR; He et al. 2023, On the blind spots of model-based evaluation metrics for text generation",
    help="Measure what each metric sees. Texts of known quality are made from each article: a growing part of its "
    "sentences replaced by another article's, its words or sentences shuffled, names exchanged, numbers changed, "
    "verbs negated, the prompt repeated, and more. For each pair of texts, the answer has the share of articles on "
    "which the metric prefers the better text. No model is evaluated.",
    example="newwiki experiment metrics --snapshot enwiki-2026-10 --out answer.html",
    request=MetricsRequest,
)
