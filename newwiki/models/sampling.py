"""Shared functions of the backends that sample outside of our engine: a seed per completion, and unsupported
decoders."""

from collections.abc import Collection, Mapping

from newwiki.decoding.grammar import Decoder, Value
from newwiki.decoding.noise import row_key
from newwiki.errors import UsageError
from newwiki.registry import decoders


def request_seed(seed: int, page_id: int, sample: int) -> int:
    """Return a seed for one completion, from 0 to 2³¹ − 1, a range that every sampler accepts."""
    return row_key(seed, page_id, sample) & 0x7FFFFFFF


def refuse_others(backend: str, decoder: Decoder, takes: Collection[str], advice: str) -> None:
    """Raise UsageError unless the decoder is `greedy`, or `sample` with no other parameters than these."""
    if decoder.name not in ("greedy", "sample"):
        problem = f"has no decoder '{decoder.name}'"
    elif beyond := sorted(key for key, value in _switched_on(decoder).items() if value and key not in takes):
        problem = f"does not support {', '.join(beyond)}"
    else:
        return
    supported = f"greedy, and sample with {', '.join(sorted(takes))}"
    raise UsageError(f"{backend} {problem} ('{decoder.short}'); it supports: {supported}; {advice}")


def sampling_parameters(decoder: Decoder) -> Mapping[str, Value]:
    """Return all parameters of `sample`; for `greedy` those that cut nothing off, at temperature 0."""
    if decoder.name == "sample":
        return decoder.parameters
    off = {key: setting.default for key, setting in decoders.get("sample").parameters.items()}
    return {**off, "temperature": 0.0}


def _switched_on(decoder: Decoder) -> Mapping[str, bool]:
    defaults = {key: setting.default for key, setting in decoders.get(decoder.name).parameters.items()}
    return {key: value != defaults[key] for key, value in decoder.parameters.items()}
