"""The metrics of the New-Wiki Eval paper, in its order and under its names, and what they are called here."""

from dataclasses import dataclass

PAPER = "New-Wiki Eval: An Evolving Wikipedia Multi-metric Evaluation for Large Language Models"


@dataclass(frozen=True)
class PaperMetric:
    """`here` are the metrics that may stand for it, the nearest first. `low` and `high` are the range by which the
    paper rescales it in figures 1 to 3 (its section Results)."""

    title: str
    here: tuple[str, ...]
    low: float | None = None
    high: float | None = None


METRICS = (
    PaperMetric("FK-Score", ("flesch_reading_ease",), 30, 60),
    PaperMetric("Essay scoring", ("quality",), 4.5, 5.5),
    PaperMetric("Entity overlap", ("entity_overlap",), 0, 1),
    PaperMetric("S-BERT", ("sbert_truncated", "sbert"), 0, 1),
    PaperMetric("Info density", ("information_density",), 0, 0.5),
    PaperMetric("Gunning fog", ("gunning_fog_newwiki", "gunning_fog"), 10, 25),
    PaperMetric("Distinct-n", ("distinct_2",), 0.5, 1),
    PaperMetric("Rep-n", ("rep_4",), 0, 1),  # the paper gives no range: its own
    PaperMetric("Specificity", ("specificity",)),
)
