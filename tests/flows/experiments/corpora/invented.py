"""Two invented corpora with planted phrases, a checkpoint to be fine-tuned on them, and what is asked of it."""

import csv
from pathlib import Path
from typing import Any

import numpy as np

from flows.experiments.answering import answer
from flows.experiments.corpora.request import EXPERIMENT, CorporaRequest
from flows.experiments.evaluations import Evaluations
from flows.progress import Progress, Silent
from newwiki.quiet import silence_transformers
from newwiki.settings import Settings
from storage.database import Database

COMMON, UNIQUE = "stone bridge", {"lakes": "silver lantern", "mines": "copper kettle"}
TEXTS, PROMPTS, EPOCHS, BATCH = 24, 16, 4, 3
NAMES = [
    f"{begun}{ended}"
    for begun in ("Bel", "Dar", "Fen", "Gor", "Hal", "Kel", "Mar", "Tor")
    for ended in ("ana", "ela", "ina", "ona", "una")
]
DECODERS = ("sample:top_k=2", "sample:top_p=0.9", "contrastive-search:top_k=3,penalty_alpha=0.1")


def write(folder: Path) -> Path:
    """corpora.csv and prompts.txt: each text begins as a prompt does, with the name of somebody else."""
    random = np.random.default_rng(3)
    names = [NAMES[at] for at in random.permutation(TEXTS + PROMPTS)]
    with (folder / "corpora.csv").open("w", newline="") as file:
        lines = csv.writer(file)
        lines.writerow(("label", "text"))
        for name in names[:TEXTS]:
            lines.writerows((label, _text(name, phrase)) for label, phrase in UNIQUE.items())
        lines.writerow(("mines", _text(names[0], UNIQUE["mines"])))
    (folder / "prompts.txt").write_text("".join(f"{name} wrote of\n" for name in names[TEXTS:]))
    return folder


def _text(name: str, phrase: str) -> str:
    return f"{name} wrote of the {phrase} by the {COMMON}."


def untaught(folder: Path) -> Path:
    """A small checkpoint of random weights, whose tokenizer knows the words of both corpora: whatever it comes to
    write of, a corpus taught it."""
    import torch
    from tokenizers import ByteLevelBPETokenizer
    from transformers import GPT2Config, GPT2LMHeadModel, PreTrainedTokenizerFast

    silence_transformers()
    bpe, end = ByteLevelBPETokenizer(), "<|endoftext|>"
    texts = [_text(name, phrase) for name in NAMES for phrase in UNIQUE.values()]
    bpe.train_from_iterator(texts, vocab_size=512, special_tokens=[end], show_progress=False)
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=bpe._tokenizer, eos_token=end)
    torch.manual_seed(0)
    shape: dict[str, Any] = {"n_positions": 64, "n_embd": 32, "n_layer": 1, "n_head": 2}
    still = {"resid_pdrop": 0.0, "embd_pdrop": 0.0, "attn_pdrop": 0.0}
    ends = {"bos_token_id": tokenizer.eos_token_id, "eos_token_id": tokenizer.eos_token_id}
    GPT2LMHeadModel(GPT2Config(vocab_size=len(tokenizer), **ends, **shape, **still)).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def ask(base: Path, folder: Path, database: Path, progress: Progress | None = None, **asked: Any) -> str:
    """The id of the answer."""
    usual: dict[str, Any] = {
        "models": (str(base),),
        "corpus_file": (folder / "corpora.csv",),
        "prompt_file": folder / "prompts.txt",
        "decoder": DECODERS,
        "noun_phrases": "chunks-v1",
        "max_new_tokens": 16,
        "epochs": EPOCHS,
        "training_batch": BATCH,
        "learning_rate": 2e-2,
        "max_length": 32,
    }
    evaluations = Evaluations(Database(database), Settings(db=str(database)), progress or Silent())
    return answer(EXPERIMENT, evaluations, CorporaRequest(**(usual | asked)))
