"""Tell which of peft's adapters vLLM runs beside their base's weights: LoRA, and nothing but its pairs of matrices."""

from pathlib import Path
from typing import Any

from newwiki.errors import TerminalError
from newwiki.models import adapters

_RANKS = (8, 16, 32, 64, 128, 256, 320, 512)  # what an engine can be built for
_OWN_RANK = 8  # peft's, where a configuration has none
# The settings of a LoraConfig that vLLM applies, or that concern the training alone. vLLM reads no others, even if they
# change what the adapter does.
_APPLIED = {
    "alpha_pattern", "auto_mapping", "base_model_name_or_path", "bias", "eva_config", "exclude_modules",
    "fan_in_fan_out", "inference_mode", "init_lora_weights", "layers_pattern", "layers_to_transform", "lora_alpha",
    "lora_dropout", "lora_ga_config", "megatron_core", "peft_type", "peft_version", "qalora_group_size", "r",
    "rank_pattern", "revision", "target_modules", "target_parameters", "task_type", "use_rslora",
}  # fmt: skip
_PLAIN_STARTS = (True, False, None, "gaussian", "eva", "orthogonal", "lora_ga")  # others change the base's weights
_PAIR = (".lora_A.weight", ".lora_B.weight", ".lora_embedding_A", ".lora_embedding_B")


def engine_rank(folder: Path, name: str) -> int:
    """Return the rank that an engine needs to run an adapter. Raises TerminalError for an adapter that vLLM cannot run,
    or of which it would leave out a part."""
    config = adapters.read_config(folder)
    if reason := _unsupported(config) or _unread_weights(folder):
        raise refusal(name, reason)
    rank = max([config.get("r") or _OWN_RANK, *(config.get("rank_pattern") or {}).values()])
    if rank > _RANKS[-1]:
        raise refusal(name, f"its rank is {rank}, and vLLM runs ranks up to {_RANKS[-1]}")
    return next(allowed for allowed in _RANKS if allowed >= rank)


def refusal(name: str, reason: str) -> TerminalError:
    """Return the error for an adapter that vLLM does not run."""
    return TerminalError(
        f"vLLM cannot run the adapter '{name}': {reason}; use --backend hf, or merge it and pass the merged folder: "
        "PeftModel.from_pretrained(model, ADAPTER).merge_and_unload().save_pretrained(FOLDER)"
    )


def _unsupported(config: dict[str, Any]) -> str | None:
    """Return why vLLM would run another adapter than the one that is configured."""
    if config["peft_type"] != "LORA":
        return f"its kind is {config['peft_type']}, and vLLM runs LORA alone"
    start = config.get("init_lora_weights")
    if start not in _PLAIN_STARTS:
        return f"init_lora_weights={start} changes the weights of its base"
    if (bias := config.get("bias") or "none") != "none":
        return f"it trains biases (bias={bias})"
    if others := sorted(key for key, value in config.items() if value and key not in _APPLIED):
        return f"its {adapters.CONFIG} sets {', '.join(others)}"
    return None


def _unread_weights(folder: Path) -> str | None:
    """Return which weights vLLM would skip: modules that were saved whole, biases, trained embeddings."""
    from safetensors import safe_open

    if not (folder / adapters.WEIGHTS).is_file():
        return f"it has no {adapters.WEIGHTS}"
    with safe_open(folder / adapters.WEIGHTS, framework="numpy") as weights:
        others = sorted(key for key in weights.keys() if not key.endswith(_PAIR))  # noqa: SIM118
    return f"it holds more than pairs of LoRA matrices ({others[0]})" if others else None
