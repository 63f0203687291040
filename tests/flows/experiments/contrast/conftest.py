"""An expert and its amateur: a small model that has read other articles, and its first layer alone."""

import fcntl
from pathlib import Path
from typing import Any

import pytest

from evaluators.networks.embedder_files import folder_of


@pytest.fixture(scope="session")
def amateur(well_read: Path, shared_folder: Path) -> Path:
    """Made once for all workers."""
    from transformers import AutoModelForCausalLM, AutoTokenizer

    folder = shared_folder / "one-layer"
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            model: Any = AutoModelForCausalLM.from_pretrained(well_read)
            model.transformer.h = model.transformer.h[:1]
            model.config.n_layer = 1
            unfinished = folder.with_suffix(".unfinished")
            model.save_pretrained(unfinished)
            AutoTokenizer.from_pretrained(well_read).save_pretrained(unfinished)
            unfinished.rename(folder)
    return folder


@pytest.fixture(scope="session")
def small_embedder(shared_folder: Path) -> Path:
    """The first layer of the S-BERT model, whose window holds every text whole."""
    from sentence_transformers import SentenceTransformer

    folder = shared_folder / "small-embedder"
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            whole: Any = SentenceTransformer(str(folder_of()), device="cpu")
            whole[0].auto_model.encoder.layer = whole[0].auto_model.encoder.layer[:1]
            whole[0].auto_model.config.num_hidden_layers = 1
            whole.save(str(folder.with_suffix(".unfinished")))
            folder.with_suffix(".unfinished").rename(folder)
    return folder
