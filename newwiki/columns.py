"""The columns of the leaderboard and of `scores_wide`: names that no metric may have, and the columns of each
metric."""

from typing import NamedTuple

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
    "_low": Part("low", "lower end of the mean's 95 % interval"),
    "_high": Part("high", "upper end of the mean's 95 % interval"),
    "_no_interval": Part("no_interval", "why there is no interval"),
    "_texts": Part("scored", "how many texts the mean stands on"),
    "_status": Part(
        "status", "ok, or how many of the texts have a number and why not the others, or another evaluator"
    ),
    "_scored_by": Part("evaluator_id", "the evaluator; another than the column's where the status says so"),
    "_level": Part("level", "how far it was verified: verified, replayed, recomputed scores or claimed"),
}
