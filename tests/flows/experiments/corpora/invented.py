"""Two invented corpora with planted phrases, and what is asked of them."""

import csv
from pathlib import Path
from typing import Any

import numpy as np

from flows.experiments.answering import answer
from flows.experiments.corpora.experiment import EXPERIMENT
from flows.experiments.evaluations import Evaluations
from flows.progress import Progress, Silent
from newwiki.corpora_request import CorporaRequest
from newwiki.settings import Settings
from storage.database import Database

COMMON, UNIQUE = "stone bridge", {"lakes": "silver lantern", "mines": "copper kettle"}
TEXTS, PROMPTS = 48, 16
NAMES = [
    f"{begun}{ended}"
    for begun in ("Bel", "Dar", "Fen", "Gor", "Hal", "Kel", "Mar", "Tor")
    for ended in ("ana", "ela", "ina", "ona", "una", "ara", "ira", "ora")
]
DECODERS = ("sample:top_k=5", "sample:top_p=0.5", "contrastive-search:top_k=3,penalty_alpha=0.3")


def write(folder: Path) -> Path:
    """corpora.csv and prompts.txt: each text begins as a prompt does, with the name of somebody else."""
    random = np.random.default_rng(3)
    names = [NAMES[at] for at in random.permutation(TEXTS + PROMPTS)]
    with (folder / "corpora.csv").open("w", newline="") as file:
        lines = csv.writer(file)
        lines.writerow(("label", "text"))
        for at in range(TEXTS):
            for label, phrase in UNIQUE.items():
                lines.writerow((label, f"{names[at]} wrote of the {phrase} by the {COMMON}."))
        lines.writerow(("mines", f"{names[0]} wrote of the {UNIQUE['mines']} by the {COMMON}."))
    (folder / "prompts.txt").write_text("".join(f"{name} wrote of\n" for name in names[TEXTS : TEXTS + PROMPTS]))
    return folder


def ask(base: Path, folder: Path, database: Path, progress: Progress | None = None, **asked: Any) -> str:
    """The id of the answer."""
    usual: dict[str, Any] = {
        "models": (str(base),),
        "corpus_file": (folder / "corpora.csv",),
        "prompt_file": folder / "prompts.txt",
        "decoder": DECODERS,
        "noun_phrases": "chunks-v1",
        "max_new_tokens": 24,
        "epochs": 12,
        "learning_rate": 3e-3,
        "max_length": 64,
    }
    evaluations = Evaluations(Database(database), Settings(db=str(database)), progress or Silent())
    return answer(EXPERIMENT, evaluations, CorporaRequest(**(usual | asked)))
