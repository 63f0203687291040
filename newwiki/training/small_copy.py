"""A smaller model of a model's kind, with random weights: what is fitted to the texts of the larger one."""

import copy
from typing import Any

_SHARE = 4  # of the layers: 4 of 16 in He et al. 2021, Exposure bias versus self-recovery, section 6.1


def small_copy(model: Any, seed: int) -> Any:
    """The same configuration with a quarter of the layers, one at least; torch's random numbers go on as before."""
    import torch
    from transformers import AutoModelForCausalLM

    config = copy.deepcopy(model.config)
    config.num_hidden_layers = max(1, config.num_hidden_layers // _SHARE)
    if kinds := getattr(config, "layer_types", None):
        config.layer_types = kinds[: config.num_hidden_layers]
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        return AutoModelForCausalLM.from_config(config)
