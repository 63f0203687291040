"""Make a smaller model of the same architecture with random weights, to be fitted to the larger model's texts."""

import copy
from typing import Any

_SHARE = 4  # of the layers: 4 of 16 in He et al. 2021, Exposure bias versus self-recovery, section 6.1


def small_copy(model: Any, seed: int) -> Any:
    """Return a model with a quarter of the layers, at least one, and the same configuration otherwise. Torch's random
    state is preserved."""
    import torch
    from transformers import AutoModelForCausalLM

    config = copy.deepcopy(model.config)
    config.num_hidden_layers = max(1, config.num_hidden_layers // _SHARE)
    if kinds := getattr(config, "layer_types", None):
        config.layer_types = kinds[: config.num_hidden_layers]
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return AutoModelForCausalLM.from_config(config)
