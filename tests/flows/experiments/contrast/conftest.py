"""An expert and its amateur: a small model that has read other articles, and its first layer alone."""

from pathlib import Path
from typing import Any

import pytest

from evaluators.networks.embedder_files import folder_of
from tests.once import once


@pytest.fixture(scope="session")
def amateur(well_read: Path, shared_folder: Path) -> Path:
    """Made once for all workers."""
    from transformers import AutoModelForCausalLM, AutoTokenizer

    def write(folder: Path) -> None:
        model: Any = AutoModelForCausalLM.from_pretrained(well_read)
        model.transformer.h = model.transformer.h[:1]
        model.config.n_layer = 1
        model.save_pretrained(folder)
        AutoTokenizer.from_pretrained(well_read).save_pretrained(folder)

    return once(shared_folder / "one-layer", write)


@pytest.fixture(scope="session")
def small_embedder(shared_folder: Path) -> Path:
    """The first layer of the S-BERT model, whose window holds every text whole."""
    from sentence_transformers import SentenceTransformer

    def write(folder: Path) -> None:
        whole: Any = SentenceTransformer(str(folder_of()), device="cpu")
        whole[0].auto_model.encoder.layer = whole[0].auto_model.encoder.layer[:1]
        whole[0].auto_model.config.num_hidden_layers = 1
        whole.save(str(folder))

    return once(shared_folder / "small-embedder", write)
