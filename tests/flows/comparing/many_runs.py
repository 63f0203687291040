"""A leaderboard of fourteen runs and nine metrics, with made-up scores.

python -m tests.flows.comparing.many_runs FILE.duckdb
"""

import sys
from pathlib import Path

import numpy as np

from newwiki.anchors import ANCHORS, ARTICLE, OTHER
from newwiki.decoding.grammar import parse
from newwiki.records import Completion
from storage import anchors, runs
from storage.anchors import AnchorScore
from storage.database import Database
from tests.flows.scored import RULES, SNAPSHOT, add_scored_runs

PROMPTS = 40
MODELS = (
    "models/gpt2",
    "models/gpt2-xl",
    "allenai/OLMo-2-0425-1B",
    "/data/checkpoints/experiments/wiki-finetuned-learning-rate-3e-4/checkpoint-12500",
)
DECODERS = ("greedy", "sample:top_p=0.9", "sample:temperature=0.9,top_k=20,top_p=0.9", "contrastive-search")
# Mean of the articles, and by how much runs and prompts vary.
METRICS = {
    "bleu": (12.0, 2.0, 4.0),
    "distinct_2": (0.9, 0.04, 0.05),
    "entity_overlap": (0.12, 0.02, 0.05),
    "flesch_reading_ease": (48.0, 6.0, 12.0),
    "gunning_fog": (13.0, 1.0, 2.0),
    "gunning_fog_newwiki": (22.0, 2.0, 4.0),
    "information_density": (0.11, 0.01, 0.02),
    "rep_4": (0.08, 0.05, 0.04),
    "sbert": (0.61, 0.05, 0.12),
}
RUNS = {
    f"{number:02}c0ffee{number:024x}": {"model": model, "decoder": parse(decoder)[0].canonical, "prompts": PROMPTS}
    for number, (model, decoder) in enumerate([(model, decoder) for model in MODELS for decoder in DECODERS][:14])
}


def add_fourteen_runs(database: Database, prompts: int = PROMPTS) -> None:
    """The articles of the sample wiki's September and fourteen runs on so many `prompts`, all with scores."""
    random = np.random.default_rng(0)
    shared = {name: random.normal(scale=spread, size=prompts) for name, (_, _, spread) in METRICS.items()}
    scores = {
        run_id: {
            name: mean + number * by_run / 5 + shared[name] + random.normal(scale=spread / 3, size=prompts)
            for name, (mean, by_run, spread) in METRICS.items()
        }
        for number, run_id in enumerate([f"reference:{SNAPSHOT}", *RUNS])
    }
    add_scored_runs(database, scores, about=RUNS)


def add_anchors(database: Database, sbert: tuple[float, float], rep_4: tuple[float, float]) -> None:
    """Anchors of 120 words for the fourteen runs, by the means of another article and of the article's beginning, which
    vary by article."""
    pages = range(1, PROMPTS + 1)
    spread = np.random.default_rng(1).normal(scale=0.01, size=len(pages))
    with database.write():
        for run_id in RUNS:
            texts = [Completion(page, 0, "a " * 120, 120, 120, "length", truncated=True) for page in pages]
            runs.add_completions(database, run_id, texts)
            runs.complete(database, run_id, 1)
        for anchor in ANCHORS:
            for metric, (other, article) in {"sbert": sbert, "rep_4": rep_4}.items():
                means = {OTHER: other, ARTICLE: article}.get(anchor, (other + article) / 2) + spread * (anchor != OTHER)
                scores = [
                    AnchorScore(anchor, page, metric, RULES.evaluator_id, float(mean), "ok")
                    for page, mean in zip(pages, np.broadcast_to(means, len(pages)), strict=True)
                ]
                anchors.add(database, SNAPSHOT, 120, "1", scores)


if __name__ == "__main__":
    add_fourteen_runs(Database(Path(sys.argv[1])))
