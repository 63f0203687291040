"""A LoRA adapter (Hu et al. 2021) that is fitted in the place of a model's own weights, by peft."""

import json
import warnings
from pathlib import Path
from typing import Any

from newwiki.knowledge_cutoff import CARD
from newwiki.models import adapters

_SCALE = 2  # alpha, as a multiple of the rank


def with_lora(model: Any, rank: int, seed: int) -> Any:
    """peft's model, in which an adapter of this rank on every linear layer but the output's is all that is trained. Its
    first weights are drawn by the seed."""
    import torch
    from peft import LoraConfig, get_peft_model

    model.name_or_path = ""  # a folder that is gone, which peft would look for on the hub
    task = "SEQ_2_SEQ_LM" if model.config.is_encoder_decoder else "CAUSAL_LM"
    config = LoraConfig(r=rank, lora_alpha=_SCALE * rank, target_modules="all-linear", task_type=task)
    with warnings.catch_warnings(), torch.random.fork_rng(devices=[]):
        warnings.simplefilter("ignore")
        torch.manual_seed(seed)
        adapted = get_peft_model(model, config)
    chosen = adapted.peft_config["default"]
    chosen.target_modules = sorted(chosen.target_modules)  # a set is written in another order by every process
    return adapted


def name_base(folder: Path, base: str, revision: str | None) -> None:
    """Says in the adapter's configuration which model it is put on, and takes away the card of which peft has filled in
    nothing."""
    file = folder / adapters.CONFIG
    said = {**json.loads(file.read_bytes()), "base_model_name_or_path": base, "revision": revision}
    file.write_text(json.dumps(said, indent=2, sort_keys=True) + "\n", "utf-8")
    (folder / CARD).unlink(missing_ok=True)
