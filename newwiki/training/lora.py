"""Train a LoRA adapter (Hu et al. 2021) instead of a model's own weights, with peft."""

import json
import warnings
from pathlib import Path
from typing import Any

from newwiki.knowledge_cutoff import CARD
from newwiki.models import adapters

_SCALE = 2  # alpha, as a multiple of the rank


def with_lora(model: Any, rank: int, seed: int) -> Any:
    """Return peft's model, in which only an adapter of this rank is trained, on every linear layer but the output. The
    seed decides its initial weights."""
    import torch
    from peft import LoraConfig, get_peft_model

    model.name_or_path = ""  # a temporary folder, which peft would look for on the hub
    task = "SEQ_2_SEQ_LM" if model.config.is_encoder_decoder else "CAUSAL_LM"
    config = LoraConfig(r=rank, lora_alpha=_SCALE * rank, target_modules="all-linear", task_type=task)
    with warnings.catch_warnings(), torch.random.fork_rng(devices=[]):
        warnings.simplefilter("ignore")
        torch.manual_seed(seed)
        adapted = get_peft_model(model, config)
    chosen = adapted.peft_config["default"]
    chosen.target_modules = sorted(chosen.target_modules)  # a set has another order in every process
    return adapted


def name_base(folder: Path, base: str, revision: str | None) -> None:
    """Write the base model's name into the adapter's configuration, and delete the model card, where peft filled in
    nothing."""
    file = folder / adapters.CONFIG
    config = {**json.loads(file.read_bytes()), "base_model_name_or_path": base, "revision": revision}
    file.write_text(json.dumps(config, indent=2, sort_keys=True) + "\n", "utf-8")
    (folder / CARD).unlink(missing_ok=True)
