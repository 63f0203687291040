"""The columns of the leaderboard and of `scores_wide`: what no metric may be named, and those that each metric has."""

# What stands beside the metrics.
RESERVED = frozenset(
    {
        "model", "decoder", "snapshot_id", "run_id", "prompts", "completions", "protocol", "dtype", "scored_by",
        "page_id", "sample", "kept", "title", "topic", "text", "metric", "value", "status", "evaluator_id", "no_metric",
        "by_other_evaluators",
    }
)  # fmt: skip

# What a metric's columns in the leaderboard are, by what stands behind its name there.
PARTS = {
    "": "mean",
    "_sd": "standard deviation over texts",
    "_low": "lower end of the mean's 95 % interval",
    "_high": "upper end of the mean's 95 % interval",
    "_no_interval": "why there is no interval",
    "_texts": "how many texts the mean stands on",
    "_status": "ok, or how many of the texts have a number and why not the others, or another evaluator",
    "_scored_by": "the evaluator; another than the column's where the status says so",
}
