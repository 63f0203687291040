"""The columns of the leaderboard and of `scores_wide`: what no metric may be named, and those that each metric has."""

from typing import NamedTuple

# What stands beside the metrics.
RESERVED = frozenset(
    {
        "model", "decoder", "snapshot_id", "run_id", "prompts", "completions", "protocol", "dtype", "scored_by",
        "page_id", "sample", "kept", "title", "topic", "text", "metric", "value", "status", "evaluator_id", "no_metric",
        "by_other_evaluators", "part", "is_reference", "wiki", "text_words", "knowledge_cutoff", "seen_share",
    }
)  # fmt: skip


class Part(NamedTuple):
    """One of a metric's columns: what it is called among a summary's columns, and what it says."""

    summary: str
    words: str


# The columns of a metric in the leaderboard, by what stands behind its name there.
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
