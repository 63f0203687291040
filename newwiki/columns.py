"""The columns of the leaderboard and of `scores_wide`: names that no metric may have, and the columns of each
metric."""

from typing import NamedTuple

# Compares models that have read the articles, and comes before metrics of texts in verdicts and on boards.
READING = "bits_per_byte"

# The columns besides the metrics.
RESERVED = frozenset(
    {
        "model", "decoder", "snapshot_id", "run_id", "prompts", "completions", "protocol", "dtype", "scored_by",
        "page_id", "sample", "kept", "title", "topic", "text", "metric", "value", "status", "evaluator_id", "no_metric",
        "by_other_evaluators", "part", "is_reference", "wiki", "text_words", "knowledge_cutoff", "seen_share",
    }
)  # fmt: skip


class Part(NamedTuple):
    """One of a metric's columns: its name among a summary's columns, and its description."""

    summary: str
    words: str


# The columns of a metric in the leaderboard, by the suffix of their names.
PARTS = {
    "": Part("mean", "mean"),
    "_sd": Part("sd", "standard deviation over texts"),
    "_low": Part("low", "lower end of the 95 % interval of the mean"),
    "_high": Part("high", "upper end of the 95 % interval of the mean"),
    "_no_interval": Part("no_interval", "why there is no interval"),
    "_texts": Part("scored", "number of texts in the mean"),
    "_status": Part(
        "status",
        "ok, the number of texts that have a score with the reasons why other texts have none, or another evaluator",
    ),
    "_scored_by": Part(
        "evaluator_id",
        "the evaluator that scored the run, which is not the column's if the status is another evaluator",
    ),
    "_level": Part("level", "how far the scores were verified: verified, replayed, recomputed scores or claimed"),
}

# The further columns of a metric on a board with anchors: the number on the scale from another article (0) to the
# article itself (100), with its 95 % interval.
CALIBRATED = {"_calibrated": "mean", "_calibrated_low": "low", "_calibrated_high": "high"}
