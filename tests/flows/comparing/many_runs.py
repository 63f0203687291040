"""A leaderboard of fourteen runs and nine metrics, with made-up scores.

python -m tests.flows.comparing.many_runs FILE.duckdb
"""

import sys
from pathlib import Path

import numpy as np

from newwiki.decoding.grammar import parse
from storage.database import Database
from tests.flows.scored import SNAPSHOT, add_scored_runs

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


if __name__ == "__main__":
    add_fourteen_runs(Database(Path(sys.argv[1])))
